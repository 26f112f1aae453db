/** Access cases, judged: what holds, what does not, and what is unknown. */
import { describe, expect, test } from "vitest";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
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
import { judgeFile, judgeOne, nowMs, shortly } from "./support.ts";

const two = policyOf(1, { name: "two signers", consensus: twoOf(signers), condition: condition.sign });
const any = policyOf(2, { name: "approvers", consensus: anyOf(approvers), condition: condition.sign });
const members = { signers: ["alice", "bob", "carol"], approvers: ["dave"] } as const;
const pair = accessOf(members, [two]);
const both = accessOf(members, [two, any]);

describe("a list of users who can alone", () => {
	test("holds exactly where these and no others can", () => {
		expect(judgeOne("power: sign, alone: { exactly: [dave] }", both)).toBe("passed");
		expect(judgeOne("power: sign, alone: { exactly: [] }", pair)).toBe("passed");
		expect(judgeOne("power: sign, alone: { exactly: [] }", both)).toBe("failed; alone.exactly can dave");
		expect(judgeOne("power: sign, alone: { exactly: [dave, alice] }", both)).toBe("failed; alone.exactly cannot alice");
	});

	test("holds at least where these can, and never where none of them can", () => {
		expect(judgeOne("power: sign, alone: { atLeast: [dave], never: [alice, bob] }", both)).toBe("passed");
		expect(judgeOne("power: sign, alone: { atLeast: [bob] }", both)).toBe("failed; alone.atLeast cannot bob");
		expect(judgeOne("power: sign, alone: { never: [dave] }", both)).toBe("failed; alone.never can dave");
	});

	test("takes each member of a tag", () => {
		expect(judgeOne("power: sign, alone: { exactly: [1 of approvers], never: [1 of signers] }", both)).toBe("passed");
		expect(judgeOne("power: sign, alone: { atLeast: [1 of signers] }", both)).toBe(
			"failed; alone.atLeast cannot alice; alone.atLeast cannot bob; alone.atLeast cannot carol",
		);
	});

	test("fails where a tag lost its members, except where it says what they cannot", () => {
		const left = accessOf({ signers: [], approvers: ["alice"] }, [two]);
		const fails = (mode: string): string => `failed; alone.${mode} too-few signers`;
		expect(judgeOne("power: sign, alone: { atLeast: [1 of signers] }", left)).toBe(fails("atLeast"));
		expect(judgeOne("power: sign, alone: { exactly: [1 of signers] }", left)).toBe(fails("exactly"));
		expect(judgeOne("power: sign, alone: { never: [1 of signers] }, never: [1 of signers]", left)).toBe("passed");
	});

	test("does not give the root quorum as the reason where it is aside, or where the user is not in it", () => {
		const access = accessOf(members, [], { threshold: 1, userIds: [dave] });
		const clausesOf = (head: string, user: string) =>
			judgeFile(`${head}tests: [{ name: own, power: ownCredentials, never: [${user}] }]`, access).cases.map(
				({ findings: [first] }) => first?.clauses.map(({ policyId }) => policyId),
			);
		expect(clausesOf("", "dave")).toEqual([[null]]);
		expect(clausesOf("", "alice")).toEqual([[]]);
		expect(clausesOf("rootQuorum: aside\n", "dave")).toEqual([[]]);
	});

	test("is about a user's own credentials where the request of its body names that user", () => {
		const says = "activity: { body: own.json }, alone: { exactly: [alice] }, never: [bob]";
		const body = { type: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS", parameters: { userId: alice } };
		const judged = judgeFile(`tests: [{ name: it, ${says} }]`, pair, { "own.json": JSON.stringify(body) });
		expect(judged.cases.map(shortly)).toEqual(["passed"]);
	});

	test("counts the root quorum unless it is aside", () => {
		const root = accessOf(members, [two], { threshold: 1, userIds: [dave] });
		expect(judgeOne("power: sign, alone: { exactly: [] }", root)).toBe("passed");
		expect(judgeOne("power: sign, alone: { exactly: [] }", root, "")).toBe("failed; alone.exactly can dave");
	});
});

describe("a list of sets that can together", () => {
	test("survives a change of staff where it names a tag", () => {
		const says = "power: sign, together: { exactly: [2 of signers] }";
		expect(judgeOne(says, pair)).toBe("passed");
		expect(judgeOne(says, accessOf({ signers: ["bob", "dave"] }, [two]))).toBe("passed");
		expect(judgeOne(says, accessOf({ signers: ["bob"] }, [two]))).toBe("failed; together.exactly too-few bob+signers");
	});

	test("names people in brackets", () => {
		const says = "power: sign, together: { exactly: [[alice, bob], [alice, carol], [bob, carol]] }";
		expect(judgeOne(says, pair)).toBe("passed");
		expect(judgeOne("power: sign, together: { exactly: [[alice, bob]] }", pair)).toBe(
			"failed; together.exactly can alice+carol",
		);
		expect(judgeOne("power: sign, together: { atLeast: [[alice, bob], [bob, dave]] }", pair)).toBe(
			"failed; together.atLeast cannot bob+dave",
		);
	});

	test("has each user once, by whatever name", () => {
		expect(judgeOne(`power: sign, together: { exactly: [[alice, ${alice}]] }`, pair)).toMatch(
			/^failed; together.exactly cannot alice; /,
		);
		expect(judgeOne(`power: sign, together: { never: [[alice, ${alice}]] }`, pair)).toBe("passed");
	});

	test("has a user who can alone only where `alone` says so", () => {
		expect(judgeOne("power: sign, together: { exactly: [2 of signers] }", both)).toBe(
			"failed; together.exactly can dave",
		);
		expect(judgeOne("power: sign, alone: { exactly: [dave] }, together: { exactly: [2 of signers] }", both)).toBe(
			"passed",
		);
		expect(judgeOne("power: sign, alone: { never: [dave] }, together: { exactly: [2 of signers] }", both)).toBe(
			"failed; alone.never can dave; together.exactly can dave",
		);
		expect(judgeOne("power: sign, alone: { exactly: [dave] }, together: { exactly: [[alice, bob]] }", both)).toBe(
			"failed; together.exactly can alice+carol",
		);
	});

	test("never has a set that is enough without others", () => {
		expect(judgeOne("power: sign, together: { never: [[alice, dave], 1 of signers] }", pair)).toBe("passed");
		expect(judgeOne("power: sign, together: { never: [[alice, bob, dave]] }", pair)).toBe(
			"failed; together.never can alice+bob",
		);
		expect(judgeOne("power: sign, together: { never: [2 of signers] }", pair)).toBe(
			"failed; together.never can alice+bob",
		);
	});
});

test("a user who can never do it takes part in no set, also not with others", () => {
	expect(judgeOne("power: sign, never: [dave]", pair)).toBe("passed");
	expect(judgeOne("power: sign, never: [dave, alice]", pair)).toBe("failed; never takesPart alice");
});

describe("the policies that decide", () => {
	const no = policyOf(3, {
		name: "not bob",
		effect: "EFFECT_DENY",
		consensus: onlyUser(bob),
		condition: condition.sign,
	});
	const idle = policyOf(4, {
		name: "idle",
		effect: "EFFECT_DENY",
		consensus: onlyUser(dave),
		condition: condition.sign,
	});

	test("are those that let some users do it, and those that deny it to some", () => {
		expect(judgeOne("power: sign, by: [two signers]", pair)).toBe("passed");
		expect(judgeOne("power: sign, by: [two signers]", both)).toBe(`failed; by decides ${any.id}`);
		const denied = accessOf(members, [two, no]);
		expect(judgeOne("power: sign, by: [two signers, not bob]", denied)).toBe("passed");
		expect(judgeOne("power: sign, by: [two signers]", denied)).toBe(`failed; by decides ${no.id}`);
		// It denies what no policy would let dave do anyway.
		expect(judgeOne("power: sign, by: [idle]", accessOf(members, [idle]))).toBe("passed");
	});

	test("are not those that another denies as a whole, or that are about other activities", () => {
		const never = policyOf(4, { name: "never", effect: "EFFECT_DENY", condition: condition.sign });
		const access = accessOf(members, [two, never]);
		expect(judgeOne("power: sign, by: [never]", access)).toBe("passed");
		expect(judgeOne("power: sign, by: [two signers, never]", access)).toBe(`failed; by does-not-decide ${two.id}`);
		expect(judgeOne("power: wallets, by: [two signers]", pair)).toBe(`failed; by does-not-decide ${two.id}`);
	});

	test("are none where only the root quorum can", () => {
		expect(judgeOne("power: export, by: []", pair)).toBe("passed");
	});
});

describe("a case about some activities", () => {
	const small = policyOf(1, {
		consensus: anyOf(signers),
		condition: `${condition.sign} && eth.tx.value < 2000000000000000000`,
	});
	const access = accessOf({ signers: ["alice"] }, [small]);
	const above = (value: string): string =>
		judgeOne(
			`activity: { kind: SIGN_TRANSACTION, where: { eth.tx.value: ${value} } }, alone: { exactly: [alice] }`,
			access,
		);

	test("reads whole numbers of any size from the text", () => {
		expect(above("1999999999999999999")).toBe("passed");
		expect(above("2000000000000000000")).toBe("failed; alone.exactly cannot alice");
	});

	test("holds only where it holds for each of them", () => {
		const says = "power: sign, alone: { exactly: [] }";
		const { cases } = judgeFile(`rootQuorum: aside\ntests: [{ name: it, ${says} }]`, access);
		expect(cases.map(shortly)).toEqual(["failed; alone.exactly can alice"]);
		expect(cases[0]?.findings[0]).toMatchObject({
			condition: "eth.tx.value < 2000000000000000000",
			example: { type: "ACTIVITY_TYPE_ETH_SEND_TRANSACTION", where: "eth.tx.value == 1999999999999999999" },
		});
		expect(judgeOne("power: sign, alone: { atLeast: [alice] }", access)).toBe("failed; alone.atLeast cannot alice");
	});

	test("knows by null that the activity lacks a field", () => {
		expect(judgeOne("activity: { kind: SIGN_RAW_PAYLOAD, where: { eth: null } }, alone: { exactly: [] }", access)).toBe(
			"passed",
		);
	});

	test("takes a request as its body", () => {
		const body = JSON.stringify({ type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", where: "eth.tx.value == 5" });
		const yaml = "tests: [{ name: it, activity: { body: b.json }, alone: { atLeast: [alice] } }]";
		expect(judgeFile(yaml, access, { "b.json": body }).cases.map(shortly)).toEqual(["passed"]);
	});
});

describe("a case without a time", () => {
	const night = policyOf(1, {
		consensus: anyOf(approvers),
		condition: condition.sign,
		time: "CronSpan('0 22 * * *', '4h', 'UTC')",
	});
	const access = accessOf(members, [two, night]);

	test("is judged at each of a hundred ends of windows, and unknown where more combinations occur than are tried", () => {
		const lasting = (days: number) => `time.now < Timestamp('${new Date(nowMs + days * 86_400_000).toISOString()}')`;
		const ending = (count: number) =>
			Array.from({ length: count }, (_, index) =>
				policyOf(index + 1, { consensus: anyOf(approvers), condition: condition.sign, time: lasting(1 + index / 4) }),
			);
		const daveAlone = "power: sign, alone: { exactly: [dave] }";
		expect(judgeOne(daveAlone, accessOf(members, ending(100)))).toBe("failed; alone.exactly cannot dave");
		const always = policyOf(0, { consensus: anyOf(approvers), condition: condition.sign });
		expect(judgeOne(daveAlone, accessOf(members, [always, ...ending(100)]))).toBe("passed");
		expect(judgeOne(daveAlone, accessOf(members, [always, ...ending(200)]))).toBe("unknown; unjudged too-many-windows");
	});

	test("holds at all times, whatever windows are open", () => {
		const { cases } = judgeFile(
			"rootQuorum: aside\ntests: [{ name: it, power: sign, alone: { exactly: [] } }]",
			access,
		);
		expect(cases.map(shortly)).toEqual(["failed; alone.exactly can dave"]);
		expect(cases[0]?.findings[0]?.at).toBe("2026-11-27T22:00:00.000Z");
		expect(judgeOne("power: export, alone: { exactly: [] }", access)).toBe("passed");
	});

	test("holds at its time where it has one", () => {
		const at = (time: string): string => judgeOne(`power: sign, at: "${time}", alone: { exactly: [dave] }`, access);
		expect(at("2026-12-25T23:00:00Z")).toBe("passed");
		expect(at("2026-12-25T12:00:00Z")).toBe("failed; alone.exactly cannot dave");
		expect(new Date(nowMs).getUTCHours()).toBe(12);
	});
});

describe("what is unknown", () => {
	const opaque = policyOf(2, { consensus: "approvers.shuffle() == 1", condition: condition.sign });
	const unread = (part: Partial<AccessState>): AccessState => ({ ...pair, ...part });
	const because = { kind: "not-asked" } as const;

	test("never passes, and names the policy or the read", () => {
		expect(judgeOne("power: sign, alone: { exactly: [] }", accessOf(members, [two, opaque]))).toMatch(
			/^unknown; alone.exactly can alice policy/,
		);
		expect(judgeOne("power: sign, alone: { exactly: [] }", unread({ policies: { known: false, because } }))).toBe(
			"unknown; unjudged not-read",
		);
		expect(judgeOne("power: sign, alone: { exactly: [] }", unread({ users: { known: false, because } }))).toBe(
			"unknown; unjudged not-read",
		);
		const noRoot = unread({ rootQuorum: { known: false, because } });
		expect(judgeOne("power: sign, alone: { exactly: [] }", noRoot, "")).toMatch(
			/^unknown; alone.exactly can alice not-read/,
		);
		expect(judgeOne("power: sign, alone: { exactly: [] }", noRoot)).toBe("passed");
		expect(judgeOne("power: sign, together: { atLeast: [2 of signers] }", noRoot, "")).toBe("passed");
	});

	test("are sets of which a policy that is not understood may let some do it, or keep some from it", () => {
		const maybe = accessOf(members, [two, opaque]);
		expect(judgeOne("power: sign, together: { exactly: [2 of signers] }", maybe)).toBe(
			"unknown; together.exactly can alice policy",
		);
		expect(judgeOne("power: sign, together: { never: [[alice, dave]] }", maybe)).toBe(
			"unknown; together.never can alice policy",
		);
		expect(judgeOne("power: sign, never: [dave, alice]", maybe)).toBe(
			"unknown; never takesPart alice policy; never takesPart dave policy",
		);
		// If the policy applies, alice is enough alone; else bob takes part.
		const forAlice = { ...opaque, consensus: `approvers.any(u, u.id == '${alice}' && u.alias == 'x')` };
		const neverBob = (...policies: readonly AccessPolicy[]): string =>
			judgeOne("power: sign, never: [bob]", accessOf({ signers: ["alice", "bob"] }, policies));
		expect([neverBob(two, forAlice), neverBob(forAlice)]).toEqual(["unknown; never takesPart bob policy", "passed"]);
		// Nor does one take part whom a policy surely denies.
		const fence = policyOf(3, { effect: "EFFECT_DENY", consensus: anyOf(signers), condition: condition.credentials });
		expect(judgeOne("power: ownCredentials, never: [1 of signers]", accessOf(members, [fence]))).toBe("passed");
		const denying = accessOf(members, [two, { ...opaque, effect: "EFFECT_DENY" }]);
		expect(judgeOne("power: sign, together: { atLeast: [2 of signers] }", denying)).toBe(
			"unknown; together.atLeast cannot alice+bob policy",
		);
		expect(judgeOne("power: sign, alone: { atLeast: [bob] }", maybe)).toBe("unknown; alone.atLeast cannot bob policy");
	});

	test("is whether a policy decides that is not understood, or that one may deny", () => {
		expect(judgeOne("power: sign, by: [two signers]", accessOf(members, [two, opaque]))).toBe(
			`unknown; by decides ${opaque.id} policy`,
		);
		expect(judgeOne(`power: sign, by: [two signers, ${opaque.id}]`, accessOf(members, [two, opaque]))).toBe(
			`unknown; by does-not-decide ${opaque.id} policy`,
		);
		const denying = accessOf(members, [two, { ...opaque, effect: "EFFECT_DENY" }]);
		expect(judgeOne(`power: sign, by: [two signers, ${opaque.id}]`, denying)).toBe(
			`unknown; by does-not-decide ${two.id} policy; by does-not-decide ${opaque.id} policy`,
		);
	});

	test("is not failed where something else of the case fails", () => {
		const access = accessOf(members, [two, any, opaque]);
		expect(judgeOne("power: sign, alone: { exactly: [] }", access)).toMatch(/^failed; .*can dave/);
	});

	test("is behind what fails, of which the first 20 are kept and the rest counted", () => {
		const maybe = policyOf(4, { consensus: "approvers.shuffle() == 1", condition: condition.export });
		const access = accessOf(members, [two, any, maybe]);
		const yaml = "rootQuorum: aside\ntests: [{ name: it, activity: { power: moveFunds }, alone: { exactly: [] } }]";
		const [found] = judgeFile(yaml, accessOf(members, [any, opaque])).cases;
		const states = found?.findings.map(({ state }) => state) ?? [];
		expect(found?.verdict).toBe("failed");
		expect(states).toEqual(states.toSorted());
		expect([states.length, found?.more]).toEqual([20, 40]);
		expect(judgeOne("power: export, alone: { exactly: [] }", access)).toMatch(/^unknown; /);
	});

	test("holds where it makes no difference", () => {
		const access = accessOf(members, [two, opaque]);
		expect(judgeOne("power: sign, together: { atLeast: [2 of signers] }", access)).toBe("passed");
	});
});

describe("users that do not exist yet", () => {
	test("have the tags that the file gives them", () => {
		const yaml = `
rootQuorum: aside
given: { users: { newcomer: [signers], guest: [] } }
tests:
  - { name: one, power: sign, never: [guest] }
  - { name: two, power: sign, never: [newcomer] }`;
		expect(judgeFile(yaml, pair).cases.map(shortly)).toEqual(["passed", "failed; never takesPart newcomer"]);
	});

	test("need a name that no user has", () => {
		const yaml = "given: { users: { bob: [] } }\ntests: [{ name: it, power: sign, never: [bob] }]";
		expect(judgeFile(yaml, pair).wrong).toMatchObject([{ of: "given", text: "bob", at: { line: 1, column: 19 } }]);
	});
});

test("names of nothing are found with their places", () => {
	const yaml = `tests:
  - name: it
    power: sign
    alone: { exactly: [alise] }
    together: { exactly: [2 of singers] }
    by: [two signers, three]`;
	expect(judgeFile(yaml, pair).wrong).toMatchObject([
		{ of: "user", text: "alise", at: { line: 4, column: 24 }, path: "tests[0].alone.exactly[0]" },
		{ of: "tag", text: "singers", at: { line: 5, column: 27 } },
		{ of: "policy", text: "three", at: { line: 6, column: 23 } },
	]);
});
