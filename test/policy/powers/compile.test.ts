/** Clauses of one policy: whether its time is open, and whether its condition holds. */

import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { activityTypes } from "../../../src/policy/activities/types.ts";
import { type ActivityFacts, factsOfGroup, factsOfType } from "../../../src/policy/powers/activity.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { compilePolicy, judgeTime, outcomeFor } from "../in-words.ts";

const policyOf = (parts: Partial<AccessPolicy>): AccessPolicy => ({
	...{ id: "p", name: "", effect: "EFFECT_ALLOW", consensus: "", condition: "", time: "" },
	...parts,
});

describe("The time of a policy", () => {
	const timeAt = (time: string, moment = "2026-03-10T12:00:00Z"): unknown =>
		judgeTime(policyOf({ time }), Date.parse(moment));

	it("is open where the policy has none, or only spaces", () => {
		expect([timeAt(""), timeAt(" \n\t")]).toEqual(["open", "open"]);
	});

	it("is open while it is true, and closed while it is false", () => {
		const time = "time.now >= Timestamp('2026-03-10T12:00:00Z')";
		expect([timeAt(time), timeAt(time, "2026-03-10T11:59:59.999Z")]).toEqual(["open", "closed"]);
		expect([timeAt("true"), timeAt("false")]).toEqual(["open", "closed"]);
	});

	it("is closed where it errs", () => {
		expect(timeAt("[1][3] == 1")).toBe("closed");
		expect(timeAt("true || 'abc'[1..9] == 'a'")).toBe("closed");
	});

	it("is unknown where the documentation does not say what it is", () => {
		const time = "CronSpan('30 2 * * *', '1h', 'America/New_York')";
		expect(timeAt(time, "2026-03-08T07:30:00Z")).toEqual({
			because: "no documentation says whether a schedule fires at a time that a clock change skips or repeats",
		});
		expect([timeAt(time, "2026-03-09T06:30:00Z"), timeAt(time, "2026-03-09T07:30:00Z")]).toEqual(["open", "closed"]);
	});

	it("is closed where a part that is understood closes it, and unknown where only the rest could", () => {
		expect(timeAt("false && time.month == 3")).toBe("closed");
		expect(timeAt("time.now < Timestamp('2026-03-10T12:00:00Z') && !time.month")).toBe("closed");
		for (const time of ["true && time.month == 3", "true || time.month == 3"]) {
			expect(timeAt(time)).toEqual({ because: expect.stringContaining("the time is not understood") });
		}
	});

	it("is unknown where it is not understood", () => {
		expect(timeAt("time.now")).toEqual({
			because: "the time is not understood: time needs a bool, not a timestamp; compare it",
		});
		expect(timeAt("time.now >")).toEqual({
			because: "the time is not understood: expected a value, found the end of the expression",
		});
	});
});

describe("The policies of an access", () => {
	it("are read once for all moments, and are there while they are in force", () => {
		const after = "time.now >= Timestamp('2026-03-10T12:00:00Z')";
		const always = policyOf({ consensus: "approvers.count() >= 1" });
		const [later, doubtful] = [policyOf({ time: after }), policyOf({ time: "time.month == 3" })];
		const access: AccessState = {
			users: { known: true, value: [] },
			policies: { known: true, value: [always, later, doubtful] },
			rootQuorum: { known: true, value: { threshold: 1, userIds: [] } },
		};
		const [early, late] = ["2026-03-10T11:00:00Z", "2026-03-10T13:00:00Z"].map(
			(at) => prepareAccess(access, Date.parse(at)).policies,
		);
		expect(early?.map(({ policy }) => policy)).toEqual([always, doubtful]);
		expect(late?.map(({ policy }) => policy)).toEqual([always, later, doubtful]);
		expect(late?.[0]).toBe(early?.[0]);
		expect(late?.[2]).not.toBe(early?.[1]);
		expect(late?.map(({ unclear }) => unclear === null)).toEqual([true, true, false]);
	});
});

describe("The condition of a policy", () => {
	const facts: ActivityFacts = { resource: "WALLET", action: "CREATE", kind: null, type: null };

	it("holds everywhere where the policy has none", () => {
		expect(outcomeFor(policyOf({ condition: "  " }), facts)).toEqual({ holds: "yes" });
	});

	it("is another for each activity that it is asked about, and the same when asked again", () => {
		const policy = policyOf({ condition: "activity.resource == 'WALLET' && activity.action != 'EXPORT'" });
		const holdsFor = (parts: Partial<ActivityFacts>): string => outcomeFor(policy, { ...facts, ...parts }).holds;
		const ask = (): readonly string[] => [
			...[holdsFor({}), holdsFor({ action: "EXPORT" }), holdsFor({ resource: "USER" })],
			holdsFor({ resource: null, action: null, kind: "SOMETHING_NEW" }),
		];
		expect(ask()).toEqual(["yes", "no", "no", "unknown"]);
		expect(ask()).toEqual(ask());
	});

	it("is judged once for all activities that are alike to it", () => {
		const judged = (condition: string): number => {
			// Policies with the same texts share what is found: no other test has this consensus.
			const policy = policyOf({ condition, consensus: "approvers.count() == 7 && true" });
			for (const { type } of activityTypes) outcomeFor(policy, factsOfType(type));
			return compilePolicy(policy).outcomes.size;
		};
		expect(judged("activity.kind == 'SIGN_TRANSACTION' && eth.tx.nonce == 1")).toBeLessThan(12);
		expect(judged("!(activity.action in ['SIGN', 'EXPORT'] || activity.resource != 'WALLET')")).toBeLessThan(20);
		for (const part of [
			"activity.params.user_id == 'x'",
			"activity.kind[0..4] == 'SIGN'",
			"activity.type == activity.kind",
		])
			expect(judged(`activity.action == 'SIGN' && ${part}`)).toBe(activityTypes.length);
	});

	it("finds what is alike once for all conditions that compare the same names, and apart for others", () => {
		const rowsOf = (condition: string) => compilePolicy(policyOf({ condition })).rows;
		const signing = rowsOf("activity.kind == 'SIGN_TRANSACTION' && eth.tx.nonce == 71008");
		expect(rowsOf("eth.tx.nonce == 71009 && activity.kind == 'SIGN_TRANSACTION'")).toBe(signing);
		for (const other of [
			"activity.kind == 'CREATE_WALLET' && eth.tx.nonce == 71008",
			"activity.type == 'SIGN_TRANSACTION' && eth.tx.nonce == 71008",
			"activity.kind == 'SIGN_TRANSACTION' && activity.params.nonce == 8",
		])
			expect(rowsOf(other)).not.toBe(signing);
	});

	it("reads what is known of one activity no more often for many policies than for two", () => {
		let reads = 0;
		class CountedFields extends Map<string, bigint> {
			override [Symbol.iterator](): MapIterator<[string, bigint]> {
				reads += 1;
				return super[Symbol.iterator]();
			}
		}
		const readsFor = (count: number): number => {
			const fields = new CountedFields([["eth.tx.value", 5n]]);
			reads = 0;
			const policies = Array.from({ length: count }, (_, index) =>
				policyOf({ condition: `activity.action == 'SIGN' && eth.tx.value == ${index}` }),
			);
			const group = factsOfGroup({ resource: "PRIVATE_KEY", action: "SIGN" }, fields);
			expect(policies.filter((policy) => outcomeFor(policy, group).holds !== "no")).toHaveLength(count > 5 ? 1 : 0);
			return reads;
		};
		expect(readsFor(2)).toBeGreaterThan(0);
		expect(readsFor(100)).toBe(readsFor(2));
	});

	it("is unknown where it is not understood", () => {
		expect(outcomeFor(policyOf({ condition: "activity.resource ==" }), facts)).toEqual({
			...{
				holds: "unknown",
				because: "the condition is not understood: expected a value, found the end of the expression",
			},
		});
	});
});

describe("What is assumed of a policy", () => {
	it.each<[clauses: Partial<AccessPolicy>, assumed: readonly string[]]>([
		[{ consensus: "approvers.count() >= 2", condition: "wallet.id == 'w' && wallet.imported" }, []],
		[{ condition: "wallet.imported == true" }, ["bools"]],
		[{ condition: "false != wallet.imported" }, ["bools"]],
		[{ condition: "(wallet.id == 'w') == wallet.imported" }, ["bools"]],
		[{ condition: "wallet.imported != (wallet.id == 'w')" }, ["bools"]],
		[{ condition: "wallet.imported == (!wallet.exported)" }, ["bools", "negation"]],
		[{ condition: "wallet.imported == wallet.exported" }, []],
		[{ condition: "wallet.id == 'true' || 5 == eth.tx.gas" }, []],
		[{ condition: "wallet.imported || wallet.exported && wallet.id == 'w'" }, ["precedence"]],
		[{ condition: "wallet.imported || (wallet.exported && wallet.id == 'w')" }, []],
		[{ consensus: "!(approvers.count() >= 2)" }, ["negation"]],
		[{ time: "!(time.now < Timestamp('2026-01-01T00:00:00Z'))" }, []],
		[
			{ time: "time.now < Timestamp('2026-01-01T00:00:00Z') || true && CronSpan('0 9 * * *', '1h', 'UTC')" },
			["precedence"],
		],
	])("is what no source says of its clauses: %o", (clauses, assumed) => {
		expect(compilePolicy(policyOf(clauses)).assumed).toEqual(assumed);
	});
});

describe("The clauses of a policy", () => {
	it("are understood or not, each on its own; one that is absent does not restrict", () => {
		const { consensus, condition, time } = compilePolicy(policyOf({ consensus: "true", condition: "1 +" }));
		expect([consensus, condition, time].map(({ slip }) => slip?.kind ?? null)).toEqual([null, "not-understood", null]);
		expect(time.tree).toMatchObject({ node: "literal", value: true });
	});

	it("know only their own names: what is not theirs is an opaque part", () => {
		const clauses = (text: string): readonly boolean[] => {
			const { consensus, condition, time } = compilePolicy(policyOf({ consensus: text, condition: text, time: text }));
			return [consensus, condition, time].map(({ slip }) => slip === null);
		};
		expect(clauses("approvers.count() > 1")).toEqual([true, false, false]);
		expect(clauses("wallet.id == 'w'")).toEqual([false, true, false]);
		expect(clauses("time.now != time.now")).toEqual([false, false, true]);
	});
});
