/** Powers and changes under conditions on the activity: which policies have a part in a group, and where they hold. */

import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import { type ActivityGroup, printGroup } from "../../../src/policy/powers/groups.ts";
import type { GroupPower } from "../../../src/policy/powers/powers.ts";
import { compareAccess, findPowers } from "../in-words.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const atMs = Date.parse("2026-06-01T12:00:00Z");
const sign: ActivityGroup = { resource: "PRIVATE_KEY", action: "SIGN" };

function user(id: string, tags: readonly string[]): AccessUser {
	const credential = { id: null, type: "API", credentialId: null, publicKey: id };
	return { id, tagIds: known(tags), email: known(null), credentials: known([credential]) };
}

let count = 0;
function policy(effect: "ALLOW" | "DENY", consensus: string, condition: string, time = ""): AccessPolicy {
	count += 1;
	return { id: `p${count}`, name: "", effect: `EFFECT_${effect}`, consensus, condition, time };
}
const allow = (consensus: string, condition: string) => policy("ALLOW", consensus, condition);
const deny = (consensus: string, condition: string) => policy("DENY", consensus, condition);

const people = [user("a", ["A"]), user("b", ["A", "B"]), user("c", ["B"]), user("d", [])];
const accessOf = (policies: readonly AccessPolicy[], users: readonly AccessUser[] = people): AccessState => {
	return { users: known(users), policies: known(policies), rootQuorum: known({ threshold: 1, userIds: [] }) };
};
const is = (id: string): string => `approvers.any(u, u.id == '${id}')`;
const one = (tag: string): string => `approvers.any(u, u.tags.contains('${tag}'))`;
const two = (tag: string): string => `approvers.filter(u, u.tags.contains('${tag}')).count() >= 2`;
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const to = (address: string): string => `${signing} && eth.tx.to == '${address}'`;

const setsOf = ({ alone, together }: Pick<GroupPower, "alone" | "together">): string =>
	[...alone, ...together.map((set) => set.join("+"))].join(" ");
function powerOf(policies: readonly AccessPolicy[], group: ActivityGroup = sign): GroupPower {
	const found = findPowers(accessOf(policies), atMs, [group]).find(
		(power) => printGroup(power.group) === printGroup(group),
	);
	if (found === undefined) throw new Error(`${printGroup(group)} is not among the groups`);
	return found;
}
/** Who can always do it, then who else under which condition, `not` where it must not hold. */
function shortly(policies: readonly AccessPolicy[], group: ActivityGroup = sign): readonly string[] {
	const power = powerOf(policies, group);
	const conditional = power.conditional.map(
		(found) => `${found.holds ? "if" : "if not"} ${found.condition}: ${setsOf(found)}`,
	);
	return [setsOf(power), ...conditional, ...(power.unknown === null ? [] : [`unknown: ${power.unknown}`])];
}

describe("Powers under conditions", () => {
	it("are apart for each condition that a policy allows under", () => {
		expect(shortly([allow(is("d"), signing), allow(one("A"), to("x")), allow(one("B"), to("y"))])).toEqual([
			...["d", "if eth.tx.to == 'x': a b d", "if eth.tx.to == 'y': b c d"],
		]);
	});

	it("are those of several policies under one condition together", () => {
		const policies = [allow(one("A"), to("x")), allow(one("B"), to("x"))];
		expect(shortly(policies)).toEqual(["", "if eth.tx.to == 'x': a b c"]);
		expect(powerOf(policies).conditional[0]?.policyIds).toEqual(policies.map(({ id }) => id));
	});

	it("leave out a condition that adds nothing", () => {
		expect(shortly([allow(one("A"), signing), allow(is("a"), to("x"))])).toEqual(["a b"]);
	});

	it("are there where a condition does not hold under which a policy denies", () => {
		expect(shortly([allow(one("A"), signing), deny(is("a"), to("x"))])).toEqual(["b", "if not eth.tx.to == 'x': a b"]);
	});

	it("need that none of several conditions holds, where each of them denies", () => {
		expect(shortly([allow(is("a"), signing), deny(is("a"), to("x")), deny(is("a"), to("y"))])).toEqual([
			"",
			"if !(eth.tx.to == 'x') && !(eth.tx.to == 'y'): a",
		]);
	});

	it("need that one condition holds and another does not", () => {
		expect(shortly([allow(is("a"), to("x")), deny(is("a"), `${signing} && eth.tx.value > 5`)])).toEqual([
			"",
			"if eth.tx.to == 'x' && !(eth.tx.value > 5): a",
		]);
	});

	it("have brackets around alternatives", () => {
		const either = `${signing} && (eth.tx.to == 'x' || eth.tx.to == 'y')`;
		expect(shortly([allow(is("a"), either), deny(is("a"), `${signing} && eth.tx.value > 5`)])).toEqual([
			"",
			"if (eth.tx.to == 'x' || eth.tx.to == 'y') && !(eth.tx.value > 5): a",
		]);
		expect(shortly([allow(is("a"), either)])).toEqual(["", "if eth.tx.to == 'x' || eth.tx.to == 'y': a"]);
	});

	it("name the policies that make them so, and no others", () => {
		const large = `${signing} && eth.tx.value > 5`;
		const named = (policies: readonly AccessPolicy[]) =>
			powerOf(policies).conditional.map(({ condition, policyIds }) => [
				condition,
				policies.flatMap(({ id }, index) => (policyIds.includes(id) ? [index] : [])),
			]);
		const denied = [deny(is("a"), large), deny(is("c"), to("z")), deny(is("c"), signing)];
		expect(named([allow(is("a"), to("x")), allow(is("b"), to("y")), allow(is("d"), signing), ...denied])).toEqual([
			["eth.tx.to == 'y'", [1]],
			["eth.tx.to == 'x' && !(eth.tx.value > 5)", [0, 3]],
		]);
		const either = [deny(is("a"), to("x")), deny(is("a"), to("y")), deny(is("c"), to("z"))];
		expect(named([allow(is("a"), signing), allow(is("b"), large), ...either])).toEqual([
			["eth.tx.value > 5", [1]],
			["!(eth.tx.to == 'x') && !(eth.tx.to == 'y')", [2, 3]],
		]);
	});

	it("are beside what is always so where no policy denies it", () => {
		const large = `${signing} && eth.tx.value > 5`;
		const policies = [allow(is("a"), signing), allow(is("b"), to("x")), deny(is("a"), large), deny(is("b"), large)];
		expect(shortly(policies)).toEqual([
			...["", "if not eth.tx.value > 5: a", "if eth.tx.to == 'x' && !(eth.tx.value > 5): a b"],
		]);
	});

	it("name only the conditions that matter", () => {
		const policies = [allow(is("a"), to("x")), deny(is("b"), `${signing} && eth.tx.value > 5`)];
		expect(shortly(policies)).toEqual(["", "if eth.tx.to == 'x': a"]);
	});

	it("are those of a policy about own credentials too, for changes of credentials", () => {
		expect(shortly([], { resource: "CREDENTIAL", action: "CREATE" })).toEqual([
			"",
			"if the credentials are the user's own: a b c d",
		]);
		const covering = allow(is("a"), "activity.resource == 'CREDENTIAL'");
		expect(shortly([covering], { resource: "CREDENTIAL", action: "CREATE" })).toEqual([
			"a",
			expect.stringMatching(/^unknown: Turnkey's pages disagree on whether users may change their own credentials/),
		]);
	});
});

describe("A policy has a part in", () => {
	const signers = (condition: string, group: ActivityGroup = sign): readonly string[] =>
		shortly([allow(is("a"), condition)], group);

	it.each([
		["activity.resource == 'PRIVATE_KEY'", ["a"]],
		["activity.resource != 'WALLET'", ["a"]],
		["activity.resource == 'WALLET'", [""]],
		["activity.action in ['SIGN', 'EXPORT']", ["a"]],
		["activity.action in ['EXPORT']", [""]],
		["activity.kind == 'DELETE_USERS'", [""]],
		["activity.kind != 'DELETE_USERS'", ["a"]],
		["'DELETE_USERS' == activity.kind", [""]],
		["!(activity.kind == 'DELETE_USERS')", ["a"]],
		["activity.kind == 'SIGN_TRANSACTION'", ["", "if activity.kind == 'SIGN_TRANSACTION': a"]],
		[
			"activity.kind in ['SIGN_TRANSACTION', 'DELETE_USERS']",
			["", "if activity.kind in ['SIGN_TRANSACTION', 'DELETE_USERS']: a"],
		],
		["activity.kind in ['CREATE_WALLET', 'DELETE_USERS']", [""]],
		["activity.kind == 'UPDATE_ROOT_QUORUM'", [""]],
		["activity.kind == 'SOMETHING_NEW'", [""]],
		[
			"activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'",
			["", "if activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2': a"],
		],
		["activity.type == 'ACTIVITY_TYPE_DELETE_USERS'", [""]],
		["activity.kind == 'DELETE_USERS' || activity.action == 'SIGN'", ["a"]],
		["activity.kind == 'DELETE_USERS' && activity.action == 'SIGN'", [""]],
		["activity.kind == 'DELETE_USERS' || activity.kind == 'CREATE_USERS'", [""]],
		[
			"activity.kind == 'DELETE_USERS' || eth.tx.to == 'x'",
			["", "if activity.kind == 'DELETE_USERS' || eth.tx.to == 'x': a"],
		],
		["true", ["a"]],
		["false", [""]],
	])("signing under %s", (condition, expected) => {
		expect(signers(condition)).toEqual(expected);
	});

	it.each([
		["CREATE_WALLET", "WALLET", "CREATE", false],
		["DELETE_USERS", "USER", "DELETE", false],
		["DELETE_POLICIES", "POLICY", "DELETE", false],
		["CREATE_POLICIES", "POLICY", "CREATE", false],
		["UPDATE_POLICY", "POLICY", "UPDATE", true],
		["UPDATE_USER_TAG", "USER", "UPDATE", false],
		["EXPORT_WALLET", "WALLET", "EXPORT", false],
		["INIT_IMPORT_PRIVATE_KEY", "PRIVATE_KEY", "IMPORT", false],
		["DELETE_TVC_APP_AND_DEPLOYMENTS", "TVC_APP", "DELETE", true],
	])("%s with the resource and action of the kind, and not with others", (kind, resource, action, isOnly) => {
		const condition = `activity.resource == '${resource}' && activity.action == '${action}'`;
		expect(signers(condition, { kind })).toEqual(["a"]);
		expect(signers(condition, { type: `ACTIVITY_TYPE_${kind}_V3` })).toEqual(["a"]);
		expect(signers("activity.resource == 'OTP'", { kind })).toEqual([""]);
		expect(signers(`activity.kind == '${kind}'`, { resource, action })).toEqual(
			isOnly ? ["a"] : ["", `if activity.kind == '${kind}': a`],
		);
	});

	it("no activity of the root quorum", () => {
		expect(signers("true", { kind: "UPDATE_ROOT_QUORUM" })).toEqual([""]);
	});

	it("a kind that is not documented as far as its resource is not asked for", () => {
		expect(signers("activity.kind == 'SOMETHING_NEW'", { kind: "SOMETHING_NEW" })).toEqual(["a"]);
		expect(signers("activity.resource == 'WALLET'", { kind: "SOMETHING_NEW" })).toEqual([
			...["", expect.stringContaining("no documentation says which resource and action these activities have")],
		]);
	});

	it("no activity without what it names: an assumption says so", () => {
		const power = powerOf([allow(is("a"), "wallet.id == 'w'")], { resource: "POLICY", action: "CREATE" });
		expect([setsOf(power), power.assumptions]).toEqual([
			"",
			[expect.stringMatching(/^policy \S+: a condition that errs neither allows nor denies$/)],
		]);
		const either = powerOf([allow(is("a"), "wallet.id == 'w' && activity.resource == 'WALLET'")], {
			resource: "POLICY",
			action: "CREATE",
		});
		expect(either.assumptions).toEqual([]);
	});

	it("activities of which policies see parameters, and errs for those without", () => {
		const params = "activity.params.wallet_id == 'w'";
		expect(signers(params, { kind: "UPDATE_USER_TAG" })).toEqual([""]);
		expect(signers(params, { kind: "CREATE_WALLET" })).toEqual([""]);
		expect(signers(params, { kind: "UPDATE_WALLET" })[1]).toContain("if activity.params.wallet_id == 'w'");
	});

	it("none that is not known where its condition is not understood, or names who approves", () => {
		expect(signers("activity.resource == 5")[1]).toMatch(/^unknown: policy p\d+: the condition is not understood: /);
		expect(powerOf([allow(is("a"), "activity.resource")]).unknown).toContain("the condition");
	});

	it("nothing outside of its time, and what is not known where its time is not understood", () => {
		const timed = (time: string) => shortly([policy("ALLOW", is("a"), signing, time)]);
		expect(timed("time.now > Timestamp('2026-01-01T00:00:00Z')")).toEqual(["a"]);
		expect(timed("time.now < Timestamp('2026-01-01T00:00:00Z')")).toEqual([""]);
		expect(timed("time.now")[1]).toMatch(/^unknown: policy p\d+: /);
		expect(timed("CronSpan('x', '1h', 'UTC')")[1]).toMatch(/^unknown: policy p\d+: the time is not understood/);
	});

	it("what is not known where its effect is none of the two", () => {
		const other = { ...allow(is("a"), signing), effect: "EFFECT_ASK" };
		expect(shortly([other])).toEqual(["", `unknown: policy ${other.id}: the effect EFFECT_ASK is unknown`]);
	});
});

describe("The change of who can do it", () => {
	/** `change users if condition`, for signing. */
	function changes(
		before: readonly AccessPolicy[],
		after: readonly AccessPolicy[],
		users?: readonly AccessUser[],
	): readonly string[] {
		const { findings } = compareAccess(accessOf(before), accessOf(after, users ?? people), atMs);
		return findings
			.filter(({ group }) => printGroup(group) === "PRIVATE_KEY/SIGN")
			.map(({ change, userIds, condition, unless, isEscalation }) =>
				[
					...[change, userIds.join("+"), ...(isEscalation ? ["escalation"] : [])],
					...(condition === null ? [] : [`if ${condition}`]),
					...unless.map((text) => `unless ${text}`),
				].join(" "),
			);
	}

	it("is that users lose it, and others gain it", () => {
		expect(changes([allow(one("A"), signing)], [allow(is("b"), signing)])).toEqual(["loses a"]);
		expect(changes([allow(is("a"), signing)], [allow(one("A"), signing)])).toEqual(["alone b"]);
		expect(changes([allow(is("a"), signing)], [allow(is("c"), signing)])).toEqual(["alone c", "loses a"]);
	});

	it("is that no one can any more", () => {
		expect(changes([allow(one("A"), signing)], [])).toEqual(["nobody a+b"]);
		expect(changes([allow(one("A"), signing)], [allow(one("A"), signing), deny("true", signing)])).toEqual([
			"nobody a+b",
		]);
	});

	it("is that fewer are enough, or that one alone is", () => {
		const three = "approvers.count() >= 3";
		const pair = "approvers.count() >= 2";
		expect(changes([allow(three, signing)], [allow(pair, signing)])).toEqual(["fewer a+b+c+d"]);
		expect(changes([allow(pair, signing)], [allow(one("A"), signing), allow(pair, signing)])).toEqual([
			"alone a+b escalation",
		]);
		expect(changes([allow(pair, signing)], [allow(three, signing)])).toEqual(["loses a+b"]);
	});

	it("is that users take part who did not", () => {
		const pair = (...ids: readonly string[]) => allow(ids.map(is).join(" && "), signing);
		expect(changes([pair("a", "b")], [pair("a", "b"), pair("a", "c")])).toEqual(["gains c"]);
		expect(changes([pair("a", "b"), pair("a", "c")], [pair("a", "b")])).toEqual(["loses c"]);
		expect(changes([pair("a", "b"), pair("c", "d")], [pair("a", "b"), pair("c", "d"), pair("a", "c")])).toEqual([
			"gains a+c",
		]);
		expect(changes([pair("a", "b"), pair("c", "d"), pair("a", "c")], [pair("a", "b"), pair("c", "d")])).toEqual([
			"loses a+c",
		]);
	});

	it("has its condition, once where it is wider", () => {
		expect(changes([], [allow(is("a"), to("x"))])).toEqual(["alone a if eth.tx.to == 'x'"]);
		expect(changes([], [allow(is("a"), signing), allow(is("a"), to("x"))])).toEqual(["alone a"]);
		expect(changes([allow(is("a"), to("x"))], [])).toEqual(["nobody a if eth.tx.to == 'x'"]);
		expect(changes([allow(is("a"), to("x")), allow(is("b"), signing)], [allow(is("b"), signing)])).toEqual([
			"loses a if eth.tx.to == 'x'",
		]);
	});

	it("names the ways that are left after a lockout", () => {
		expect(changes([allow(is("a"), signing)], [allow(is("a"), to("x"))])).toEqual(["nobody a if !(eth.tx.to == 'x')"]);
	});

	it("names the denials that hold against it", () => {
		const denial = deny(is("a"), to("x"));
		expect(changes([denial], [denial, allow(is("a"), signing)])).toEqual(["alone a unless eth.tx.to == 'x'"]);
		expect(changes([allow(is("a"), signing), denial], [allow(is("a"), signing)])).toEqual([
			"alone a if eth.tx.to == 'x'",
		]);
	});

	it("follows from tags too, and is nothing where they decide nothing", () => {
		const without = people.map((one) => (one.id === "a" ? user("a", []) : one));
		const policies = [allow(one("A"), signing)];
		expect(changes(policies, policies, without)).toEqual(["loses a"]);
		expect(changes([allow(is("a"), signing)], [allow(is("a"), signing)], without)).toEqual([]);
	});

	it("is of users who are on one side only", () => {
		const policies = [allow("approvers.count() >= 1", signing)];
		expect(changes(policies, policies, [...people, user("e", [])])).toEqual(["alone e"]);
		expect(changes(policies, policies, people.slice(1))).toEqual(["loses a"]);
		expect(changes(policies, policies, [...people.slice(0, 3), user("e", [])])).toEqual(["alone e", "loses d"]);
		const pairs = [allow(two("B"), signing)];
		expect(changes(pairs, pairs, people.slice(0, 2))).toEqual(["nobody b+c"]);
	});
});
