/**
 * `--only`: which objects a selection names, and that everything else is not in the document any more.
 */
import { describe, expect, it } from "vitest";
import { showAddress } from "../../src/common/escape.ts";
import type { KindName } from "../../src/plan/kinds/names.ts";
import { narrow, parseSelection, type Selection } from "../../src/plan/only.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import { at, desiredOf, id, sectionsOf, wantTag } from "./support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];
const fields = {};
const everything = desiredOf({
	users: { alice },
	userTags: [wantTag("oncall"), wantTag("signers")],
	absent: {
		policyIds: [id("policy", 1), id("policy", 2)],
		oauthProviders: [
			{ userId: alice, providerIds: [id("provider", 1), id("provider", 2)] },
			{ userId: bob, providerIds: [id("provider", 3)] },
		],
		tvcAppIds: [id("app", 1), id("app", 2)],
	},
	expect: {
		sessionProfiles: [1, 2].map((number) => ({ id: id("other", number), fields, at })),
		mfaPolicies: [
			{ userId: alice, name: "passkey-first", fields, at },
			{ userId: bob, id: id("other", 7), fields, at },
		],
		bootProofs: [1, 2].map((number) => ({ appId: id("app", number), fields, at })),
		supportedAssets: ["USDC", "ETH"].map((symbol) => ({ caip2: "eip155:1", symbol, fields, at })),
	},
	protect: { userIds: [alice], userTags: ["oncall"] },
	limits: { policies: 1 },
});

/** Labels of all objects in a document, as they follow the kind in an address. */
function labelsOf(desired: DesiredOrganization): readonly string[] {
	const { userTags, absent, expect: expected } = sectionsOf(desired);
	const user = (userId: string): string => (userId === alice ? "alice" : userId);
	return [
		...userTags.map(({ name }) => `userTag:${name}`),
		...absent.policyIds.map((one) => `policy:${one}`),
		...absent.oauthProviders.flatMap(({ userId, providerIds }) =>
			providerIds.map((one) => `oauthProvider:${user(userId)}/${one}`),
		),
		...absent.tvcAppIds.map((one) => `tvcApp:${one}`),
		...expected.sessionProfiles.map((one) => `sessionProfile:${one.id}`),
		...expected.mfaPolicies.map(({ userId, name, id: policyId }) => `mfaPolicy:${user(userId)}/${name ?? policyId}`),
		...expected.bootProofs.map(({ appId }) => `bootProof:${appId}`),
		...expected.supportedAssets.map(({ caip2, symbol }) => `supportedAsset:${caip2}/${symbol}`),
	];
}

function only(...texts: readonly string[]): DesiredOrganization {
	return narrow(
		everything,
		texts.map((text) => parseSelection(text) as Selection),
	);
}

const kinds: readonly (readonly [KindName, string])[] = [
	["userTag", "sign*"],
	["policy", id("policy", 1)],
	["oauthProvider", `alice/${id("provider", 2)}`],
	["tvcApp", id("app", 2)],
	["sessionProfile", id("other", 1)],
	["mfaPolicy", "*/passkey-*"],
	["bootProof", id("app", 1)],
	["supportedAsset", "eip155:1/USD?"],
];

describe("a selection", () => {
	it.each(kinds)("of the kind %s keeps all of that kind and nothing else", (kind) => {
		const all = labelsOf(everything).filter((label) => label.startsWith(`${kind}:`));
		expect(all.length).toBeGreaterThan(1);
		expect(labelsOf(only(kind))).toEqual(all);
	});

	it("of an address keeps the object with this address, for every object", () => {
		for (const address of labelsOf(everything)) expect(labelsOf(only(address))).toEqual([address]);
	});

	it("of an address has no wildcards", () => {
		expect(labelsOf(only("userTag:*", "userTag:sign?rs", "policy:"))).toEqual([]);
	});

	it("of an address takes a name as a plan shows it and as it is", () => {
		const names = ["a, b", "a*", "ab", "\u202eabc", 'say "x"'];
		const desired = desiredOf({ userTags: names.map((name) => wantTag(name)) });
		for (const name of names) {
			for (const text of [`userTag:${name}`, showAddress(`userTag:${name}`)]) {
				const kept = narrow(desired, [parseSelection(text) as Selection]);
				expect(sectionsOf(kept).userTags.map((tag) => tag.name)).toEqual([name]);
			}
		}
	});

	it.each(kinds)("of the kind %s with %s keeps the one that it names", (kind, glob) => {
		const kept = labelsOf(only(`${kind}/${glob}`));
		expect(kept.length).toBe(1);
		expect(kept[0]?.startsWith(`${kind}:`)).toBe(true);
	});

	it("adds to the others", () => {
		expect(labelsOf(only("userTag/oncall", `policy/${id("policy", 2)}`, "userTag/nobody"))).toEqual([
			"userTag:oncall",
			`policy:${id("policy", 2)}`,
		]);
		expect(labelsOf(only(...kinds.map(([kind]) => kind)))).toEqual(labelsOf(everything));
	});

	it("that names nothing, and none at all, leave nothing", () => {
		expect(labelsOf(only("userTag/nobody"))).toEqual([]);
		expect(labelsOf(only())).toEqual([]);
	});

	it("leaves no user with an empty list of OAuth providers", () => {
		expect(sectionsOf(only(`oauthProvider/alice/${id("provider", 1)}`)).absent.oauthProviders).toEqual([
			{ userId: alice, providerIds: [id("provider", 1)] },
		]);
	});

	it("names a user without an alias by id", () => {
		expect(labelsOf(only(`oauthProvider/${bob}/*`))).toEqual([`oauthProvider:${bob}/${id("provider", 3)}`]);
		expect(labelsOf(only(`oauthProvider/${alice}/*`))).toEqual([]);
	});

	it("names an MFA policy that has no name by its id", () => {
		expect(labelsOf(only(`mfaPolicy/*/${id("other", 7)}`))).toEqual([`mfaPolicy:${bob}/${id("other", 7)}`]);
	});

	it("leaves what is protected, the limits and the names of users as they are", () => {
		const { protect, limits, users, organizationId, digest } = everything;
		expect(only("policy")).toMatchObject({ protect, limits, users, organizationId, digest });
	});
});

describe("the text of a selection", () => {
	it.each<[string, Selection | undefined]>([
		["userTag", { kind: "userTag" }],
		["userTag/signers", { kind: "userTag", glob: "signers" }],
		["oauthProvider/alice/*", { kind: "oauthProvider", glob: "alice/*" }],
		["supportedAsset/eip155:1/USDC", { kind: "supportedAsset", glob: "eip155:1/USDC" }],
		["userTag/", { kind: "userTag", glob: "" }],
		["usertag", undefined],
		["userTags", undefined],
		["user", undefined],
		["toString", undefined],
		["", undefined],
		["/signers", undefined],
		["*", undefined],
	])("%j means %j", (text, selection) => {
		expect(parseSelection(text)).toEqual(selection);
	});
});

describe("a glob", () => {
	function names(glob: string, ...tags: readonly string[]): readonly string[] {
		const desired = desiredOf({ userTags: tags.map((name) => wantTag(name)) });
		return sectionsOf(narrow(desired, [{ kind: "userTag", glob }])).userTags.map(({ name }) => name);
	}

	it("stands for the whole name, not for a part of it", () => {
		expect(names("sign", "sign", "signers", "resign", "Sign")).toEqual(["sign"]);
	});

	it("has a star for any text, also none, slashes and new lines", () => {
		expect(names("a*c", "ac", "abc", "a/b/c", "a\nc", "acd", "bac")).toEqual(["ac", "abc", "a/b/c", "a\nc"]);
		expect(names("*", "", "x")).toEqual(["", "x"]);
	});

	it("has a question mark for exactly one character, whatever it takes to write it", () => {
		expect(names("a?", "a", "ab", "abc", "a\u{1f511}")).toEqual(["ab", "a\u{1f511}"]);
	});

	it.each([
		..."\\^$.|+()[]{}-/,#&~!=:<> ",
		"[a-z]",
		"(?:x)",
		"a{2}",
		"\\d",
		"\u{1f511}",
	])("takes %j as it is", (text) => {
		expect(names(text, text, "a", "aa", "x", "7", "")).toEqual([text]);
		expect(names(`*${text}?`, `before${text}x`, "beforex")).toContain(`before${text}x`);
	});
});
