/** The users, tags and policies that access cases name, and which names are of nothing or of several. */
import { describe, expect, it } from "vitest";
import type { CaseFile } from "../../../src/plan/access-cases/case.ts";
import { CaseJudge } from "../../../src/plan/access-cases/judge.ts";
import { type CaseNames, resolveCases } from "../../../src/plan/access-cases/resolve.ts";
import type { AccessState } from "../../../src/policy/access.ts";
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
import { id, unknown } from "../support-organizations.ts";
import { judgeFile, judgeOne, readCases } from "./support.ts";

const two = policyOf(1, { name: "two", consensus: twoOf(signers), condition: condition.sign });
const any = policyOf(2, { name: "any", consensus: anyOf(approvers), condition: condition.sign });
const access = accessOf({ signers: ["alice", "bob"], approvers: ["dave"] }, [two, any]);
const names: CaseNames = {
	aliases: { [alice]: "al", [id("user", 9)]: "gone" },
	liveNames: { [alice]: "Alice", [bob]: "Bob", [carol]: "Twin", [dave]: "Twin", [id("user", 9)]: "Bob" },
	tagNames: { [signers]: "signers", [approvers]: "same", [id("tag", 3)]: "same" },
};

function resolved(says: string, of: AccessState = access, { head = "", more = names } = {}) {
	const file: CaseFile = readCases(`${head}\ntests: [{ name: it, power: sign, ${says} }]`);
	const { cases, wrong, access: found } = resolveCases(file, of, more);
	return { sets: cases[0]?.lists.flatMap(({ sets }) => sets), by: cases[0]?.by, wrong, access: found };
}
const wrongIn = (...parts: Parameters<typeof resolved>) =>
	resolved(...parts).wrong.map(({ of, text, ids }) => [of, text, ids]);

describe("A user of a case", () => {
	it("is found by alias, else by live name, else by id in any case, among users that there are", () => {
		const idsOf = (name: string) => resolved(`alone: { exactly: [${name}] }`).sets;
		const one = (userId: string) => [{ count: 1, of: [userId], tagId: null }];
		expect([idsOf("al"), idsOf("Bob"), idsOf(bob.toUpperCase())]).toEqual([one(alice), one(bob), one(bob)]);
		expect(idsOf("gone")).toEqual([]);
		expect(wrongIn("alone: { exactly: [gone, Twin, nobody] }")).toEqual([
			...[
				["user", "gone", []],
				["user", "Twin", [carol, dave]],
				["user", "nobody", []],
			],
		]);
		expect(wrongIn(`alone: { exactly: [${id("user", 9)}] }`)).toEqual([["user", id("user", 9), []]]);
	});

	it("is in a set once, sorted, and a set with a wrong name is left out", () => {
		expect(resolved("together: { exactly: [[Bob, al, Alice]] }").sets).toEqual([
			{ count: 2, of: [alice, bob], tagId: null },
		]);
		expect(resolved("together: { exactly: [[Bob, nobody]] }").sets).toEqual([]);
	});

	it("has no wrong name where users were not read", () => {
		const unread = { ...access, users: unknown };
		expect(wrongIn("alone: { exactly: [nobody] }", unread)).toEqual([]);
		expect(resolved(`alone: { exactly: [${id("user", 9)}] }`, unread).sets).toEqual([
			{ count: 1, of: [id("user", 9)], tagId: null },
		]);
		expect(wrongIn("alone: { exactly: [1 of nothing] }", unread)).toEqual([["tag", "nothing", []]]);
		expect(wrongIn("by: [nothing]", unread)).toEqual([["policy", "nothing", []]]);
	});

	it("that is wrong comes with all names that it could be", () => {
		const [wrong] = resolved("alone: { exactly: [nobody] }", access, { head: "given: { users: { new: [] } }" }).wrong;
		expect(wrong?.known).toEqual(["new", "al", "gone", "Alice", "Bob", "Twin"]);
		expect(resolved("alone: { exactly: [1 of x] }").wrong[0]?.known).toEqual(["signers", "same"]);
		expect(resolved("by: [x]").wrong[0]?.known).toEqual(["two", "any"]);
	});
});

describe("A tag and a policy of a case", () => {
	it("are found by name, or by id in any case", () => {
		const members = [{ count: 1, of: [alice, bob], tagId: signers }];
		expect(resolved("alone: { exactly: [1 of signers] }").sets).toEqual(members);
		expect(resolved(`alone: { exactly: [1 of ${signers.toUpperCase()}] }`).sets).toEqual(members);
		expect(wrongIn("alone: { exactly: [1 of same] }")).toEqual([["tag", "same", [approvers, id("tag", 3)]]]);
		expect(resolved("alone: { exactly: [1 of same] }").sets).toEqual([]);
		expect(resolved(`by: [any, ${two.id.toUpperCase()}]`).by).toEqual([two.id, any.id]);
		expect(resolved("alone: { exactly: [] }").by).toBeNull();
		const misleading = { ...names, policyNames: { [two.id]: "two", [any.id]: two.id } };
		expect(wrongIn(`by: [${two.id}]`, access, { more: misleading })).toEqual([["policy", two.id, [two.id, any.id]]]);
		expect(resolved("by: [two]", { ...access, policies: unknown })).toMatchObject({ by: [], wrong: [] });
	});

	it("have no member whose tags are not known", () => {
		const users = access.users.known ? access.users.value : [];
		const hidden = {
			...access,
			users: { known: true, value: users.map((one) => (one.id === bob ? { ...one, tagIds: unknown } : one)) },
		} as const;
		expect(resolved("alone: { exactly: [1 of signers] }", hidden).sets).toEqual([
			{ count: 1, of: [alice], tagId: signers },
		]);
	});
});

describe("A user that does not exist yet", () => {
	it("has its tags, sorted and each once, and nothing else that is known", () => {
		const head = `given: { users: { zoe: [${approvers}, signers, signers], abe: [nothing] } }`;
		const { access: found, wrong, sets } = resolved("alone: { exactly: [zoe] }", access, { head });
		const notMade = { known: false, because: { kind: "not-made-yet" } };
		const users = found.users.known ? found.users.value : [];
		expect(users.map((user) => user.id)).toEqual([alice, bob, carol, dave, "abe", "zoe"].toSorted());
		expect(users.find((user) => user.id === "zoe")).toEqual({
			...{ id: "zoe", tagIds: { known: true, value: [signers, approvers] }, email: notMade, credentials: notMade },
		});
		expect(wrong.map(({ of, text }) => [of, text])).toEqual([["tag", "nothing"]]);
		expect(sets).toEqual([{ count: 1, of: ["zoe"], tagId: null }]);
		expect(resolved("alone: { exactly: [] }").access).toBe(access);
		const unread = { ...access, users: unknown };
		expect(resolved("alone: { exactly: [zoe] }", unread, { head: "given: { users: { zoe: [] } }" }).access).toBe(
			unread,
		);
	});

	it("must not have the name of a user, by alias or live name", () => {
		const wrongOf = (name: string) =>
			wrongIn("alone: { exactly: [] }", access, { head: `given: { users: { ${name}: [] } }` });
		expect([wrongOf("al"), wrongOf("Twin"), wrongOf("new")]).toEqual([
			...[[["given", "al", [alice]]], [["given", "Twin", [carol, dave]]], []],
		]);
	});
});

describe("What a case needs to be known", () => {
	const users = access.users.known ? access.users.value : [];
	const hidden = {
		...access,
		users: { known: true, value: users.map((one) => ({ ...one, tagIds: unknown })) },
	} as const;

	it("is who has a tag where it names one", () => {
		expect(judgeOne("power: export, never: [1 of signers]", hidden)).toBe("unknown; unjudged not-read");
		expect(judgeOne("power: export, never: [alice]", hidden)).toBe("passed");
	});

	it("is the root quorum where it counts", () => {
		const [found] = judgeFile("tests: [{ name: it, power: sign, alone: { exactly: [] } }]", {
			...accessOf({}, []),
			rootQuorum: unknown,
		}).cases;
		expect(found?.findings[0]).toMatchObject({ state: "unknown", because: { kind: "not-read" }, clauses: [] });
	});
});

describe("What is found of a case", () => {
	const found = (says: string, of: AccessState, head = "rootQuorum: aside") =>
		judgeFile(`${head}\ntests: [{ name: it, ${says} }]`, of).cases[0]?.findings ?? [];
	const small = { ...any, condition: `${condition.sign} && eth.tx.value < 5` };
	const large = { ...two, consensus: anyOf(signers), condition: `${condition.sign} && eth.tx.value > 9` };

	it("has the activities for which it is so, with an example, and no example where the case has fields", () => {
		const [one] = found("power: sign, alone: { never: [dave] }", accessOf({ approvers: ["dave"] }, [small]));
		expect(one).toMatchObject({ condition: "eth.tx.value < 5", because: null });
		expect(one?.example?.where).toContain("eth.tx.value");
		expect(one).not.toHaveProperty("at");
		const where = "activity: { kind: SIGN_TRANSACTION, where: { eth.tx.value: 3 } }";
		const [other] = found(`${where}, alone: { never: [dave] }`, accessOf({ approvers: ["dave"] }, [small]));
		expect(other).toMatchObject({ found: "can", userIds: [dave] });
		expect(other).not.toHaveProperty("example");
	});

	it("is said once where several conditions give the same", () => {
		const both = accessOf({ signers: ["dave"], approvers: ["dave"] }, [small, large]);
		const findings = found("power: sign, alone: { never: [dave] }", both);
		expect(findings.length).toBeGreaterThan(0);
		expect(new Set(findings.map(({ group }) => JSON.stringify(group))).size).toBe(findings.length);
	});

	it("has the time at which it is so where others are another way, in brackets what holds together", () => {
		const night = { ...any, time: "CronSpan('0 22 * * *', '4h', 'UTC')" };
		const [first] = found("power: sign, alone: { never: [dave] }", accessOf({ approvers: ["dave"] }, [night]));
		expect(first?.at).toBe("2026-11-27T22:00:00.000Z");
		const about = { ...night, condition: condition.export };
		const [other] = found("power: sign, alone: { never: [dave] }", accessOf({ approvers: ["dave"] }, [any, about]));
		expect(other).not.toHaveProperty("at");
	});

	it("is about a user's own credentials alone where the case says so", () => {
		const policy = policyOf(3, { effect: "EFFECT_DENY", condition: "activity.resource == 'CREDENTIAL'" });
		const own = "power: ownCredentials, never: [alice]";
		expect(found(own, accessOf({}, [])).map(({ state }) => state)).toEqual(
			found(own, accessOf({}, [])).map(() => "failed"),
		);
		expect(found(own, accessOf({}, [policy])).every(({ state }) => state !== "failed")).toBe(true);
	});
});

it("What was assumed of policies is listed once for all that was judged", () => {
	const judge = new CaseJudge(access, 0, false);
	expect(judge.assumptions()).toEqual([]);
	judge.survey({ groups: [{ resource: "PRIVATE_KEY", action: "SIGN" } as never], isOwn: false, text: "sign" });
	expect(judge.assumptions()).toEqual(judge.assumptions());
});
