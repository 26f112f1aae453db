import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportDocument, makeAliases } from "../../src/document/export/export.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { diff } from "../../src/plan/diff.ts";
import type { DesiredOrganization, Named, WholeOrganization } from "../../src/plan/organization.ts";
import { casesToTry } from "../case-count.ts";
import { anyCharacter } from "../characters.ts";
import {
	id,
	known,
	type LiveParts,
	liveOf,
	liveOfWorld,
	liveTag,
	sectionsOf,
	smallWorlds,
	unknown,
	withLive,
} from "../plan/support-organizations.ts";

const schema = "# yaml-language-server: $schema=../schemas/document.json\n";
const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];

function wholeOf(users: readonly Named[], parts: Partial<LiveParts> = {}): WholeOrganization {
	return { live: liveOf(parts), users: known(users), sessionProfilesKnown: known(null) };
}

/** Returns the desired state of the exported text. Fails the test if the text has problems. */
function readBack(text: string): DesiredOrganization {
	const { organizations, problems } = parseDocuments([{ file: "export.yaml", content: text }], {});
	expect(problems, text).toEqual([]);
	return organizations[0] ?? expect.unreachable();
}

const acme = wholeOf(
	[
		{ id: carol, name: "Carol Q. Public" },
		{ id: alice, name: "alice" },
		{ id: bob, name: "on" },
		{ id: id("user", 4), name: "twin" },
		{ id: id("user", 5), name: "twin" },
	],
	{
		userTags: known([
			liveTag(2, "signers", { members: known([alice, carol]) }),
			liveTag(1, "auditors"),
			liveTag(3, "keys", { type: "TAG_TYPE_PRIVATE_KEY" }),
			liveTag(4, "${HOME} it's: #1", { members: known([bob]) }),
			liveTag(5, "everybody", {
				members: known([1, 2, 3, 4, 5].map((number) => id("user", number))),
			}),
		]),
		policies: known([
			{ id: id("policy", 2), name: "z" },
			{ id: id("policy", 1), name: "a\n#absent:\u001b[31m" },
		]),
		oauthProviders: known([{ userId: bob, id: id("provider", 1), name: "" }]),
		tvcApps: known([{ id: id("app", 1), name: "signer" }]),
		sessionProfiles: {
			[id("other", 1)]: known({ sessionProfileName: "default", scope: "sign", expirationSeconds: "900", notes: "" }),
		},
		mfaPolicies: {
			[alice]: known([
				{ mfaPolicyId: id("other", 3), mfaPolicyName: "second", order: 2, condition: "true", notes: null },
				{
					mfaPolicyId: id("other", 2),
					mfaPolicyName: "first",
					order: 1,
					requiredAuthenticationMethods: [
						{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY", id: null }, { type: "AUTHENTICATION_TYPE_API_KEY" }] },
						{ any: [{ type: "AUTHENTICATION_TYPE_SESSION", id: "x: y" }] },
					],
				},
			]),
			[bob]: known([]),
		},
	},
);

describe("the exported document", () => {
	test("reads like a hand-written one, with deletable objects in comments", async () => {
		const { text, unread, leftOut } = exportDocument(acme, schema);
		await expect(text).toMatchFileSnapshot("../golden/export/acme.yaml");
		expect({ unread, leftOut }).toEqual({ unread: [], leftOut: [] });
	});

	test("does not depend on the order in which the service lists objects", () => {
		const reversed = <T>(list: readonly T[]): readonly T[] => [...list].reverse();
		const { live, users } = acme;
		const other: WholeOrganization = {
			...acme,
			users: known(reversed(users.known ? users.value : [])),
			live: withLive(live, {
				userTags: known(reversed(live.userTags.known ? live.userTags.value : [])),
				policies: known(reversed(live.removables.policy.known ? live.removables.policy.value : [])),
				mfaPolicies: Object.fromEntries(reversed(Object.entries(live.records.mfaPolicy ?? {}))),
			}),
		};
		expect(exportDocument(other, schema)).toEqual(exportDocument(acme, schema));
	});

	test("deletes exactly the commented objects after the comments are removed", () => {
		const { text } = exportDocument(acme, schema);
		const at = text.indexOf("#absent:");
		const uncommented = text.slice(0, at) + text.slice(at).replaceAll(/^#/gm, "");
		expect(sectionsOf(readBack(uncommented)).absent).toEqual({
			policyIds: [id("policy", 1), id("policy", 2)],
			oauthProviders: [{ userId: bob, providerIds: [id("provider", 1)] }],
			tvcAppIds: [id("app", 1)],
		});
		expect(sectionsOf(readBack(text)).absent).toEqual({ policyIds: [], oauthProviders: [], tvcAppIds: [] });
	});

	test("omits unknown members, and says why", () => {
		const whole: WholeOrganization = {
			live: liveOf({
				userTags: known([liveTag(1, "signers", { members: unknown })]),
				policies: unknown,
				oauthProviders: unknown,
				tvcApps: unknown,
			}),
			users: unknown,
			sessionProfilesKnown: unknown,
		};
		const { text, unread } = exportDocument(whole, schema);
		expect(sectionsOf(readBack(text)).userTags).toMatchObject([{ name: "signers", id: id("tag", 1) }]);
		expect(sectionsOf(readBack(text)).userTags[0]).not.toHaveProperty("members");
		expect(unread.map(({ what }) => what)).toEqual([
			"names of users, members of user tags, MFA policies, OAuth providers",
			"session profiles",
			"policies",
			"TVC apps",
		]);
		for (const { what, because } of unread) expect(text).toContain(`#   ${what}: ${because}\n`);
	});

	test("omits and reports values that a document cannot hold, and keeps the others", () => {
		const whole = wholeOf([{ id: alice, name: "alice" }], {
			userTags: known([
				liveTag(1, " padded"),
				liveTag(2, "twice"),
				liveTag(3, "twice"),
				liveTag(4, "strange", { members: known(["no-uuid"]) }),
			]),
			sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: "default", expirationSeconds: "soon" }) },
			mfaPolicies: {
				[alice]: known([
					{
						mfaPolicyId: id("other", 2),
						mfaPolicyName: "new",
						requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_TELEPATHY" }] }],
					},
					{ mfaPolicyId: id("other", 3), requiredAuthenticationMethods: [{ any: [] }] },
				]),
			},
		});
		const { text, leftOut } = exportDocument(whole, schema);
		expect(sectionsOf(readBack(text)).userTags.map(({ name }) => name)).toEqual(["twice"]);
		expect(sectionsOf(readBack(text)).expect).toMatchObject({
			sessionProfiles: [{ fields: { name: "default" } }],
			mfaPolicies: [{ id: id("other", 2), fields: { name: "new" } }],
		});
		expect(leftOut.map(({ what }) => what)).toEqual([
			"userTag: padded",
			"userTag:strange",
			"userTag:twice",
			`expirationSeconds of sessionProfile:${id("other", 1)}`,
			`requiredAuthenticationMethods of mfaPolicy:alice/${id("other", 2)}`,
			`requiredAuthenticationMethods of mfaPolicy:alice/${id("other", 3)}`,
		]);
		for (const { because } of leftOut) expect(text).toContain(because);
	});
});

describe("an alias", () => {
	const aliasesOf = (...names: readonly string[]): readonly (string | undefined)[] => {
		const users = names.map((name, number) => ({ id: id("user", number + 1), name }));
		const aliases = makeAliases(users);
		expect(makeAliases([...users].reverse())).toEqual(aliases);
		return users.map((user) => aliases.get(user.id));
	};

	test("is the user's name", () => {
		expect(aliasesOf("alice", "Bob B.", "carol@example.com")).toEqual(["alice", "Bob B.", "carol@example.com"]);
	});

	test("of users with the same name ends with the start of the id, unless another user has that name", () => {
		expect(aliasesOf("al", "al", "bo")).toEqual(["al-10000001", "al-10000002", "bo"]);
		expect(aliasesOf("al", "al", "al-10000001")).toEqual([`al-${id("user", 1)}`, "al-10000002", "al-10000001"]);
	});

	test("is generated if the name is unusable", () => {
		expect(aliasesOf("", "  ", id("user", 9), "a\nb", "${HOME}", " x ", "y".repeat(2000))).toEqual([
			"user-10000001",
			"user-10000002",
			"user-10000003",
			"a-b",
			"-HOME}",
			"x",
			"y".repeat(60),
		]);
	});
});

const awkward = fc.oneof(
	fc.string({ unit: anyCharacter, maxLength: 12 }),
	fc.stringMatching(/^[ -~]{0,12}$/),
	fc.constantFrom(
		"true",
		"null",
		"~",
		"1",
		"0x1",
		"1e3",
		"- a",
		"a: b",
		"a #b",
		"${X}",
		"$${X}",
		"*a",
		"&a",
		"<<",
		"?",
	),
	fc.constantFrom(
		"__proto__",
		"constructor",
		"[a",
		"a]",
		"{",
		"'",
		'"',
		"\\",
		"%x",
		"@x",
		"`x",
		"a,b",
		"é",
		"\u2028",
		"on",
	),
);

test("the exported document of any organization has an empty plan, and always the same bytes", () => {
	let tags = 0;
	fc.assert(
		fc.property(
			smallWorlds(),
			fc.array(awkward, { minLength: 12, maxLength: 12 }),
			fc.boolean(),
			(world, words, knowsMembers) => {
				const text = (index: number): string => words[index] ?? "";
				const small = liveOfWorld(world);
				const tagsThere = small.userTags.known ? small.userTags.value : [];
				const live = withLive(small, {
					userTags: known(
						tagsThere.map((tag, index) => ({
							...tag,
							name: index < 2 ? text(index) : tag.name,
							members: knowsMembers ? tag.members : unknown,
						})),
					),
					policies: known([{ id: id("policy", 9), name: text(2) }]),
					sessionProfiles: {
						[id("other", 1)]: known({ sessionProfileName: text(3), scope: text(4), notes: text(5) }),
					},
					mfaPolicies: {
						[id("user", 0)]: known([
							{
								mfaPolicyId: id("other", 2),
								mfaPolicyName: text(6),
								condition: text(7),
								order: 1,
								requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_SESSION", id: text(8) }] }],
							},
						]),
					},
				});
				const users = world.userIds.map((userId, user) => ({ id: userId, name: text(9 + user) }));
				const whole = { live, users: knowsMembers ? known(users) : unknown, sessionProfilesKnown: known(null) };
				const exported = exportDocument(whole, schema);
				const desired = readBack(exported.text);
				const { changes, problems } = diff(desired, live);
				expect({ changes, problems }).toEqual({ changes: [], problems: [] });
				expect(exportDocument(whole, schema)).toEqual(exported);
				// Nothing is lost silently: each tag and each field with a value is exported or reported.
				expect(
					sectionsOf(desired).userTags.length +
						exported.leftOut.filter(({ what }) => what.startsWith("userTag:")).length,
				).toBe(tagsThere.length);
				const profile = [text(3), text(4), text(5)].filter((word) => word !== "").length;
				expect(Object.keys(sectionsOf(desired).expect.sessionProfiles[0]?.fields ?? {}).length).toBe(profile);
				if (knowsMembers) expect(Object.keys(desired.users).length).toBe(world.userIds.length);
				expect(exported.text).not.toMatch(/[^\n -~\u00a1-\uffff]/);
				tags += sectionsOf(desired).userTags.length;
			},
		),
		casesToTry(50),
	);
	expect(tags).toBeGreaterThan(100);
}, 60_000);
