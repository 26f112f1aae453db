/** Broken rules are drift: findings of their own, since when, and what to do. */
import { describe, expect, it } from "vitest";
import { exitCodeOfDrift, type OrganizationDrift, reportDrift } from "../../../src/plan/drift/drift.ts";
import type { DesiredRule, DesiredUserTag, LiveOrganization } from "../../../src/plan/organization.ts";
import { findsDifference, type Plan } from "../../../src/plan/plan.ts";
import { notRead } from "../../../src/policy/powers/reason.ts";
import { publishDrift } from "../../../src/render/result/published.ts";
import { renderPlan } from "../../../src/render/result-text.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { checkSchema } from "../../check-schema.ts";
import { makePlan } from "../../in-words.ts";
import { inWords } from "../../policy/in-words.ts";
import { renderDrift } from "../../render/as-text.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "../support-organizations.ts";

const [alice, bob, carol] = [1, 2, 3].map((number) => id("user", number)) as [string, string, string];
const dayMs = 24 * 60 * 60_000;
const exclusive: DesiredRule = { rule: "exclusive", tags: ["approvers", "signers"], at };
const address = "rule:exclusive.approvers+signers";

function liveWith(signers: readonly string[] | null, approvers: readonly string[]): LiveOrganization {
	return liveOf({
		userTags: known([
			liveTag(1, "signers", { members: signers === null ? unknown : known(signers) }),
			liveTag(2, "approvers", { members: known(approvers) }),
		]),
	});
}

function planAt(afterMs: number, live: LiveOrganization, userTags: readonly DesiredUserTag[] = []): Plan {
	const desired = desiredOf({ users: { alice, bob, carol }, userTags, rules: [exclusive] });
	return makePlan(desired, live, { ...context, readAtMs: context.readAtMs + afterMs });
}

function driftAt(afterMs: number, live: LiveOrganization, earlier?: OrganizationDrift, plan = planAt(afterMs, live)) {
	const drift = reportDrift(plan, { earlier });
	expect(checkSchema("drift.json", inWords(publishDrift(drift)))).toEqual([]);
	return drift;
}

const broken = liveWith([alice, bob], [bob]);
const kept = liveWith([alice, bob], [carol]);

describe("a live organization that breaks a rule", () => {
	it("has drifted, with a finding of the rule that says what breaks it and what to do", () => {
		const drift = driftAt(0, broken);
		expect(drift).toMatchObject({ verdict: "drifted", unread: [], gone: [] });
		expect(publishDrift(drift).findings).toMatchObject([
			{
				...{ address, kind: "rule", what: "rule-broken", state: "new", by: null },
				message: "bob has `approvers` and `signers`",
				todo: "apply does not make the rule hold: change the tags, or `rules` in the document",
			},
		]);
		expect(exitCodeOfDrift([drift])).toBe(2);
	});

	it("differs, so that plan --detailed-exitcode finds it", () => {
		expect(findsDifference(planAt(0, broken))).toBe(true);
		expect(findsDifference(planAt(0, kept))).toBe(false);
	});

	it("is repaired by apply where the plan repairs it", () => {
		const repair = wantTag("approvers", { members: { mode: "exactly", exactly: [carol] } });
		const drift = driftAt(0, broken, undefined, planAt(0, broken, [repair]));
		expect(publishDrift(drift).findings.map(({ kind, todo }) => [kind, todo])).toContainEqual([
			"rule",
			"`orgsync apply` makes the rule hold",
		]);
	});

	it("keeps when it began, and is changed when other users break it", () => {
		const first = driftAt(0, broken);
		const second = driftAt(dayMs, broken, first);
		expect(second.findings).toMatchObject([{ state: "still-there", firstSeenAt: first.readAt }]);
		const third = driftAt(2 * dayMs, liveWith([alice, bob], [alice]), second);
		expect(third.findings).toMatchObject([{ state: "changed", firstSeenAt: first.readAt }]);
	});

	it("is resolved once the rule is kept again", () => {
		const drift = driftAt(dayMs, kept, driftAt(0, broken));
		expect(drift).toMatchObject({ verdict: "as-documented", findings: [], gone: [{ address, kind: "rule" }] });
	});

	it("is not resolved while the rule cannot be checked", () => {
		const drift = driftAt(dayMs, liveWith(null, [bob]), driftAt(0, broken));
		expect(drift).toMatchObject({
			verdict: "could-not-look",
			findings: [{ address, state: "not-looked-at" }],
			gone: [],
		});
		expect(drift.unread).toEqual([{ scope: "rule", address, because: notRead(unknown.because) }]);
	});

	it("is found whatever --only leaves out", () => {
		const drift = reportDrift(planAt(dayMs, kept), { earlier: driftAt(0, broken), isSelected: () => false });
		expect(drift).toMatchObject({ findings: [], gone: [{ address }] });
	});

	it("is shown by plan and drift", () => {
		const plan = planAt(0, broken);
		const drift = renderDrift(plan, driftAt(0, broken), plainStyle);
		expect(drift).toContain(
			`  ! ${address}  rule broken: bob has \`approvers\` and \`signers\`\n      to do: apply does not`,
		);
		expect(drift).toContain("Drift: 1 rule is broken; apply would submit nothing.");
		expect(renderPlan(plan, plainStyle)).toContain("No changes. 1 rule is broken.");
	});
});

describe("a rule that cannot be checked", () => {
	it("is unread, and no drift is known", () => {
		const drift = driftAt(0, liveWith(null, [bob]));
		expect(drift).toMatchObject({ verdict: "could-not-look", findings: [] });
		expect(exitCodeOfDrift([drift])).toBe(1);
		const text = renderDrift(planAt(0, liveWith(null, [bob])), drift, plainStyle);
		expect(text).toContain("Unknown: 1 rule could not be checked; no known drift.");
	});
});

describe("a rule that cannot be checked after the plan only", () => {
	it("is no drift, and live state is as documented so far as it goes", () => {
		// The plan takes the name of the rule from its tag.
		const renamed = wantTag("keyholders", { id: id("tag", 1) });
		const plan = planAt(0, kept, [renamed]);
		expect(plan.rules).toMatchObject([{ before: { state: "kept" }, after: { state: "unknown" } }]);
		expect(plan.unread).toMatchObject([{ scope: "rule", address }]);
		expect(driftAt(0, kept, undefined, plan)).toMatchObject({ verdict: "drifted", unread: [] });
	});

	it("is not drift either where another rule could not be checked before", () => {
		const renamed = wantTag("keyholders", { id: id("tag", 1) });
		const missing: DesiredRule = { rule: "members", tag: "missing", max: 1, at };
		const desired = desiredOf({ users: { alice, bob, carol }, userTags: [renamed], rules: [exclusive, missing] });
		const plan = makePlan(desired, kept, context);
		expect(plan.unread).toHaveLength(2);
		expect(driftAt(0, kept, undefined, plan).unread.map((one) => "address" in one && one.address)).toEqual([
			"rule:members.missing",
		]);
	});
});

describe("a rule that a pending activity repairs", () => {
	it("is waiting, as its tags are", () => {
		const repair = wantTag("approvers", { members: { mode: "exactly", exactly: [carol] } });
		const [step] = planAt(0, broken, [repair]).steps;
		expect(step?.operation).toBe("update_user_tag");
		const desired = desiredOf({ users: { alice, bob, carol }, userTags: [repair], rules: [exclusive] });
		const plan = makePlan(desired, broken, {
			...context,
			waiting: [
				{
					...{ activityId: id("other", 1), fingerprint: "sha256:1", state: "pending", status: "CONSENSUS_NEEDED" },
					...{ operation: "update_user_tag", parameters: step?.parameters ?? {}, createdAt: null, approvedBy: null },
					saidBy: "service",
				},
			],
		} as Parameters<typeof makePlan>[2]);
		const drift = driftAt(0, broken, undefined, plan);
		expect(drift).toMatchObject({ verdict: "waiting", findings: [] });
		expect(drift.waiting.map(({ address: of }) => of)).toEqual(["userTag:approvers", address]);
	});
});
