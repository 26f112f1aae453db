/** What a change means where users, policies or the root quorum are not known, or too complex to compare. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import {
	accessOf,
	allow,
	between,
	changes,
	deny,
	is,
	known,
	noRoot,
	one,
	open,
	people,
	policy,
	root,
	signing,
	two,
	unread,
	user,
	when,
} from "./change-lines.ts";

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

	it("is the root quorum where only one side knows it", () => {
		const policies = [allow(is("c"))];
		const hidden = "unknown because the root quorum is not shown";
		const [shown, notShown] = [accessOf(policies, root(1, "a")), accessOf(policies, noRoot)];
		expect([changes(shown, notShown), changes(notShown, shown)]).toEqual([[hidden], [hidden]]);
	});

	it("does not matter where policies that deny are known and did not change", () => {
		const kept = open();
		const denial = deny(is("d"));
		expect(between([kept, denial], [kept, denial, allow(is("a"))])).toEqual(["alone a"]);
	});

	it("matters where one of the changes denies, and another allows", () => {
		const kept = open();
		const found = between([kept, allow(is("a"))], [kept, allow(is("a")), allow(is("b")), deny(is("c", "d"))]);
		expect(found).toEqual(["alone b", expect.stringContaining("the consensus is not understood")]);
	});

	it("is a change where only one side lacks policies, or users changed, and else none", () => {
		const lacks = accessOf([], missing);
		expect(changes(accessOf([]), lacks)).toEqual([because]);
		expect(changes(lacks, accessOf([]))).toEqual([because]);
		expect(changes(accessOf([]), accessOf([], { users: known(people.slice(1)) }))).toEqual([]);
	});

	it("are no conditions that exclude each other, of however many", () => {
		const under = (effect: "ALLOW" | "DENY", consensus: string): readonly AccessPolicy[] =>
			Array.from({ length: 50 }, (_, number) => policy(effect, consensus, when(`eth.tx.to == '${effect} ${number}'`)));
		const allows = under("ALLOW", is("a"));
		expect(between(allows, [...allows, ...under("DENY", is("a"))])).toEqual([]);
	});

	it("is named where a change rests on it, beside what does not rest on it", () => {
		const kept = allow(is("a"), `${signing} && sponsored(activity)`);
		const toX = allow(is("a"), when(one));
		expect(between([kept, deny(is("a"))], [kept])).toEqual([`alone a if ${kept.condition}`]);
		expect(between([kept, deny(is("a"))], [kept, allow(is("a"))])).toEqual(["alone a"]);
		expect(between([deny(is("a")), kept], [toX, kept])).toEqual([`alone a if ${kept.condition}`, `alone a if ${one}`]);
		expect(between([deny(is("a"), when(one)), kept], [kept])).toEqual([`alone a if ${one} && ${kept.condition}`]);
		expect(between([kept, toX], [kept, deny(is("a"))])).toEqual([
			`nobody a if ${kept.condition}`,
			`nobody a if ${one}`,
		]);
		expect(between([allow(two), kept], [kept])).toEqual(["nobody a+b+c+d shown by a+b"]);
	});

	it("is who there is only where a policy asks for it", () => {
		expect(changes(accessOf([]), accessOf([], noUsers))).toEqual([]);
	});

	it("are policies that are too complex", () => {
		const many = Array.from({ length: 20 }, (_, number) => user(`user-${number}`));
		const users = { users: known(many) };
		const denials = Array.from({ length: 10 }, (_, number) => deny(is(`user-${2 * number}`, `user-${2 * number + 1}`)));
		expect(changes(accessOf([allow(two)], users), accessOf([allow(two), ...denials], users))).toEqual([
			"unknown because policies are too complex to compare: policies that deny leave too many alternatives",
		]);
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

	it("is who there is, even where the root quorum names nobody", () => {
		const policies = [allow(is("a"))];
		const hidden = "unknown because users are not shown";
		expect(changes(accessOf(policies, noUsers), accessOf([], noUsers))).toEqual([hidden]);
		expect(changes(accessOf(policies, noUsers), accessOf([allow(is("b"))], noUsers))).toEqual([hidden]);
		expect(changes(accessOf(policies, noUsers), accessOf(policies, noUsers))).toEqual([]);
	});
});
