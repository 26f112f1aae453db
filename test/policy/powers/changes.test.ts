/** What a change of users, policies or the root quorum means: for whom, under which conditions, and how it shows. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { compareAccess } from "../../../src/policy/powers/impact.ts";
import { accessOf, allow, between, changes, deny, is, noRoot, one, other, root, two, when } from "./change-lines.ts";

describe("A change under a condition", () => {
	const pair = allow(is("a", "b"));
	const base = allow(is("d"));

	it("is named once, where it is widest", () => {
		expect(between([], [pair, allow(is("a", "b", "c"), when(one))])).toEqual(["gains a+b"]);
		expect(between([base], [base, allow(is("a")), allow(is("a", "b"), when(one))])).toEqual(["alone a"]);
		expect(between([base, allow(is("a")), allow(is("a", "b"), when(one))], [base])).toEqual(["loses a"]);
		expect(between([allow(is("a")), allow(is("b"), when(one))], [])).toEqual(["nobody a"]);
	});

	it("is named under each of two conditions that do not depend on each other", () => {
		expect(between([base], [base, allow(is("a"), when(one)), allow(is("a"), when(other))])).toEqual([
			...[`alone a if ${one}`, `alone a if ${other}`],
		]);
		expect(between([base, allow(is("a"), when(one)), allow(is("a"), when(other))], [base])).toEqual([
			...[`loses a if ${one}`, `loses a if ${other}`],
		]);
	});

	it("is one of the condition alone", () => {
		expect(between([base, allow(is("a"), when(one))], [base, allow(is("a"), when(other))])).toEqual([
			...[`alone a if ${other}`, `loses a if ${one}`],
		]);
	});

	it("is what users gain under it though always they lose, and the other way round", () => {
		const denial = deny(is("a"), when(one));
		expect(between([base, allow(is("a"), when(one))], [base, allow(is("a")), denial])).toEqual([
			...[`alone a unless ${one}`, `loses a if ${one}`],
		]);
		expect(between([allow(is("a")), denial], [allow(is("a", "b"), when(one))])).toEqual([
			...[`nobody a if !(${one})`, `gains a+b if ${one}`],
		]);
	});

	it("names all of a set that is lost where each of its users still takes part, or lost it always", () => {
		const kept = [base, allow(is("b", "c"))];
		const before = [...kept, allow(is("a", "b")), allow(is("a", "c"), when(one))];
		expect(between(before, kept)).toEqual(["loses a shown by a+b", `loses a+c if ${one}`]);
	});

	it("names users who lose it under the condition, without those of whom a wider change says so", () => {
		const kept = [base, allow(is("b", "c"))];
		const pair = allow(is("a", "b"), when(one));
		expect(between([...kept, pair], [...kept, allow(is("a")), deny(is("a"), when(one))])).toEqual([
			...[`alone a unless ${one}`, `loses a if ${one} shown by a+b`],
		]);
		const before = accessOf([allow(is("a", "b")), allow(is("c")), allow(is("a", "d"), when(one))], root(2, "a", "b"));
		expect(changes(before, accessOf([allow(is("c"), when(one))], root(1, "b")))).toEqual([
			...[`nobody a+b+c if !(${one}) shown by c`, "alone b", `loses a+d if ${one}`],
		]);
	});

	it("is named where more is so under it, or other users are meant", () => {
		expect(between([base], [base, pair, allow(is("a"), when(one))])).toEqual([
			`alone a if ${one}`,
			`gains a+b unless ${one}`,
		]);
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
		expect(between([denial], [denial, allow(is("a"), when(other))])).toEqual([`alone a if ${other}`]);
		const elsewhere = deny(is("b"), when(one));
		expect(between([elsewhere], [elsewhere, allow(is("a"), when(one))])).toEqual([`alone a if ${one}`]);
	});

	it("can be a lockout, or an escalation, that it is not without", () => {
		const b = allow(is("b"), when(one));
		expect(between([allow(is("a")), b], [b])).toEqual([`nobody a if !(${one})`, `loses a if ${one}`]);
		expect(between([allow(is("a"))], [allow(is("a")), deny("true", when(one))])).toEqual([`nobody a if ${one}`]);
		const kept = [allow(is("a")), allow(two), deny(is("a"), when(one))];
		expect(between(kept, [...kept, b])).toEqual([`alone b escalation if ${one}`]);
	});

	it("names the ways that are left after a lockout, and no way that another policy closes", () => {
		const left = [allow(is("c"), when(one)), allow(is("c"), when(other)), deny("true", when(other))];
		expect(between([allow(is("a")), allow(is("b"))], left)).toEqual([
			`nobody a+b if !(${one}) shown by a`,
			`alone c if ${one}`,
			`loses a+b if ${one} shown by a`,
		]);
		const kept = [allow(is("a")), allow(is("b"), when(one))];
		expect(between(kept, [allow(is("d"), when(one))])).toEqual([
			...[`nobody a if !(${one})`, `alone d if ${one}`, `loses a+b if ${one} shown by a`],
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

	it("is fewer by the policies, though the root quorum had the one who is now enough by them", () => {
		const before = accessOf([allow(three)], root(1, "a"));
		expect(changes(before, accessOf([allow(is("a")), allow(is("b", "c"))], root(1, "a")))).toEqual(["fewer b+c"]);
	});

	it("is fewer for those who are in the smallest sets, and shown by the first of these", () => {
		expect(between([allow("approvers.count() >= 4")], [allow(is("a", "b")), allow(is("b", "c", "d"))])).toEqual([
			"fewer a+b",
		]);
	});

	it("is not fewer where policies no longer allow it, and the root quorum is larger", () => {
		const before = accessOf([allow(three)], root(2, "a", "b"));
		expect(changes(before, accessOf([], root(2, "a", "b", "c")))).toEqual(["gains a+c"]);
	});

	it("shows who gains by a set that has one of them", () => {
		expect(between([allow(is("a", "b", "c"))], [allow(is("a", "b")), allow(is("c", "d"))])).toEqual([
			...["fewer a+b+c+d shown by a+b", "gains d shown by c+d"],
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

	it("for one of two kinds, where the other needed one before", () => {
		const [first, second] = ["activity.kind == 'DELETE_POLICY'", "activity.kind == 'DELETE_POLICIES'"];
		const kept = allow(two, `${first} || ${second}`);
		const after = [kept, allow(is("a"), `${first} || ${second}`)];
		expect(between([kept, allow(is("a"), first)], after, "kind DELETE_POLICIES")).toEqual(["alone a escalation"]);
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

	const disputed = "Turnkey's pages disagree on whether users may change their own credentials";
	const unknown = `unknown because ${disputed} where a policy is about credentials`;
	const elsewhere = allow("true", "activity.resource == 'POLICY'");

	it("is unknown for their own where the first policy about credentials comes, or the last one goes", () => {
		expect(between([], [allow(two, credentials)], "CREDENTIAL/CREATE")).toEqual([
			"gains a+b+c+d shown by a+b",
			unknown,
		]);
		expect(between([allow(is("a"), credentials)], [], "CREDENTIAL/CREATE")).toEqual(["nobody a", unknown]);
	});

	it("is known where no policy is about credentials before and after, or a policy denies all", () => {
		expect(between([], [elsewhere], "CREDENTIAL/CREATE")).toEqual([]);
		expect(between([], [deny("true", credentials)], "CREDENTIAL/CREATE")).toEqual([`nobody a+b+c+d ${own} shown by a`]);
	});

	it("is that of others alone where a policy is about credentials before and after, though two were needed", () => {
		const alone = [allow(two, credentials), allow(is("a"), credentials)];
		expect(between([allow(two, credentials)], alone, "CREDENTIAL/CREATE")).toEqual(["alone a escalation"]);
		expect(between(alone, [allow(two, credentials)], "CREDENTIAL/CREATE")).toEqual(["loses a"]);
	});

	it("is unknown where a policy that denies comes: by one page users lose their own", () => {
		const [others, denial] = [allow(is("a"), credentials), deny(is("b"), credentials)];
		expect(between([others], [others, denial], "CREDENTIAL/CREATE")).toEqual([unknown]);
	});
});

describe("A loss", () => {
	it("is a lockout only where policies allowed it", () => {
		expect(changes(accessOf([], root(1, "a", "b")), accessOf([], root(1, "a")))).toEqual(["loses b"]);
	});

	it("is shown by one user who was enough alone, before a set of several", () => {
		expect(between([allow(is("d")), allow(is("a", "b"))], [])).toEqual(["nobody a+b+d shown by d"]);
	});

	it("has no conditions of policies that deny, and under a condition no other ways that are left", () => {
		const denial = deny(is("b"), when(one));
		expect(between([allow(is("a")), allow(is("d")), denial], [allow(is("d")), denial])).toEqual(["loses a"]);
		expect(between([allow(is("a"), when(one))], [allow(is("c"), when(other))])).toEqual([
			`nobody a if ${one}`,
			`alone c if ${other}`,
		]);
	});

	it("has no way that a policy closes which denies everywhere", () => {
		expect(between([allow(is("a"))], [allow(is("c"), when(one)), deny(is("c"))])).toEqual(["nobody a"]);
	});
});

describe("A comparison", () => {
	const [first, second] = [allow(is("a")), allow(is("b"))];
	const compared = (before: readonly AccessPolicy[], after: readonly AccessPolicy[]) =>
		compareAccess(accessOf(before), accessOf(after), 0);

	it("says whether more is allowed, or less, or both", () => {
		expect(compared([first], [first, second]).verdict).toBe("more-permissive");
		expect(compared([first, second], [first]).verdict).toBe("less-permissive");
		expect(compared([first], [second]).verdict).toBe("both");
		expect(compared([first, second], [second, first]).verdict).toBe("equivalent");
	});

	it("names each policy that changed once, in order", () => {
		const changed = [
			{ ...first, id: "z" },
			{ ...second, id: "m" },
		];
		const after = [{ ...allow(is("c")), id: "z" }];
		expect(compared(changed, after).findings[0]?.policyIds).toEqual(["m", "z"]);
	});
});
