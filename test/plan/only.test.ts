/**
 * `--only`: which objects a selection names, and that everything else is not in the document any more.
 */
import { describe, expect, it } from "vitest";
import { showAddress } from "../../src/common/escape.ts";
import type { Change } from "../../src/plan/change.ts";
import { findUnlisted } from "../../src/plan/kinds/found-objects.ts";
import type { KindName } from "../../src/plan/kinds/names.ts";
import {
	isEmpty,
	isSelected,
	mentions,
	narrow,
	narrowToChanged,
	parseSelection,
	type Selection,
	selectionsLike,
} from "../../src/plan/only.ts";
import type { DesiredObject, DesiredOrganization, DesiredPolicy, Exceptions } from "../../src/plan/organization.ts";
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

const policy = (name: string, consensus = ""): DesiredPolicy => ({
	...{ kind: "policy", name, previously: [], effect: "EFFECT_ALLOW", consensus, condition: "", at },
});
const absentTag = (name: string): DesiredObject => ({ kind: "userTag", absent: true, name, at });
const namesOf = ({ objects }: DesiredOrganization) =>
	objects.map((one) => `${one.kind}:${"name" in one ? one.name : "id" in one ? one.id : one.key}`);
const lists = { policies: { except: ["p*"] }, userTags: { except: [] } };
const written: DesiredOrganization = {
	...everything,
	objects: [
		...[wantTag("oncall"), wantTag("signers"), absentTag("old"), absentTag("signers")],
		...[policy("pay", "approvers.any(u, u.tags.contains('${userTags.signers}'))"), policy("read")],
	],
	exactly: lists,
};

describe("a document with complete lists", () => {
	const narrowed = (...texts: readonly string[]) =>
		narrow(
			written,
			texts.map((text) => parseSelection(text) as Selection),
		);

	it("keeps a list complete where all of its kind is selected, and none of it for what the document lists", () => {
		expect(narrowed("policy").exactly).toEqual({ policies: lists.policies });
		expect(narrowed("userTag").exactly).toEqual({ userTags: lists.userTags });
		expect(narrowed("policy", "userTag").exactly).toEqual(lists);
		for (const text of ["policy:pay", "policy:read", "tvcApp", "userTag:old"]) {
			expect(narrowed(text)).not.toHaveProperty("exactly");
		}
		expect(narrow({ ...written, exactly: { userTags: { except: [] } } }, [{ kind: "policy" }])).not.toHaveProperty(
			"exactly",
		);
	});

	it("removes what is selected of what it does not list, by its name, its id or a glob, and leaves the rest", () => {
		const live = (name: string, number: number) => ({ id: id("policy", number), name });
		const all = [live("pay", 1), live("old", 2), live("older", 3), live("p-old", 4), live("was", 5)];
		const named = { ...written, objects: [...written.objects, { ...policy("new"), previously: ["was"] }] };
		const removedBy = (text: string) => {
			const { exactly } = narrow(named, [parseSelection(text) as Selection]);
			const { removed, left } = findUnlisted(all, [], exactly?.policies as Exceptions);
			return [removed.map(({ name }) => name), left.map(({ name }) => name)];
		};
		expect(removedBy("policy:old")).toEqual([["old"], ["older"]]);
		expect(removedBy(`policy:${id("policy", 3)}`)).toEqual([["older"], ["old"]]);
		expect(removedBy("policy/old*")).toEqual([["old", "older"], []]);
		expect(removedBy("policy/*")).toEqual([["old", "older"], []]);
		// A listed entry of another id, and one that takes over a former name.
		const byId = { ...policy("old"), id: id("policy", 9) };
		const other = narrow({ ...written, objects: [byId] }, [parseSelection("policy/o*") as Selection]).exactly;
		expect(findUnlisted(all, [], other?.policies as Exceptions).removed.map(({ name }) => name)).toEqual([
			...["old", "older"],
		]);
		expect(removedBy("policy:was")[0]).toEqual([]);
	});

	it("keeps the tags that the kept policies name, and no tag that must not exist", () => {
		expect(namesOf(narrowed("policy:pay"))).toEqual(["userTag:signers", "policy:pay"]);
		expect(namesOf(narrowed("policy:read"))).toEqual(["policy:read"]);
		expect(narrowed("policy:read").narrowed).toBe(true);
	});
});

describe("an address", () => {
	it("is selected by a selection of its kind and label", () => {
		const selections = [parseSelection("userTag/sign*") as Selection, parseSelection("policy:pay") as Selection];
		const chosen = ["userTag:signers", "userTag:oncall", "policy:pay", "policy:signers", "protect.users"];
		expect(chosen.filter((address) => isSelected(address, selections))).toEqual(["userTag:signers", "policy:pay"]);
	});

	it("can be that of each object of a kind, written as it was begun", () => {
		expect(selectionsLike("policy/x", written)).toEqual(["policy/pay", "policy/read"]);
		expect(selectionsLike("tvcApp:", everything)).toEqual([`tvcApp:${id("app", 1)}`, `tvcApp:${id("app", 2)}`]);
		expect(selectionsLike("nothing", everything)).toEqual([]);
	});
});

describe("the objects of changes", () => {
	const change = (parts: object): Change => ({ basis: "live", before: null, after: null, ...parts }) as never;
	const tagChange = (name: string, parts: object = {}) =>
		change({
			...{ kind: "userTag", address: `userTag:${name}`, action: "update", tagId: id("tag", 1) },
			...{ before: { name, members: [] }, ...parts },
		});
	const removal = (kind: KindName, one: string, parts: object = {}) =>
		change({ kind, address: `${kind}:x`, action: "remove", id: one, userId: null, ...parts });

	it("are those with its address, and of a removal those with its id or its name", () => {
		expect(namesOf(narrowToChanged(written, [tagChange("oncall")]))).toEqual(["userTag:oncall"]);
		expect(namesOf(narrowToChanged(everything, [removal("policy", id("policy", 2))]))).toEqual([
			`policy:${id("policy", 2)}`,
		]);
		const provider = removal("oauthProvider", id("provider", 2), { userId: alice });
		expect(namesOf(narrowToChanged(everything, [provider]))).toEqual([`oauthProvider:${id("provider", 2)}`]);
		const { exactly: _, ...without } = written;
		expect(namesOf(narrowToChanged(without, [removal("policy", "id", { before: { name: "read" } })]))).toEqual([
			"policy:read",
		]);
		const byId = { ...without, objects: [wantTag("oncall"), absentTag(id("tag", 1))] };
		expect(namesOf(narrowToChanged(byId, [tagChange("gone", { action: "remove" })]))).toEqual([
			`userTag:${id("tag", 1)}`,
		]);
		const report = change({ kind: "bootProof", address: `bootProof:${id("app", 1)}`, action: "report" });
		expect(isEmpty(narrowToChanged(everything, [report]))).toBe(true);
		expect(isEmpty(everything)).toBe(false);
	});

	it("are the removals that they are of a complete list, and no others", () => {
		const gone = removal("policy", "id");
		const goneTag = tagChange("x", { action: "remove" });
		const removedBy = (changes: readonly Change[], document = written) => {
			const { exactly } = narrowToChanged(document, changes);
			return [exactly?.policies, exactly?.userTags].map((list) => list?.part?.selected.map(({ label }) => label));
		};
		expect(namesOf(narrowToChanged(written, [gone, goneTag]))).toEqual([]);
		expect(removedBy([gone, goneTag])).toEqual([["id"], [id("tag", 1)]]);
		expect(removedBy([gone])).toEqual([["id"], undefined]);
		expect(removedBy([gone], { ...written, exactly: { userTags: lists.userTags } })).toEqual([undefined, undefined]);
		expect(narrowToChanged(written, [tagChange("oncall")])).not.toHaveProperty("exactly");
	});

	it("need members to be read where the change of a tag knew them", () => {
		const unknown = tagChange("oncall", { before: { name: "oncall", members: null } });
		const reads = (...changes: Change[]) => narrowToChanged(written, changes).readsMembers;
		expect([reads(unknown), reads(tagChange("oncall")), reads(removal("policy", "id")), reads()]).toEqual([
			...[false, true, false, false],
		]);
	});

	it("are mentioned by a document that lists them, or whose list is complete where they are removed", () => {
		const { exactly: _, ...without } = written;
		const cases: readonly [Change, DesiredOrganization, boolean][] = [
			[tagChange("oncall"), without, true],
			[tagChange("other"), without, false],
			[tagChange("other"), written, false],
			[tagChange("other", { action: "remove" }), written, true],
			[tagChange("other", { action: "remove" }), { ...written, exactly: { policies: lists.policies } }, false],
			[removal("policy", "id"), written, true],
			[removal("policy", "id"), without, false],
			[removal("policy", "id"), { ...written, exactly: { userTags: lists.userTags } }, false],
			[removal("tvcApp", "id"), written, false],
			[removal("tvcApp", id("app", 1)), everything, true],
			[change({ kind: "bootProof", address: "bootProof:x", action: "report" }), without, true],
		];
		expect(cases.map(([one, document]) => mentions(document, one))).toEqual(cases.map(([, , is]) => is));
	});
});
