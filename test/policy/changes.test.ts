/** What a change of users, policies or the root quorum means: for whom, under which conditions, and how it shows. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser, Known } from "../../src/policy/access.ts";
import { printGroup } from "../../src/policy/groups.ts";
import { compareAccess } from "../../src/policy/impact.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const unread = (because: string): Known<never> => ({ known: false, because });
const atMs = Date.parse("2026-06-01T12:00:00Z");

function user(id: string): AccessUser {
	const credential = { id: null, type: "API", credentialId: null, publicKey: id };
	return { id, tagIds: known([]), email: known(null), credentials: known([credential]) };
}

let count = 0;
function policy(effect: "ALLOW" | "DENY", consensus: string, condition: string): AccessPolicy {
	count += 1;
	return { id: `p${count}`, name: "", effect: `EFFECT_${effect}`, consensus, condition, time: "" };
}
const is = (...ids: readonly string[]): string => ids.map((id) => `approvers.any(u, u.id == '${id}')`).join(" && ");
const two = "approvers.count() >= 2";
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const when = (condition: string): string => `${signing} && ${condition}`;
const allow = (consensus: string, condition = signing) => policy("ALLOW", consensus, condition);
const deny = (consensus: string, condition = signing) => policy("DENY", consensus, condition);

const people = [user("a"), user("b"), user("c"), user("d")];
const accessOf = (policies: readonly AccessPolicy[], parts: Partial<AccessState> = {}): AccessState => ({
	users: known(people),
	policies: known(policies),
	rootQuorum: known({ threshold: 1, userIds: [] }),
	...parts,
});

/** `change users`, `escalation`, its conditions, `shown by` the witness, and the reason; for signing, or the group. */
function changes(before: AccessState, after: AccessState, group = "PRIVATE_KEY/SIGN"): readonly string[] {
	const { findings } = compareAccess(before, after, atMs);
	return findings
		.filter((finding) => printGroup(finding.group) === group)
		.map(({ change, userIds, condition, unless, isEscalation, witness, because }) =>
			[
				...[change, userIds.join("+")].filter((text) => text !== ""),
				...(isEscalation ? ["escalation"] : []),
				...(condition === null ? [] : [`if ${condition}`]),
				...unless.map((text) => `unless ${text}`),
				...(witness.join() === userIds.join() ? [] : [`shown by ${witness.join("+")}`]),
				...(because === null ? [] : [`because ${because}`]),
			].join(" "),
		);
}
const between = (before: readonly AccessPolicy[], after: readonly AccessPolicy[], group?: string): readonly string[] =>
	changes(accessOf(before), accessOf(after), group);

const one = "eth.tx.to == 'x'";
const other = "eth.tx.to == 'y'";
const root = (threshold: number, ...userIds: readonly string[]) => ({ rootQuorum: known({ threshold, userIds }) });
const noRoot = { rootQuorum: unread("the root quorum is not shown") };
/** A policy of which the consensus is not understood; equal for equal texts. */
const open = (text = "1"): AccessPolicy => allow(`approvers.any(u, ${text}`);

describe("A change under a condition", () => {
	const pair = allow(is("a", "b"));
	const base = allow(is("d"));

	it("is named once, where it is widest", () => {
		expect(between([], [pair, allow(is("a", "b", "c"), when(one))])).toEqual(["gains a+b"]);
		expect(between([base], [base, allow(is("a")), allow(is("a", "b"), when(one))])).toEqual(["alone a"]);
		expect(between([base, allow(is("a")), allow(is("a", "b"), when(one))], [base])).toEqual(["loses a"]);
		expect(between([allow(is("a")), allow(is("b"), when(one))], [])).toEqual(["nobody a"]);
	});

	it("is named where more is so under it, or other users are meant", () => {
		expect(between([base], [base, pair, allow(is("a"), when(one))])).toEqual([`alone a if ${one}`, "gains a+b"]);
		expect(between([base, pair, allow(is("a"), when(one))], [base])).toEqual(["loses a+b", `loses a if ${one}`]);
		expect(between([pair], [pair, allow(is("a", "c")), allow(is("b", "c"), when(one))])).toEqual([
			...["gains c shown by a+c", `gains b+c if ${one}`],
		]);
	});

	it("has the conditions under which a policy denies it, but not its own", () => {
		const denials = [deny(is("a"), when(one)), deny(is("b"), when(other))];
		expect(between(denials, [...denials, allow(is("a"))])).toEqual([`alone a unless ${one}`]);
		const both = [deny(is("a"), when(one)), deny(is("a"), when(other))];
		expect(between(both, [...both, allow(is("a"))])).toEqual([`alone a unless ${one} unless ${other}`]);
		const denial = deny(is("a"), when(one));
		expect(between([denial], [denial, allow(is("a"), when(other))])).toEqual([`alone a if ${other} unless ${one}`]);
		const elsewhere = deny(is("b"), when(one));
		expect(between([elsewhere], [elsewhere, allow(is("a"), when(one))])).toEqual([`alone a if ${one}`]);
	});

	it("can be a lockout, or an escalation, that it is not without", () => {
		const b = allow(is("b"), when(one));
		expect(between([allow(is("a")), b], [b])).toEqual([`nobody a if !(${one})`]);
		expect(between([allow(is("a"))], [allow(is("a")), deny("true", when(one))])).toEqual([`nobody a if ${one}`]);
		const kept = [allow(is("a")), allow(two), deny(is("a"), when(one))];
		expect(between(kept, [...kept, b])).toEqual([`alone b escalation if ${one}`]);
	});

	it("names the ways that are left after a lockout, and no way that another policy closes", () => {
		const left = [allow(is("c"), when(one)), allow(is("c"), when(other)), deny("true", when(other))];
		expect(between([allow(is("a")), allow(is("b"))], left)).toEqual([
			`nobody a+b if !(${one}) shown by a`,
			`alone c if ${one} unless ${other}`,
		]);
		const kept = [allow(is("a")), allow(is("b"), when(one))];
		expect(between(kept, [allow(is("d"), when(one))])).toEqual([
			...[`nobody a if !(${one})`, `alone d if ${one}`, `loses b if ${one}`],
		]);
	});
});

describe("A change of how many are needed", () => {
	const three = "approvers.count() >= 3";

	it("is fewer where a smaller set is enough, and not where larger ones are added or no set was enough", () => {
		const pairs = [allow(is("a", "b")), allow(is("c", "d"))];
		expect(between([allow(three)], pairs)).toEqual(["fewer a+b+c+d shown by a+b"]);
		expect(between([allow(is("a", "b"))], [allow(is("a", "b")), allow(three)])).toEqual(["gains c+d shown by a+c+d"]);
		expect(between([], [allow(two)])).toEqual(["gains a+b+c+d shown by a+b"]);
	});

	it("names the users of the smallest sets, and not those of larger ones", () => {
		const after = [allow(is("a", "b")), allow(is("b", "c", "d"))];
		expect(between([allow("approvers.count() >= 4")], after)).toEqual(["fewer a+b"]);
	});

	it("is fewer beside one person who was enough by the root quorum, and not where the root quorum has fewer", () => {
		const alone = root(1, "a");
		expect(changes(accessOf([allow(three)], alone), accessOf([allow(two)], alone))).toEqual([
			"fewer b+c+d shown by b+c",
		]);
		const before = accessOf([allow(three)], root(4, "a", "b", "c", "d"));
		expect(changes(before, accessOf([], root(2, "a", "b")))).toEqual([
			...["nobody a+b+c+d shown by a+c+d", "gains a+b"],
		]);
	});

	it("is fewer once: under a condition the others are named", () => {
		const after = [allow(three), allow(is("a", "b"), when(one))];
		expect(between([allow("approvers.count() >= 4")], after)).toEqual([
			...["fewer a+b+c+d shown by a+b+c", `gains a+b if ${one}`],
		]);
	});
});

describe("A change of the root quorum", () => {
	it("is one of who can do it", () => {
		const before = accessOf([], root(2, "a", "b"));
		expect(changes(before, accessOf([], root(1, "a", "b")))).toEqual(["alone a+b escalation shown by a"]);
		expect(changes(before, accessOf([], root(2, "a", "b", "c")))).toEqual(["gains c shown by a+c"]);
		expect(changes(before, accessOf([], root(2, "b", "a")))).toEqual([]);
		expect(changes(accessOf([allow(two)], root(2, "a", "b")), accessOf([allow(is("a"))], root(1, "a", "b")))).toEqual([
			...["alone a+b escalation shown by a", "loses c+d"],
		]);
	});

	it("decides whether one person alone is an escalation, where no policy allowed it", () => {
		const after = [allow(is("c"))];
		const first = (parts: Partial<AccessState>) => changes(accessOf([], parts), accessOf(after, parts));
		expect(first(root(2, "a", "b"))).toEqual(["alone c escalation"]);
		expect(first(root(1, "a", "b"))).toEqual(["alone c"]);
		expect(first(noRoot)).toEqual(["alone c escalation"]);
	});
});

describe("A change of who takes part", () => {
	it("is one between those who have something and those who have not", () => {
		const mine = "approvers.any(u, u.id == 'a')";
		expect(between([allow(mine)], [allow(`!${mine}`)])).toEqual(["alone b+c+d shown by b", "loses a"]);
		const atLeastMine = `approvers.count() >= 1 && ${mine}`;
		expect(between([allow(atLeastMine)], [allow(`!${mine}`)])).toEqual(["alone b+c+d shown by b", "loses a"]);
		expect(between([allow(two)], [allow("approvers.count() <= 1")])).toEqual(["alone a+b+c+d escalation shown by a"]);
	});

	it("names the policies that changed, and none that has the same users in another order", () => {
		const [before, after] = [allow(`${is("b")} || ${is("c")}`), allow(`${is("c")} || ${is("b")}`)];
		const added = allow(is("a"));
		const { findings } = compareAccess(accessOf([before]), accessOf([after, added]), atMs);
		expect(findings.map(({ change, policyIds }) => [change, policyIds])).toEqual([["alone", [added.id]]]);
	});

	it("is under the condition of a policy that is not known to apply", () => {
		const unclear: AccessPolicy = { ...allow(is("b")), time: "time.now" };
		expect(between([unclear], [unclear, deny(is("b"))])).toEqual([`nobody b if ${signing}`]);
	});

	it("is shown by a set with one of these users", () => {
		const before = [allow(is("a", "c")), allow(is("b", "c"))];
		const wider = [...before, allow(is("a", "b")), allow(is("c", "d"))];
		expect(between(before, wider)).toEqual(["gains d shown by c+d"]);
		expect(between(wider, before)).toEqual(["loses d shown by c+d"]);
	});
});

describe("A change for a kind", () => {
	const created = "activity.kind == 'CREATE_WALLET'";
	const group = "kind CREATE_WALLET";

	it("stays beside the same of one of its types", () => {
		const type = "activity.type == 'ACTIVITY_TYPE_CREATE_WALLET_V2'";
		const added = [allow(is("a"), `${created} && ${type}`)];
		expect(between([], added, group)).toEqual([`alone a if ${type}`]);
		expect(between([], added, "type ACTIVITY_TYPE_CREATE_WALLET_V2")).toEqual(["alone a"]);
		expect(between([], added, "WALLET/CREATE")).toEqual([]);
	});

	it("may be under a consensus that is not understood", () => {
		const kept = { ...open(), condition: created };
		const found = between([kept], [kept, allow(is("b"), created), deny(is("a"), created)], group);
		expect(found.slice(0, -1)).toEqual(["alone b", "loses a if approvers.any(u, 1"]);
	});
});

describe("What is not known", () => {
	const missing = { policies: unread("policies are not shown") };
	const noUsers = { users: unread("users are not shown") };
	const because = "unknown because policies are not shown";

	it("is no change where it is the same on both sides, and nothing else changed", () => {
		expect(changes(accessOf([], missing), accessOf([], missing))).toEqual([]);
		expect(changes(accessOf([allow(is("a"))], noRoot), accessOf([allow(is("a"))], noRoot))).toEqual([]);
		const kept = open();
		expect(between([kept], [kept, allow(is("a"))])).toEqual(["alone a"]);
	});

	it("is a change that cannot be compared where policies are not known and something else changed", () => {
		expect(changes(accessOf([], missing), accessOf([], { ...missing, users: known(people.slice(1)) }))).toEqual([
			because,
		]);
		expect(changes(accessOf([], missing), accessOf([], { policies: unread("they are gone") }))).toEqual([
			"unknown because they are gone",
		]);
		expect(changes(accessOf([allow(is("a"))]), accessOf([], missing))).toEqual([because]);
		expect(changes(accessOf([], missing), accessOf([allow(is("a"))]))).toEqual([because]);
	});

	it("is a change where only one side knows policies, though no policy is about it", () => {
		expect(changes(accessOf([]), accessOf([], missing))).toEqual([because]);
		expect(changes(accessOf([], missing), accessOf([]))).toEqual([because]);
	});

	it("is the root quorum where only one side knows it", () => {
		const policies = [allow(is("c"))];
		const hidden = "unknown because the root quorum is not shown";
		const [shown, notShown] = [accessOf(policies, root(1, "a")), accessOf(policies, noRoot)];
		expect([changes(shown, notShown), changes(notShown, shown)]).toEqual([[hidden], [hidden]]);
	});

	it("is named by what changed, before what both sides leave unknown", () => {
		const kept = open();
		const added = open("2 ==");
		const [found] = between([kept], [kept, added]);
		expect(found).toContain("expected a value, found the end of the expression");
		const [first] = changes(accessOf([kept], noRoot), accessOf([kept, added], noRoot));
		expect(first).toBe(found);
	});

	it("matters where what denies has changed, since a consensus that is not understood may be denied too", () => {
		const kept = open();
		const [lockout, unknown, ...more] = between([allow(is("a")), kept], [allow(is("a")), deny(is("a")), kept]);
		expect([lockout, more]).toEqual(["nobody a", []]);
		expect(unknown).toContain("the consensus is not understood");
	});

	it("matters beside a policy that allows more, where another denies more", () => {
		const kept = open();
		const found = between([kept], [kept, allow(is("b")), deny(is("a"))]);
		expect(found).toEqual([
			...["alone b", "loses a if approvers.any(u, 1"],
			expect.stringContaining("the consensus is not understood"),
		]);
	});

	it("is no change of a policy that applies as a whole or not at all, whatever policies deny", () => {
		const unclear = { ...allow(is("b")), time: "time.now" };
		const kept = [unclear, deny(is("c"))];
		expect(between(kept, [...kept, allow(is("a"))])).toEqual(["alone a"]);
	});

	it("is no change where no policy is about it, whoever there is", () => {
		expect(changes(accessOf([]), accessOf([], noUsers))).toEqual([]);
		expect(changes(accessOf([], noUsers), accessOf([]))).toEqual([]);
	});

	it("is who there is, even where the root quorum names nobody", () => {
		const policies = [allow(is("a"))];
		const hidden = "unknown because users are not shown";
		expect(changes(accessOf(policies, noUsers), accessOf([], noUsers))).toEqual([hidden]);
		expect(changes(accessOf(policies, noUsers), accessOf([allow(is("b"))], noUsers))).toEqual([hidden]);
		expect(changes(accessOf(policies, noUsers), accessOf(policies, noUsers))).toEqual([]);
	});
});

describe("One person alone, where two were needed, is an escalation", () => {
	function changed(condition: string, group: string): readonly string[] {
		return between([allow(two, condition)], [allow(is("a"), condition)], group);
	}

	it.each([
		"POLICY/DELETE",
		"WALLET/EXPORT",
		"CREDENTIAL/CREATE",
		"USER/UPDATE",
	])("for the sensitive power %s", (group) => {
		const [resource, action] = group.split("/");
		const condition = `activity.resource == '${resource}' && activity.action == '${action}'`;
		expect(changed(condition, group)[0]).toBe("alone a escalation");
	});

	it.each(["WALLET/CREATE", "OTP/CREATE", "ORGANIZATION/DELETE"])("but not for %s", (group) => {
		const [resource, action] = group.split("/");
		const condition = `activity.resource == '${resource}' && activity.action == '${action}'`;
		expect(changed(condition, group)[0]).toBe("alone a");
	});

	it.each([
		["DELETE_POLICIES", true],
		["SIGN_TRANSACTION", true],
		["EXPORT_WALLET", true],
		["CREATE_WALLET", false],
	])("for the kind %s as for its resource and action", (kind, isEscalation) => {
		const found = changed(`activity.kind == '${kind}'`, `kind ${kind}`)[0];
		expect(found).toBe(isEscalation ? "alone a escalation" : "alone a");
	});

	it("for a kind also where the condition is not about the kind alone", () => {
		const condition = `activity.kind == 'SIGN_TRANSACTION' || ${one}`;
		expect(changed(condition, "kind SIGN_TRANSACTION")[0]).toBe(`alone a escalation if ${condition}`);
	});
});

describe("The change of who may change credentials", () => {
	const credentials = "activity.resource == 'CREDENTIAL'";
	const own = "if the credentials are the user's own";

	it("is what users lose or get back for their own, without an escalation", () => {
		expect(between([], [allow(two, credentials)], "CREDENTIAL/CREATE")).toEqual([
			...["gains a+b+c+d shown by a+b", `loses a ${own}`],
		]);
		expect(between([allow(is("a"), credentials)], [], "CREDENTIAL/CREATE")).toEqual([
			...["nobody a", `alone b+c+d ${own} shown by b`],
		]);
	});
});
