/** Powers at their edges: what is not known, what is too much to search, and how a part in a power is shown. */

import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import { explainPower as explainAsked } from "../../../src/policy/powers/explain-power.ts";
import { type ActivityGroup, printGroup } from "../../../src/policy/powers/groups.ts";
import type { GroupPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { narrowToTag } from "../../../src/policy/powers/select-powers.ts";
import { explainPower, findPower, findPowers } from "../in-words.ts";
import { abilityByPolicies } from "../support-access.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const unread = (because: string): Known<never> => ({ known: false, because: { kind: "stated", text: because } });
const atMs = Date.parse("2026-06-01T12:00:00Z");
const sign: ActivityGroup = { resource: "PRIVATE_KEY", action: "SIGN" };

function user(id: string, tags: readonly string[] = []): AccessUser {
	const credential = { id: null, type: "API", credentialId: null, publicKey: id };
	return { id, tagIds: known(tags), email: known(null), credentials: known([credential]) };
}

let count = 0;
function policy(effect: "ALLOW" | "DENY", consensus: string, condition: string): AccessPolicy {
	count += 1;
	return { id: `p${count}`, name: "", effect: `EFFECT_${effect}`, consensus, condition, time: "" };
}
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const allow = (consensus: string, condition = signing) => policy("ALLOW", consensus, condition);
const deny = (consensus: string, condition = signing) => policy("DENY", consensus, condition);
const is = (...ids: readonly string[]): string => ids.map((id) => `approvers.any(u, u.id == '${id}')`).join(" && ");

const people = [user("a", ["A"]), user("b", ["A", "B"]), user("c", ["B"]), user("d")];
const accessOf = (policies: readonly AccessPolicy[], parts: Partial<AccessState> = {}): AccessState => ({
	users: known(people),
	policies: known(policies),
	rootQuorum: known({ threshold: 2, userIds: ["c", "d"] }),
	...parts,
});
const powerOf = (policies: readonly AccessPolicy[], parts: Partial<AccessState> = {}, group = sign): GroupPower =>
	findPower(prepareAccess(accessOf(policies, parts), atMs), group);

const noUsers = { users: unread("users are not shown") };
const noPolicies = { policies: unread("policies are not shown") };
const noRoot = { rootQuorum: unread("the root quorum is not shown") };

describe("Why a power is not known", () => {
	it("is that policies, users or the root quorum could not be read, in this order", () => {
		expect(powerOf([], { ...noPolicies, ...noUsers, ...noRoot }).unknown).toBe("policies are not shown");
		expect(powerOf([allow(is("a"))], { ...noUsers, ...noRoot }).unknown).toBe("users are not shown");
		expect(powerOf([allow(is("a"))], noRoot).unknown).toBe("the root quorum is not shown");
		expect(powerOf([allow(is("a"))]).unknown).toBe(null);
	});

	it("is not that users could not be read where no policy is about it", () => {
		expect(powerOf([], noUsers).unknown).toBe(null);
		expect(powerOf([allow(is("a"), "activity.resource == 'WALLET'")], noUsers).unknown).toBe(null);
	});

	it("is a policy that is not understood only where it makes a difference", () => {
		const open = "approvers.any(u, u.id";
		expect(powerOf([allow(open)]).unknown).toContain("the consensus is not understood");
		expect(powerOf([allow("true"), allow(open)]).unknown).toBe(null);
		expect(powerOf([deny(open)]).unknown).toBe(null);
		expect(powerOf([allow("true"), deny(open)]).unknown).toContain("the consensus is not understood");
		expect(powerOf([allow("true"), allow(open)], noRoot).unknown).toBe("the root quorum is not shown");
		const when = `${signing} && eth.tx.to == 'x'`;
		expect(powerOf([allow("true"), allow(open), deny(is("b"), when)]).unknown).toBe(null);
		expect(powerOf([allow(open), allow("true", when)]).unknown).toContain("the consensus is not understood");
		const maybe = allow(`${is("a")} && approvers.any(u, u.alias == 'al')`);
		expect(powerOf([allow(is("a")), maybe, allow(is("b"), when)]).unknown).toBe(null);
		expect(powerOf([allow(is("b")), maybe]).unknown).toContain("no read shows `user.alias`");
		// It can make one only where the condition holds.
		expect(powerOf([allow(open, `${signing} && eth.tx.to == 'x'`)]).unknown).toContain("not understood");
	});

	it("names what a condition names that is no name of a condition", () => {
		expect(powerOf([allow(is("a"), `${signing} && approvers.count() > 1`)]).unknown).toMatch(
			/^policy p\d+: the condition is not understood: `approvers` is a name of consensus, not of condition$/,
		);
	});
});

describe("Users to whom a power is denied", () => {
	it("are those whom a policy denies with any other approvers, and always", () => {
		expect(powerOf([deny(is("a"))]).denied).toEqual(["a"]);
		expect(powerOf([deny("true")]).denied).toEqual(["a", "b", "c", "d"]);
		expect(powerOf([deny("approvers.any(u, u.tags.contains('B'))")]).denied).toEqual(["b", "c"]);
		expect(powerOf([deny(is("a"), `${signing} && eth.tx.to == 'x'`)]).denied).toEqual([]);
	});

	it("are not those who are denied only together, or only alone", () => {
		expect(powerOf([deny(is("a", "b"))]).denied).toEqual([]);
		expect(powerOf([deny("approvers.count() <= 1")]).denied).toEqual([]);
		expect(powerOf([deny("approvers.count() <= 1"), deny("approvers.count() >= 2")]).denied).toEqual([
			"a",
			"b",
			"c",
			"d",
		]);
		expect(
			powerOf([deny(`${is("a")} && approvers.count() <= 1`), deny(`${is("a")} && approvers.count() >= 2`)]).denied,
		).toEqual(["a"]);
	});
});

describe("Members of the root quorum who have no other part", () => {
	it("are those whom no policy could give one, under any condition", () => {
		expect(powerOf([]).rootQuorumOnly).toEqual(["c", "d"]);
		expect(powerOf([allow(is("c"))]).rootQuorumOnly).toEqual(["d"]);
		expect(powerOf([allow(is("c", "d"))]).rootQuorumOnly).toEqual([]);
		expect(powerOf([allow(is("c"), `${signing} && eth.tx.to == 'x'`)]).rootQuorumOnly).toEqual(["d"]);
		expect(powerOf([allow("true"), deny(is("c"))]).rootQuorumOnly).toEqual(["c"]);
		expect(powerOf([allow("true"), deny(is("c"), `${signing} && eth.tx.to == 'x'`)]).rootQuorumOnly).toEqual([]);
	});

	it("are none where policies or the root quorum are not known", () => {
		expect([powerOf([], noPolicies).rootQuorumOnly, powerOf([], noRoot).rootQuorumOnly]).toEqual([[], []]);
	});
});

describe("Policies that are too complex to judge", () => {
	// Each user of one half with a user of the other, in many ways: more sets than are searched.
	const many = Array.from({ length: 60 }, (_, index) => user(`u${String(index).padStart(2, "0")}`));
	const either = (index: number): string => `(${is(`u${index + 10}`)} || ${is(`u${index + 35}`)})`;
	const all = Array.from({ length: 25 }, (_, index) => either(index)).join(" && ");
	const tooMuch = [allow(all), deny(Array.from({ length: 25 }, (_, index) => `!${either(index)}`).join(" || "))];
	const users = { users: known(many) };

	it("leave the root quorum, and say why nothing more is known", () => {
		const rootQuorum = known({ threshold: 1, userIds: ["u00"] });
		const power = powerOf(tooMuch, { ...users, rootQuorum });
		expect(power.alone).toEqual(["u00"]);
		expect(power.unknown).toMatch(/^policies are too complex to judge together: /);
		expect([power.rootQuorumOnly, power.denied, power.conditions, power.conditional]).toEqual([[], [], [], []]);
		expect(power.policyIds).toEqual(tooMuch.map(({ id }) => id));
	});

	it("are no one's power by themselves", () => {
		expect(abilityByPolicies(accessOf(tooMuch, users), sign, atMs)).toEqual({
			...{ alone: [], together: [], thresholds: [], isComplete: true },
		});
		expect(abilityByPolicies(accessOf([allow(is("a"))]), sign, atMs).alone).toEqual(["a"]);
		expect(abilityByPolicies(accessOf([]), sign, atMs).thresholds).toEqual([]);
	});
});

describe("The part of a user in a power", () => {
	const explain = (policies: readonly AccessPolicy[], userId: string, parts: Partial<AccessState> = {}) =>
		explainPower(accessOf(policies, parts), sign, userId, atMs);

	it("is one with others also where there are more sets than are written", () => {
		const many = Array.from({ length: 60 }, (_, index) =>
			user(`u${String(index).padStart(2, "0")}`, index < 55 ? ["T"] : []),
		);
		const three = "approvers.filter(u, u.tags.contains('T')).count() >= 3";
		const parts = { users: known(many), rootQuorum: known({ threshold: 1, userIds: [] }) };
		const of = (userId: string) => {
			const { verdict, policies, thresholds } = explain([allow(three)], userId, parts);
			return [verdict, policies[0]?.applies, policies[0]?.missingTagIds, thresholds.length];
		};
		// The last of the users who have the tag is in none of the first thousand sets.
		expect(of("u54")).toEqual(["together", "together", [], 1]);
		expect(of("u59")).toEqual(["no", "others", ["T"], 0]);
	});

	it("is one with others in a larger set that comes behind all that are written", () => {
		const id = (index: number): string => `u${String(index).padStart(2, "0")}`;
		const many = Array.from({ length: 50 }, (_, index) => user(id(index), index < 40 ? ["T"] : []));
		const parts = { users: known(many), rootQuorum: known({ threshold: 1, userIds: [] }) };
		const three = "approvers.filter(u, u.tags.contains('T')).count() >= 3";
		const either = allow(`${three} || ${is(id(45), id(46), id(47), id(48))}`);
		const applies = (index: number) => explain([either], id(index), parts).policies[0]?.applies;
		expect([applies(0), applies(45), applies(48), applies(49)]).toEqual(["together", "together", "together", "others"]);
	});

	it("is none in sets that are larger than what some of them need", () => {
		const three = allow(["a", "b", "c", "d"].map((id) => `u.id == '${id}'`).join(" || "));
		const anyThree = { ...three, consensus: `approvers.filter(u, ${three.consensus}).count() >= 3` };
		const of = (userId: string) => explain([allow(is("a")), allow(is("b")), anyThree], userId);
		expect([of("c").verdict, of("d").verdict]).toEqual(["root-quorum", "root-quorum"]);
		expect(powerOf([allow(is("a")), allow(is("b")), anyThree]).thresholds.length).toBe(3);
	});

	it("is that of the root quorum where the credentials are another user's own", () => {
		const group = { type: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS" };
		const of = (userId: string) => explainAsked({ access: accessOf([]), group, ownerId: "c", atMs }, userId).verdict;
		expect(["a", "c", "d"].map(of)).toEqual(["no", "alone", "root-quorum"]);
		// A policy about other activities of credentials has to end too.
		const until = (day: number) => ({ time: `time.now < Timestamp('2026-06-0${day}T00:00:00Z')` });
		const about = (action: string) => `activity.resource == 'CREDENTIAL' && activity.action == '${action}'`;
		const policies = [
			{ ...deny(is("a"), ""), ...until(2) },
			{ ...allow(is("d"), about("UPDATE")), ...until(3) },
		];
		expect(explainAsked({ access: accessOf(policies), group, ownerId: "a", atMs }, "a").later).toEqual({
			...{ at: "2026-06-03T00:00:00.000Z", verdict: "alone" },
		});
	});

	it("is denied to a member of a root quorum that is out of reach", () => {
		const of = (threshold: number) =>
			explain([deny(is("c"))], "c", { rootQuorum: known({ threshold, userIds: ["c", "d"] }) }).verdict;
		expect([of(1), of(2), of(3)]).toEqual(["alone", "root-quorum", "denied"]);
	});

	it("is not known of a user who may be enough alone where something is not understood, and of those who then add nothing", () => {
		const open = allow("approvers.any(u, u.id == 'c' && u.alias == 'x')");
		const of = (userId: string) => explain([allow(is("a", "b")), open], userId).verdict;
		expect(["a", "b", "c", "d", "e"].map(of)).toEqual(["together", "together", "unknown", "unknown", "no"]);
	});

	it("is not known where the root quorum is not, unless a policy gives it to the user alone", () => {
		const of = (...policies: readonly AccessPolicy[]) => explain(policies, "c", noRoot).verdict;
		expect([of(), of(deny(is("c"))), of(allow(is("c"))), of(allow(is("a", "c")))]).toEqual([
			...["unknown", "unknown", "alone", "unknown"],
		]);
	});

	it("lacks the tags that the thresholds without the user count, each once, and no user", () => {
		const consensus = "approvers.any(u, u.tags.contains('A')) && approvers.any(u, u.tags.contains('B'))";
		const [found] = explain([allow(consensus)], "d").policies;
		expect([...(found?.missingTagIds ?? [])].sort()).toEqual(["A", "B"]);
		const [named] = explain([allow(is("a"))], "d").policies;
		expect(named?.missingTagIds).toEqual([]);
		const [some] = explain([allow(consensus)], "a").policies;
		expect(some?.missingTagIds).toEqual(["B"]);
	});

	it("is with a policy: alone, together, partly, for others, or never", () => {
		const when = `${signing} && eth.tx.to == 'x'`;
		const applies = (one: AccessPolicy, userId = "a") => explain([one], userId).policies[0]?.applies;
		expect(applies(allow(is("a")))).toBe("alone");
		expect(applies(allow(is("a", "b")))).toBe("together");
		expect(applies(allow(is("a"), when))).toBe("partly");
		expect(applies(allow(is("a", "b"), when))).toBe("partly");
		expect(applies(allow(is("b"), when))).toBe("others");
		expect(applies(allow(is("b")))).toBe("others");
		expect(applies(allow(is("z")))).toBe("never");
		expect(applies(allow("approvers.count() >= 9"))).toBe("never");
		expect(applies(allow("approvers.any(u, u.id"))).toBe("unknown");
	});

	it("is the same for a clause that names no approver, for each user who asks", () => {
		const verdicts = (one: AccessPolicy) => explain([one], "a").policies[0]?.clauses.map(({ verdict }) => verdict);
		const timed = (time: string) => verdicts({ ...allow(is("a")), time });
		expect(timed("time.now > Timestamp('2026-01-01T00:00:00Z')")).toEqual(["true", "true", "true"]);
		expect(timed("time.now < Timestamp('2026-01-01T00:00:00Z')")).toEqual(["true", "true", "false"]);
		expect(timed("time.now")).toEqual(["true", "true", "unknown"]);
		expect(verdicts(allow(is("a"), `${signing} && approvers.count() > 1`))).toEqual(["true", "unknown", "absent"]);
	});
});

describe("The powers of a tag", () => {
	const granted = (consensus: string, tagId: string): boolean => {
		const access = accessOf([allow(consensus)]);
		const powers = findPowers(access, atMs, [sign]);
		return narrowToTag(powers, tagId, access, atMs).some(({ group }) => printGroup(group) === "PRIVATE_KEY/SIGN");
	};

	it("are those that would be others without it, and those of which less would be unknown", () => {
		const tagged = (tag: string) => `approvers.any(u, u.tags.contains('${tag}'))`;
		expect([granted(tagged("A"), "A"), granted(tagged("A"), "B"), granted(is("a"), "A")]).toEqual([true, false, false]);
		const hidden = "approvers.any(u, u.tags.contains('A') && u.alias == 'al')";
		expect([granted(hidden, "A"), granted(hidden, "B")]).toEqual([true, false]);
	});
});
