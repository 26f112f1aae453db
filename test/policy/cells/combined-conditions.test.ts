/** Powers and impact where several conditions on the activity meet: policies that allow and policies that deny. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser } from "../../../src/policy/access.ts";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import { compareAccess } from "../../../src/policy/powers/impact.ts";
import { findPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";

const atMs = Date.parse("2026-06-01T12:00:00Z");
const group = { resource: "PRIVATE_KEY", action: "SIGN" } as const;
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";

let count = 0;
function policy(effect: "ALLOW" | "DENY", consensus: string, condition = ""): AccessPolicy {
	count += 1;
	const whole = condition === "" ? signing : `${signing} && ${condition}`;
	return { id: `policy-${count}`, name: "", effect: `EFFECT_${effect}`, consensus, condition: whole, time: "" };
}

type Tags = Readonly<Record<string, readonly string[]>>;

function accessOf(tags: Tags, policies: readonly AccessPolicy[]): AccessState {
	const users = Object.entries({ ...tags, olga: [], otto: [] }).map(
		([id, tagIds]): AccessUser => ({
			id,
			tagIds: { known: true, value: tagIds },
			email: { known: true, value: null },
			credentials: { known: true, value: [] },
		}),
	);
	const rootQuorum = { threshold: 2, userIds: ["olga", "otto"] };
	return {
		users: { known: true, value: users },
		policies: { known: true, value: policies },
		rootQuorum: { known: true, value: rootQuorum },
	};
}

const anyOf = (tag: string): string => `approvers.any(user, user.tags.contains('${tag}'))`;
const twoOf = (tag: string): string => `approvers.filter(user, user.tags.contains('${tag}')).count() >= 2`;
const only = (user: string): string => `approvers.any(user, user.id == '${user}')`;

function findingsOf(before: AccessState, after: AccessState): readonly string[] {
	const signed = compareAccess(before, after, atMs).findings.filter(
		(one) => printGroup(one.group) === "PRIVATE_KEY/SIGN",
	);
	return signed.map(({ change, userIds, condition, isEscalation }) =>
		[change, userIds.join(" "), condition === null ? "always" : `where ${condition}`, isEscalation ? "escalation" : ""]
			.filter(Boolean)
			.join(", "),
	);
}

describe("The impact under a condition of a policy that denies", () => {
	it("is an escalation where two were needed only under the condition", () => {
		const policies = [
			policy("ALLOW", anyOf("lead")),
			policy("ALLOW", twoOf("signers")),
			policy("DENY", only("alice"), "wallet.id == 'vault'"),
		];
		const before = accessOf({ alice: ["lead"], bob: ["signers"], carol: ["signers"] }, policies);
		const after = accessOf({ alice: ["lead"], bob: ["lead", "signers"], carol: ["signers"] }, policies);
		expect(findingsOf(before, after)).toEqual([
			"alone, bob, always",
			"alone, bob, where wallet.id == 'vault', escalation",
		]);
	});

	it("is a lockout where only the user whom it denies is left", () => {
		const policies = [policy("ALLOW", anyOf("signers")), policy("DENY", only("alice"), "wallet.id == 'vault'")];
		const others = Array.from({ length: 9 }, (_, number) =>
			policy("ALLOW", anyOf("guests"), `wallet.id == '${number}'`),
		);
		for (const all of [policies, [...policies, ...others]]) {
			const before = accessOf({ alice: ["signers"], bob: ["signers"] }, all);
			const after = accessOf({ alice: ["signers"], bob: [] }, all);
			expect(findingsOf(before, after)).toEqual(["nobody, bob, where wallet.id == 'vault'", "loses, bob, always"]);
		}
	});
});

function conditionalOf(access: AccessState): readonly string[] {
	const power = findPower(prepareAccess(access, atMs), group);
	return power.conditional.map(
		({ condition, holds, alone }) => `${alone}: ${holds ? "where" : "not where"} ${condition}`,
	);
}

describe("A power under several conditions", () => {
	it("is found where a policy allows on one wallet and another denies on the other", () => {
		const policies = [
			policy("ALLOW", anyOf("signers"), "wallet.id == 'b'"),
			policy("DENY", anyOf("signers"), "wallet.id == 'a'"),
		];
		expect(conditionalOf(accessOf({ bob: ["signers"] }, policies))).toEqual(["bob: where wallet.id == 'b'"]);
	});

	it("is found where two policies deny it, each on its wallet", () => {
		const policies = [
			policy("ALLOW", anyOf("signers")),
			policy("DENY", anyOf("signers"), "wallet.id == 'a'"),
			policy("DENY", anyOf("signers"), "wallet.id == 'b'"),
			policy("DENY", anyOf("guests"), "wallet.id == 'c'"),
		];
		expect(conditionalOf(accessOf({ bob: ["signers"], gina: ["guests"] }, policies))).toEqual([
			"bob: where !(wallet.id == 'a') && !(wallet.id == 'b')",
		]);
	});
});

describe("Many conditions", () => {
	it("are compared, or unknown where that takes too many steps", () => {
		const policies = Array.from({ length: 200 }, (_, number) => ({
			...policy(number % 3 === 0 ? "DENY" : "ALLOW", twoOf(`tag-${number % 50}`)),
			condition: `activity.kind == 'KIND_${number}'`,
		}));
		const users = (own: string): Tags =>
			Object.fromEntries(
				Array.from({ length: 60 }, (_, number) => [
					`user-${number}`,
					number === 0 ? [own] : [`tag-${number % 50}`, `tag-${(number * 7) % 50}`],
				]),
			);
		const { findings } = compareAccess(accessOf(users("tag-1"), policies), accessOf(users("tag-2"), policies), atMs);
		expect(findings.length).toBeGreaterThan(0);
	});
});

describe("A kind of the root quorum alone", () => {
	it("is no power of those whom a policy allows it", () => {
		const policies = [{ ...policy("ALLOW", anyOf("signers")), condition: "activity.kind == 'UPDATE_ROOT_QUORUM'" }];
		const [before, after] = [accessOf({ bob: [] }, policies), accessOf({ bob: ["signers"] }, policies)];
		expect(compareAccess(before, after, atMs)).toEqual({ verdict: "equivalent", findings: [] });
		expect(conditionalOf(after)).toEqual([]);
	});
});

describe("A root quorum that needs more users than it has", () => {
	it("is not written as a threshold", () => {
		const access: AccessState = {
			...accessOf({}, []),
			rootQuorum: { known: true, value: { threshold: 2, userIds: ["olga", "olga"] } },
		};
		expect(findPower(prepareAccess(access, atMs), group).thresholds).toEqual([]);
	});
});
