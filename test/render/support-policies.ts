/** A plan that creates a policy and changes the effect, name, texts and notes of another. */
import type { PolicyChange } from "../../src/plan/change.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { id } from "../plan/support-organizations.ts";
import { emptyPlan } from "./support.ts";

export function writtenPlanOf(name: (text: string) => string): Plan {
	const text = (words: string) => ({
		consensus: `approvers.any(user, user.id == '${name(words)}')\n&& approvers.count() > 1`,
		condition: `wallet.label == '${name(words)}' && ${"eth.tx.value > 1000 && ".repeat(12)}eth.tx.value < 7`,
	});
	const content = (words: string) => ({ name: name(words), ...text(words), notes: name(`${words} notes`), time: "" });
	const shared = { kind: "policy", userId: null, basis: "live" } as const;
	const changed: PolicyChange = {
		...shared,
		address: `policy:${name("pay")}`,
		action: "update",
		reason: "differs",
		id: id("policy", 1),
		before: { ...content("paid"), effect: "EFFECT_DENY" },
		after: { ...content("pay"), effect: "EFFECT_ALLOW" },
		written: text("pay"),
		writtenBefore: text("paid"),
		takesOver: true,
	};
	const created: PolicyChange = {
		...shared,
		address: `policy:${name("more")}`,
		action: "create",
		reason: "not-there",
		id: id("policy", 2),
		before: null,
		after: { ...content("more"), effect: "EFFECT_ALLOW" },
		written: text("more"),
		writtenBefore: null,
		takesOver: false,
	};
	return { ...emptyPlan(), changes: [changed, created] };
}
