/** A policy that names kinds or types changes these, and the report names them once. */
import { describe, expect, it } from "vitest";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import { compareAccess } from "../../../src/policy/powers/impact.ts";
import { accessOf, alice, anyOf, bob, policyOf, signers, twoOf } from "../../plan/support-access.ts";

const members = { signers: ["alice", "bob"] } as const;

/** What is found when this policy goes, as `group change condition`. */
function withoutPolicy(condition: string): readonly string[] {
	const before = accessOf(members, [policyOf(1, { consensus: anyOf(signers), condition })]);
	const { findings } = compareAccess(before, accessOf(members, []), 0);
	return findings.map((one) => [printGroup(one.group), one.change, one.condition ?? "always"].join(" "));
}

describe("a policy that names activities", () => {
	it.each([
		["activity.kind == 'UPDATE_USER_TAG'", ["kind UPDATE_USER_TAG nobody always"]],
		["activity.type == 'ACTIVITY_TYPE_UPDATE_USER_TAG'", ["type ACTIVITY_TYPE_UPDATE_USER_TAG nobody always"]],
		["activity.kind in ['A', 'B']", ["kind A nobody always", "kind B nobody always"]],
		["activity.kind == 'A' || activity.kind == 'B'", ["kind A nobody always", "kind B nobody always"]],
		["'A' == activity.kind", ["kind A nobody always"]],
		["activity.kind == 'A && B'", ["kind A && B nobody always"]],
		["activity.kind in ['A, B', 'C || D']", ["kind A, B nobody always", "kind C || D nobody always"]],
		["activity.kind == 'A' && wallet.id == 'v && w'", ["kind A nobody wallet.id == 'v && w'"]],
	])("is reported for these, once: %s", (condition, found) => {
		expect(withoutPolicy(condition).filter((line) => !line.includes("own"))).toEqual(found);
	});

	it("is reported for its resource and action where it names no kind", () => {
		const condition = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
		expect(withoutPolicy(condition)).toEqual(["PRIVATE_KEY/SIGN nobody always"]);
		expect(withoutPolicy(`${condition} && wallet.id == 'w'`)).toEqual(["PRIVATE_KEY/SIGN nobody wallet.id == 'w'"]);
	});

	it("is an escalation for a kind of which the pair is not documented, since it may be a sensitive one", () => {
		const condition = "activity.kind == 'CREATE_POLICY_NEXT'";
		const [before, after] = [twoOf(signers), anyOf(signers)].map((consensus) =>
			accessOf(members, [policyOf(1, { consensus, condition })]),
		);
		const { findings } = compareAccess(before as never, after as never, 0);
		expect(findings.map(({ group, userIds, isEscalation }) => [group, userIds, isEscalation])).toEqual([
			[{ kind: "CREATE_POLICY_NEXT" }, [alice, bob], true],
		]);
	});
});
