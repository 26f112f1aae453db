/** What no case is about, and what is true today. */
import { describe, expect, test } from "vitest";
import { writeCases } from "../../../src/document/export/cases.ts";
import { findUncovered } from "../../../src/plan/access-cases/coverage.ts";
import { CaseJudge } from "../../../src/plan/access-cases/judge.ts";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { namedPowers, type PowerName } from "../../../src/policy/powers/groups.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	dave,
	policyOf,
	signers,
	twoOf,
} from "../support-access.ts";
import { nowMs } from "./support.ts";

const two = policyOf(1, { consensus: twoOf(signers), condition: condition.sign });
const any = policyOf(2, { consensus: anyOf(approvers), condition: condition.export });

describe("coverage", () => {
	const access = accessOf({}, [two, any]);
	const found = (isNoticed: (policies: readonly AccessPolicy[]) => boolean) =>
		findUncovered(access, ({ policies }: AccessState) => policies.known && isNoticed(policies.value));

	test("has the policies that may be gone, and of the others the clauses that may be", () => {
		expect(found(() => true)).toEqual([]);
		expect(found(() => false)).toEqual([
			{ policyId: two.id, clause: null },
			{ policyId: any.id, clause: null },
		]);
		expect(found((policies) => policies.length < 2)).toEqual([
			{ policyId: two.id, clause: "consensus" },
			{ policyId: two.id, clause: "condition" },
			{ policyId: any.id, clause: "consensus" },
			{ policyId: any.id, clause: "condition" },
		]);
		expect(found((policies) => policies.length < 2 || policies.some((one) => one.consensus === ""))).toEqual([
			{ policyId: two.id, clause: "condition" },
			{ policyId: any.id, clause: "condition" },
		]);
	});

	test("leaves out clauses that restrict nothing", () => {
		const whole = policyOf(3, { consensus: "true", condition: condition.sign });
		expect(
			findUncovered(accessOf({}, [whole]), ({ policies }) => policies.known && policies.value.length === 0),
		).toEqual([{ policyId: whole.id, clause: "condition" }]);
		const spaced = policyOf(3, { consensus: " true ", condition: "  " });
		expect(
			findUncovered(accessOf({}, [spaced]), ({ policies }) => policies.known && policies.value.length === 0),
		).toEqual([]);
		const unread = { ...access, policies: { known: false, because: { kind: "not-asked" } } } as const;
		expect(findUncovered(unread, () => false)).toEqual([]);
	});

	test("is tried with each policy gone, and with each clause of it empty", () => {
		const tried: string[][] = [];
		found((policies) => {
			tried.push(policies.map(({ id, consensus, condition: text }) => [id, consensus, text].join(" ")));
			return true;
		});
		const textOf = ({ id, consensus, condition: text }: AccessPolicy) => [id, consensus, text].join(" ");
		const empty = (policy: AccessPolicy, clause: "consensus" | "condition") => textOf({ ...policy, [clause]: "" });
		expect(tried).toEqual([
			[textOf(any)],
			[empty(two, "consensus"), textOf(any)],
			[empty(two, "condition"), textOf(any)],
			[textOf(two)],
			[textOf(two), empty(any, "consensus")],
			[textOf(two), empty(any, "condition")],
		]);
	});
});

describe("what is true today", () => {
	const survey = (power: PowerName, access: AccessState) =>
		new CaseJudge(access, nowMs, false).survey({ groups: namedPowers[power], isOwn: false, text: power });

	test("is who can alone for each activity of a power, by which tags, and who never has a part", () => {
		const access = accessOf({ signers: ["alice", "bob"], approvers: ["carol", "dave"] }, [two, any]);
		expect(survey("sign", access)).toEqual({ alone: [], tagIds: [], isExact: true, never: [carol, dave] });
		// Private keys are another activity of the power than wallets.
		expect(survey("export", access)).toEqual({ alone: [], tagIds: [approvers], isExact: false, never: [alice, bob] });
		expect(survey("policies", access)).toMatchObject({ alone: [], isExact: true, never: [alice, bob, carol, dave] });
	});

	test("is unknown where a policy is not understood, or was not read", () => {
		const opaque = policyOf(3, { consensus: "approvers.shuffle() == 1", condition: condition.sign });
		expect(survey("sign", accessOf({}, [opaque]))).toMatchObject({ unknown: { kind: "policy", policyId: opaque.id } });
		const unread = { ...accessOf({}, []), policies: { known: false, because: { kind: "not-asked" } } } as const;
		expect(survey("sign", unread)).toMatchObject({ unknown: { kind: "not-read" } });
	});

	test("is written by tags of several users, the largest first, and then by users", () => {
		const access = accessOf(
			{ signers: ["alice", "bob"], approvers: ["carol"], treasury: ["alice", "bob", "carol"] },
			[],
		);
		const tagNames = { [signers]: "signers", [approvers]: "approvers" };
		const names = { userNames: { [alice]: "alice", [bob]: "bob", [carol]: "carol" }, tagNames, policyNames: {} };
		const write = (alone: readonly string[], tagIds: readonly string[]): string =>
			writeCases({
				...{ organizationId: "o", access, ...names },
				powers: [["sign", { alone, tagIds, isExact: true, never: [] }]],
			});
		const all = [signers, approvers];
		expect(write([alice, bob, carol], all)).toContain('    alone: { exactly: ["1 of signers", carol] }\n');
		expect(write([alice, carol], all)).toContain("    alone: { exactly: [alice, carol] }\n");
	});
});
