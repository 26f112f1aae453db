/** How a plan shows a user: an alias alone only where it can mean no other user. */
import { describe, expect, it } from "vitest";
import { makePlan } from "../../src/plan/plan.ts";
import { showUser } from "../../src/plan/user-labels.ts";
import {
	aliasDifferences,
	isSameLabel,
	labelUser,
	liveNamesFor,
	reassignedAliases,
	type UserNames,
	usersOf,
} from "../../src/plan/users.ts";
import { savePlan } from "../../src/say/published.ts";
import { checkSchema } from "../check-schema.ts";
import { context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "./support-organizations.ts";

const [alice, bob, carol, dave] = [1, 2, 3, 4].map((number) => id("user", number)) as [string, string, string, string];

describe("a user", () => {
	const names = (userNames: UserNames["userNames"], liveNames?: UserNames["liveNames"]): UserNames => ({
		userNames,
		...(liveNames === undefined ? {} : { liveNames }),
	});

	it("whom an access case makes up is shown by the name alone", () => {
		expect(showUser("newcomer", names({ newcomer: "newcomer" }, { [bob]: "bob" }))).toBe("newcomer");
	});

	it.each<[why: string, shown: string, UserNames]>([
		["whose alias is the live name", "alice", names({ [alice]: "alice" }, { [alice]: "alice", [bob]: "bob" })],
		["of whom no live name was read", "alice", names({ [alice]: "alice" })],
		[
			"whose live name is another",
			"alice (id 10000001…, live name bob)",
			names({ [alice]: "alice" }, { [alice]: "bob" }),
		],
		[
			"whose live name differs in case alone",
			"alice (id 10000001…, live name Alice)",
			names({ [alice]: "alice" }, { [alice]: "Alice" }),
		],
		["who is not there", "alice (id 10000001…, no live user)", names({ [alice]: "alice" }, { [bob]: "bob" })],
		[
			"whose live name somebody else has too",
			"alice (id 10000001…)",
			names({ [alice]: "alice" }, { [alice]: "alice", [bob]: "alice" }),
		],
		[
			"whose alias looks like somebody else's live name",
			"alice (id 10000001…)",
			names({ [alice]: "alice", [bob]: "bob" }, { [alice]: "alice", [bob]: "ALICE " }),
		],
		[
			"whose alias another user has in the base",
			"alice (id 10000001…)",
			names({ [alice]: "alice", [bob]: "alice" }, undefined),
		],
		[
			"whose name holds a part of an id",
			`${alice} (live name of 10000002-7A3F)`,
			names({}, { [alice]: "of 10000002-7A3F" }),
		],
		["whose name has the end of such a part", "prod-cafe (id 10000001…)", names({}, { [alice]: "prod-cafe" })],
		["whose name has the beginning of one", "10000002-a (id 10000001…)", names({}, { [alice]: "10000002-a" })],
		["whose name is the id of another user", `${alice} (live name ${bob})`, names({}, { [alice]: bob })],
		["of whom no other has an alias", "alice (id 10000001…)", names({}, { [alice]: "alice", [bob]: "bob" })],
		["without an alias", "alice (id 10000001…, no alias)", names({ [bob]: "bob" }, { [alice]: "alice", [bob]: "bob" })],
		[
			"without an alias, whose live name is an alias",
			"bob (id 10000001…, no alias)",
			names({ [bob]: "bob" }, { [alice]: "bob", [bob]: "bob" }),
		],
		["without an alias, of whom no live name was read", alice, names({})],
		["without an alias who is not there", `${alice} (no live user)`, names({}, {})],
		["without any name", `${alice}`, names({}, { [alice]: "" })],
		[
			"whose live name could be taken for more than a name",
			'alice (id 10000001…, live name "bob), carol")',
			names({ [alice]: "alice" }, { [alice]: "bob), carol" }),
		],
		[
			"with an alias that has to be cut",
			`${"a".repeat(59)}… (id 10000001…)`,
			names({ [alice]: "a".repeat(61) }, { [alice]: "a".repeat(61) }),
		],
		[
			"with an alias of which the escapes have to be cut",
			`${"\\u{3164}".repeat(7)}… (id 10000001…)`,
			names({ [alice]: "\u3164".repeat(10) }, { [alice]: "\u3164".repeat(10) }),
		],
		[
			"with an alias that looks like an id",
			"10000002-7A3F-4C9E-9D40-00000000000\uFF12 (id 10000001…)",
			names({ [alice]: "10000002-7A3F-4C9E-9D40-00000000000\uFF12" }),
		],
	])("%s is shown as %s", (_, shown, all) => expect(showUser(alice, all)).toBe(shown));

	it("with an alias that resembles another user's is distinguished from that user on both sides", () => {
		const all = names({ [bob]: "bob" }, { [alice]: "bob", [bob]: "bob" });
		expect(showUser(bob, all)).toBe("bob (id 10000002…)");
		expect(showUser(alice, all)).toBe("bob (id 10000001…, no alias)");
	});

	it("is shown with as much of the id as distinguishes it from all others", () => {
		const [one, other] = ["a0000000-0000-4000-8000-000000000001", "a0000000-0000-4000-8000-000000000002"];
		const near = names({ [one]: "x", [other]: "y" }, { [one]: "y", [other]: "x" });
		expect(showUser(one, near)).toBe(`x (id ${one}, live name y)`);
		const third = "a0000000-0000-4111-8000-000000000003";
		const far = names({ [one]: "x", [third]: "y" }, { [one]: "y", [third]: "x" });
		expect(showUser(one, far)).toBe("x (id a0000000-0000-4000…, live name y)");
	});

	it("of whom only the base has the alias is shown with that fact", () => {
		const all = {
			...names({ [alice]: "carol", [bob]: "carol" }),
			aliases: [{ alias: "carol", before: alice, after: bob }],
		};
		expect(showUser(alice, all)).toBe("carol (alias before this change, id 10000001…)");
		expect(showUser(bob, all)).toBe("carol (id 10000002…)");
	});

	it("is no other user for a name that every object has", () => {
		expect(labelUser("constructor", names({}, {}))).toMatchObject({ name: "constructor", isLive: false });
	});

	it("has the same label while readers see the same text", () => {
		const one = labelUser(alice, names({ [alice]: "alice" }, { [alice]: "alice" }));
		expect(isSameLabel(one, labelUser(alice, names({ [alice]: "alice" })))).toBe(true);
		expect(isSameLabel(one, labelUser(alice, names({ [alice]: "alice" }, { [alice]: "bob" })))).toBe(false);
		expect(isSameLabel(one, labelUser(alice, names({ [alice]: "alice" }, {})))).toBe(false);
	});
});

describe("the live names that a plan holds", () => {
	const live = known({ [alice]: "alice", [bob]: "bob", [carol]: "Bob", [dave]: "dave", strange: "alice" });

	it("are those of users with an alias, of users whom it moves, and of everybody with a name like theirs", () => {
		expect(liveNamesFor([], { [bob]: "b" }, live)).toEqual({ [bob]: "bob", [carol]: "Bob" });
		expect(liveNamesFor([alice], {}, live)).toEqual({ [alice]: "alice" });
		expect(liveNamesFor([], { [alice]: "dave" }, live)).toEqual({ [alice]: "alice", [dave]: "dave" });
	});

	it("are none where users were not read", () => expect(liveNamesFor([alice], {}, unknown)).toBeUndefined());

	it("are those of the users in the plan, and of no one else", () => {
		const desired = desiredOf({
			users: { alice },
			userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, bob] } })],
		});
		const plan = makePlan(desired, liveOf({ users: live, userTags: known([liveTag(1, "signers")]) }), context);
		expect(plan.liveNames).toEqual({ [alice]: "alice", [bob]: "bob", [carol]: "Bob" });
		const saved = JSON.stringify(savePlan({ ...plan, documentDigest: plan.touched[0]?.digest ?? "" }));
		expect(checkSchema("plan.json", JSON.parse(saved))).toEqual([]);
		expect(plan.changes.flatMap(usersOf)).toEqual([alice, bob]);
		expect(makePlan(desired, liveOf({ userTags: known([liveTag(1, "signers")]) }), context)).not.toHaveProperty(
			"liveNames",
		);
	});
});

describe("aliases of two documents", () => {
	it("differ where they mean other users, are new, or are gone", () => {
		const aliases = aliasDifferences({ alice, bob, carol }, { alice, bob: carol, dave });
		expect(aliases).toEqual([
			{ alias: "bob", before: bob, after: carol },
			{ alias: "carol", before: carol, after: null },
			{ alias: "dave", before: null, after: dave },
		]);
		expect(reassignedAliases({ aliases })).toEqual([{ alias: "bob", before: bob, after: carol }]);
	});
});
