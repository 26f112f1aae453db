/** Why a case does not hold: the policies that decide it, each with the clause that does. */
import { describe, expect, test } from "vitest";
import type { AccessState } from "../../../src/policy/access.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	bob,
	condition,
	dave,
	onlyUser,
	policyOf,
	signers,
	twoOf,
} from "../support-access.ts";
import { judgeFile } from "./support.ts";

const sign = condition.sign;
const two = policyOf(1, { name: "two", consensus: twoOf(signers), condition: sign });
const any = policyOf(2, { name: "any", consensus: anyOf(approvers), condition: sign });
const noBob = policyOf(3, { name: "no bob", effect: "EFFECT_DENY", consensus: onlyUser(bob), condition: sign });
const never = policyOf(4, { name: "never", effect: "EFFECT_DENY", condition: sign });
const other = policyOf(5, { name: "other", consensus: anyOf(signers), condition: condition.export });
const members = { signers: ["alice", "bob", "carol"], approvers: ["dave"] } as const;

/** What each finding of a case about signing is explained by. */
function explained(says: string, access: AccessState, head = "rootQuorum: aside"): readonly (readonly string[])[] {
	const names = new Map(access.policies.known ? access.policies.value.map(({ id, name }) => [id, name]) : []);
	const [found] = judgeFile(`${head}\ntests: [{ name: it, power: sign, ${says} }]`, access).cases;
	return (found?.findings ?? []).map(({ clauses }) =>
		clauses.map(({ policyId, effect, applies, clause, text, opensAt = "" }) => {
			const policy = policyId === null ? "root" : names.get(policyId);
			return `${policy} ${effect}${applies ? "s" : " not"} by ${clause} ${text}${opensAt}`;
		}),
	);
}

const clauseOf = ({ name, consensus }: typeof two, applies = true) =>
	`${name} allow${applies ? "s" : " not"} by consensus ${consensus}`;

describe("users who can", () => {
	test("can by the policies that allow it to them, and no others", () => {
		const access = accessOf(members, [two, any, noBob, other]);
		expect(explained("alone: { never: [dave] }", access)).toEqual([[clauseOf(any)]]);
		expect(explained("together: { never: [[alice, carol]] }", access)).toEqual([[clauseOf(two)]]);
	});

	test("can by the condition of a policy that asks for no approval", () => {
		const open = policyOf(1, { name: "open", consensus: " ", condition: sign });
		expect(explained("alone: { never: [dave] }", accessOf(members, [open]))).toEqual([
			[`open allows by condition ${sign}`],
		]);
	});

	test("can by the root quorum where they are it, besides the policies", () => {
		const access = accessOf(members, [any], { threshold: 1, userIds: [dave] });
		expect(explained("alone: { never: [dave] }", access, "")).toEqual([[clauseOf(any), "root allows by consensus "]]);
		const without = accessOf(members, [two], { threshold: 1, userIds: [dave] });
		expect(explained("alone: { never: [dave] }", without, "")).toEqual([["root allows by consensus "]]);
	});

	test("are explained by three policies at most", () => {
		const four = [1, 2, 3, 4].map((number) => ({
			...any,
			...policyOf(number),
			consensus: any.consensus,
			condition: sign,
		}));
		expect(explained("alone: { never: [dave] }", accessOf(members, four))[0]).toHaveLength(3);
		const none = four.map((one) => ({ ...one, consensus: anyOf(signers) }));
		expect(explained("alone: { atLeast: [dave] }", accessOf(members, none))[0]).toHaveLength(3);
	});
});

describe("users who take part", () => {
	test("do by the policies of a smallest set with them", () => {
		const access = accessOf(members, [two, any, noBob]);
		expect(explained("never: [alice]", access)).toEqual([[clauseOf(two)]]);
		expect(explained("never: [dave]", access)).toEqual([[clauseOf(any)]]);
	});

	test("do by the root quorum only where no policy lets them", () => {
		const access = accessOf(members, [any], { threshold: 2, userIds: [alice, bob] });
		expect(explained("never: [bob]", access, "")).toEqual([["root allows by consensus "]]);
		expect(explained("never: [dave]", access, "")).toEqual([[clauseOf(any)]]);
	});
});

describe("users who cannot", () => {
	test("cannot by policies that deny it to them, then by those that ask for others", () => {
		const denied = accessOf(members, [any, noBob, other]);
		expect(explained("alone: { atLeast: [bob] }", denied)).toEqual([
			[`no bob denys by consensus ${noBob.consensus}`, clauseOf(any, false)],
		]);
		expect(explained("alone: { atLeast: [alice] }", denied)).toEqual([[clauseOf(any, false)]]);
		expect(explained("alone: { atLeast: [dave] }", accessOf(members, [never, any]))).toEqual([
			[`never denys by condition ${sign}`, clauseOf(any, false)],
		]);
	});

	test("cannot by a policy whose time or condition does not hold", () => {
		const ended = policyOf(1, { ...any, name: "ended", time: "time.now < Timestamp('2020-01-01T00:00:00Z')" });
		expect(explained("alone: { atLeast: [dave] }", accessOf(members, [ended]))).toEqual([
			[`ended allow not by time ${ended.time}`],
		]);
		const opening = { ...ended, time: "time.now >= Timestamp('2026-12-01T00:00:00Z')" };
		expect(explained("at: 2026-11-28T00:00:00Z, alone: { atLeast: [dave] }", accessOf(members, [opening]))).toEqual([
			[`ended allow not by time ${opening.time}2026-12-01T00:00:00.000Z`],
		]);
		const small = policyOf(1, { ...any, name: "small", condition: `${sign} && eth.tx.value < 5` });
		const [first] = explained("alone: { atLeast: [dave] }", accessOf(members, [small]));
		expect(first).toEqual([`small allow not by condition ${small.condition}`]);
	});
});

describe("policies", () => {
	test("that decide are explained by their own clause", () => {
		expect(explained("by: [two]", accessOf(members, [two, any]))).toEqual([[clauseOf(any)]]);
		expect(explained("by: []", accessOf(members, [never]))).toEqual([[`never denys by condition ${sign}`]]);
	});

	test("that do not decide are explained by the clause that keeps them from it", () => {
		const access = accessOf({ signers: ["alice"] }, [two, any, other]);
		expect(explained("by: [two]", access)).toEqual([[clauseOf(two, false)]]);
		expect(explained("by: [other]", access)).toEqual([[]]);
	});

	test("whose part is unknown are unknown for a reason of their own", () => {
		const resource = "activity.resource == 'SECRET'";
		const access = accessOf(members, [
			{ ...two, condition: resource },
			{ ...any, condition: resource },
		]);
		const [found] = judgeFile("rootQuorum: aside\ntests: [{ name: it, power: secrets, by: [] }]", access).cases;
		const reasons = found?.findings.map(
			({ policyId, because }) => `${policyId} ${Reflect.get(because ?? {}, "policyId")}`,
		);
		expect(new Set(reasons)).toEqual(new Set([two, any].map(({ id }) => `${id} ${id}`)));
	});
});

test("a tag that lost its members is explained by no policy", () => {
	expect(explained("alone: { atLeast: [1 of signers] }", accessOf({}, [two, any]))).toEqual([[]]);
});
