/** Changes of parts of who can do what: how many are needed, who takes part, a kind, and what is not known of them. */

import { describe, expect, it } from "vitest";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { compareAccess } from "../in-words.ts";
import { accessOf, allow, atMs, between, changes, deny, is, open, root, signing, two, unread } from "./change-lines.ts";

const three = "approvers.count() >= 3";

describe("A change of how many are needed", () => {
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
	const created = "activity.kind == 'CREATE_USERS'";
	const group = "kind CREATE_USERS";

	it("is not repeated for the kind of one of its types", () => {
		const type = "activity.type == 'ACTIVITY_TYPE_CREATE_USERS_V2'";
		const added = [allow(is("a"), `${created} && ${type}`)];
		expect(between([], added, group)).toEqual([]);
		expect(between([], added, "type ACTIVITY_TYPE_CREATE_USERS_V2")).toEqual(["alone a"]);
		expect(between([], added, "USER/CREATE")).toEqual([]);
	});

	it("may be under a consensus that is not understood", () => {
		const kept = { ...open(), condition: created };
		const found = between([kept], [kept, allow(is("b"), created), deny(is("a"), created)], group);
		expect(found.slice(0, -1)).toEqual(["alone b", "loses a if approvers.any(u, 1"]);
	});
});

describe("What is not known of a change", () => {
	const missing = { policies: unread("policies are not shown") };
	const noUsers = { users: unread("users are not shown") };
	const because = "unknown because policies are not shown";

	it("is a change where only one side knows policies, though no policy is about it", () => {
		expect(changes(accessOf([]), accessOf([], missing))).toEqual([because]);
		expect(changes(accessOf([], missing), accessOf([]))).toEqual([because]);
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

	it("is no change where no policy is about it, for any users", () => {
		expect(changes(accessOf([]), accessOf([], noUsers))).toEqual([]);
		expect(changes(accessOf([], noUsers), accessOf([]))).toEqual([]);
	});
});
