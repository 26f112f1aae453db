/**
 * Each kind compared with live state, with last-applied state, and with nothing; which live tag an entry means; and what
 * of an expectation is compared.
 */
import { describe, expect, it } from "vitest";
import type { Differences, TagChange } from "../../src/plan/change.ts";
import { diff } from "../../src/plan/diff.ts";
import { kinds, removalKinds } from "../../src/plan/kinds/index.ts";
import {
	type DesiredMembers,
	type DesiredOrganization,
	type DesiredUserTag,
	emptyLastApplied,
	type Known,
	type LastApplied,
	type LastAppliedTag,
	type LiveOrganization,
	type LiveUserTag,
} from "../../src/plan/organization.ts";
import {
	at,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingExpected,
	type Sections,
	unknown,
	wantTag,
} from "./support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const appliedAt = "2026-01-01T00:00:00.000Z";

function absent(parts: Partial<Sections["absent"]>): DesiredOrganization {
	return desiredOf({ absent: { policyIds: [], oauthProviders: [], tvcAppIds: [], ...parts } });
}

function remembering(parts: Partial<LastApplied>): LastApplied {
	return { ...emptyLastApplied, ...parts };
}

describe("every kind", () => {
	it("is named once, in the order in which steps are taken", () => {
		expect(kinds.map(({ name, action }) => `${action} ${name}`)).toEqual([
			"update userTag",
			"remove oauthProvider",
			"remove policy",
			"remove tvcApp",
			"report sessionProfile",
			"report mfaPolicy",
			"report bootProof",
			"report supportedAsset",
		]);
		for (const { words } of kinds) expect(new Set(words).size).toBe(2);
	});

	it("finds nothing in a document that does not list it, whatever is live", () => {
		const live = liveOf({
			userTags: known([liveTag(1, "signers", { members: known([alice]) })]),
			policies: known([{ id: id("policy", 1), name: "p" }]),
			oauthProviders: known([{ userId: alice, id: id("provider", 1), name: "g" }]),
			tvcApps: unknown,
			sessionProfiles: { [id("other", 1)]: known({}) },
		});
		expect(diff(desiredOf(), live)).toEqual({ changes: [], problems: [], unread: [] });
	});
});

describe("something to remove", () => {
	const wanted = id("policy", 1);
	const rows = [
		{
			kind: "policy",
			desired: absent({ policyIds: [wanted] }),
			address: `policy:${wanted}`,
			userId: null,
			live: (found: Known<readonly { id: string; name: string }[]>, lastApplied: LastApplied) =>
				liveOf({ policies: found, lastApplied }),
			lastApplied: remembering({ removed: { policy: { [wanted]: { appliedAt } } } }),
		},
		{
			kind: "tvcApp",
			desired: absent({ tvcAppIds: [wanted] }),
			address: `tvcApp:${wanted}`,
			userId: null,
			live: (found: Known<readonly { id: string; name: string }[]>, lastApplied: LastApplied) =>
				liveOf({ tvcApps: found, lastApplied }),
			lastApplied: remembering({ removed: { tvcApp: { [wanted]: { appliedAt } } } }),
		},
		{
			kind: "oauthProvider",
			desired: { ...absent({ oauthProviders: [{ userId: alice, providerIds: [wanted] }] }), users: { alice } },
			address: `oauthProvider:alice/${wanted}`,
			userId: alice,
			live: (found: Known<readonly { id: string; name: string }[]>, lastApplied: LastApplied) =>
				liveOf({
					oauthProviders: found.known ? known(found.value.map((one) => ({ userId: alice, ...one }))) : found,
					lastApplied,
				}),
			lastApplied: remembering({ removed: { oauthProvider: { [`${alice}/${wanted}`]: { appliedAt } } } }),
		},
	] as const;

	describe.each(rows)("of the kind $kind", ({ kind, desired, address, userId, live, lastApplied }) => {
		const removal = { address, kind, action: "remove", id: wanted, userId, after: null };

		it("is removed when it is there", () => {
			expect(diff(desired, live(known([{ id: wanted, name: "old" }]), emptyLastApplied))).toEqual({
				changes: [{ ...removal, reason: "is-there", basis: "live", before: { name: "old" } }],
				problems: [],
				unread: [],
			});
		});

		it("is removed when it is there again, although it was removed before", () => {
			const { changes } = diff(desired, live(known([{ id: wanted, name: "old" }]), lastApplied));
			expect(changes.map(({ basis }) => basis)).toEqual(["live"]);
		});

		it("is left when it is not there", () => {
			const others = known([{ id: id("other", 9), name: "another" }]);
			expect(diff(desired, live(others, emptyLastApplied))).toEqual({ changes: [], problems: [], unread: [] });
		});

		it("is removed once when it is unknown and was never removed", () => {
			expect(diff(desired, live(unknown, emptyLastApplied))).toEqual({
				changes: [{ ...removal, reason: "not-known-to-be-absent", basis: "unknown", before: null }],
				problems: [],
				unread: [{ scope: "kind", kind, because: unknown.because, standsIn: "nothing" }],
			});
		});

		it("is left when it is unknown and was removed before, and that is said", () => {
			expect(diff(desired, live(unknown, lastApplied))).toEqual({
				changes: [],
				problems: [],
				unread: [{ scope: "kind", kind, because: unknown.because, standsIn: "last-applied" }],
			});
		});
	});

	it("belongs to one user: the same provider of another is left", () => {
		const desired = absent({ oauthProviders: [{ userId: alice, providerIds: [wanted] }] });
		const live = liveOf({ oauthProviders: known([{ userId: bob, id: wanted, name: "of bob" }]) });
		expect(diff(desired, live).changes).toEqual([]);
		expect(diff(desired, liveOf({ oauthProviders: unknown })).changes[0]?.address).toBe(
			`oauthProvider:${alice}/${wanted}`,
		);
	});
});

describe("the members of a tag", () => {
	const exactly = (...users: string[]): DesiredMembers => ({ mode: "exactly", exactly: users });
	const atLeast = (users: string[], never: string[] = []): DesiredMembers => ({
		mode: "atLeast",
		atLeast: users,
		never,
	});
	const remembered = (parts: Partial<LastAppliedTag> = {}): LastAppliedTag => ({
		appliedAt,
		name: "signers",
		present: [alice],
		gone: [carol],
		updatedAt: "1.0",
		...parts,
	});
	const stale = remembered({ updatedAt: "0.9" });
	const neverNoted = remembered({ updatedAt: "" });
	type Row = [
		what: string,
		wanted: DesiredMembers | undefined,
		live: readonly string[] | null,
		lastApplied: LastAppliedTag | null,
		add: readonly string[],
		remove: readonly string[],
		basis: TagChange["basis"],
	];

	it.each<Row>([
		["exactly, live", exactly(alice, bob), [alice, carol], null, [bob], [carol], "live"],
		["exactly nobody, live", exactly(), [alice, carol], null, [], [alice, carol], "live"],
		["at least, live", atLeast([alice, bob]), [alice, carol], null, [bob], [], "live"],
		["never, live", atLeast([], [carol, bob]), [alice, carol], null, [], [carol], "live"],
		["live before lastApplied", exactly(alice), [bob], remembered(), [alice], [bob], "live"],
		["exactly, lastApplied", exactly(bob), null, remembered(), [bob], [alice], "last-applied"],
		["at least, lastApplied", atLeast([alice, bob]), null, remembered(), [bob], [], "last-applied"],
		["never, memory of who has it", atLeast([], [alice]), null, remembered(), [], [alice], "last-applied"],
		["never, nobody knows", atLeast([], [bob, carol]), null, remembered(), [], [bob], "last-applied"],
		["lastApplied whose time was never noted", exactly(bob), null, neverNoted, [bob], [alice], "last-applied"],
		["exactly, unknown", exactly(alice, bob), null, null, [alice, bob], [], "unknown"],
		["at least and never, unknown", atLeast([alice], [bob]), null, null, [alice], [bob], "unknown"],
		["exactly, stale lastApplied", exactly(bob), null, stale, [bob], [alice], "unknown"],
		["at least, stale lastApplied", atLeast([alice], [carol]), null, stale, [alice], [carol], "unknown"],
	])("%s", (_what, members, live, lastApplied, addUserIds, removeUserIds, basis) => {
		const tag = liveTag(1, "signers", { members: live === null ? unknown : known(live) });
		const { changes, unread } = diff(
			desiredOf({ userTags: [wantTag("signers", members === undefined ? {} : { members })] }),
			liveOf({
				userTags: known([tag]),
				lastApplied: remembering(lastApplied === null ? {} : { userTags: { [tag.id]: lastApplied } }),
			}),
		);
		expect(changes).toMatchObject([{ reason: "members-differ", addUserIds, removeUserIds, basis, tagId: tag.id }]);
		const change = changes[0] as TagChange;
		const before = live ?? (basis === "last-applied" ? lastApplied?.present : undefined) ?? null;
		expect(change.before.members).toEqual(before);
		const after = before && [...before.filter((user) => !removeUserIds.includes(user)), ...addUserIds].sort();
		expect(change.after.members).toEqual(after);
		expect(change.lastApplied).toEqual(
			live !== null || lastApplied === null ? null : { at: appliedAt, changedSince: lastApplied === stale },
		);
		const standsIn = lastApplied === null ? "nothing" : "last-applied";
		expect(unread).toEqual(
			live === null ? [{ scope: "object", address: "userTag:signers", because: unknown.because, standsIn }] : [],
		);
	});

	it.each<[string, DesiredMembers | undefined, readonly string[] | null, LastAppliedTag | null]>([
		["exactly those who have it", exactly(alice, bob), [alice, bob], null],
		["at least some of those who have it", atLeast([alice], [carol]), [alice, bob], null],
		["not managed", undefined, [alice], null],
		["not managed and unknown", undefined, null, null],
		["as last applied", exactly(alice), null, remembered()],
		["at least as last applied, never as last applied", atLeast([alice], [carol]), null, remembered()],
		["at least nobody, unknown", atLeast([]), null, null],
	])("%s: no change", (_what, members, live, lastApplied) => {
		const tag = liveTag(1, "signers", { members: live === null ? unknown : known(live) });
		const { changes } = diff(
			desiredOf({ userTags: [wantTag("signers", members === undefined ? {} : { members })] }),
			liveOf({
				userTags: known([tag]),
				lastApplied: remembering(lastApplied === null ? {} : { userTags: { [tag.id]: lastApplied } }),
			}),
		);
		expect(changes).toEqual([]);
	});

	it("beside a new name are one change, and alone the name is another reason", () => {
		const tags = known([liveTag(1, "approvers", { members: known([]) })]);
		const reasonOf = (parts: Partial<DesiredUserTag>): string | undefined =>
			diff(
				desiredOf({ userTags: [wantTag("signers", { previously: ["approvers"], ...parts })] }),
				liveOf({ userTags: tags }),
			).changes[0]?.reason;
		expect(reasonOf({ members: exactly(alice) })).toBe("name-and-members-differ");
		expect(reasonOf({ members: exactly() })).toBe("name-differs");
		expect(reasonOf({})).toBe("name-differs");
	});
});

describe("a tag without members to read, whose applied record has no time of the tag", () => {
	/** Whether the tag was changed after what was applied: at this time of the activity, milliseconds, and of the tag. */
	function isChanged(completedAtMs: number | undefined, updatedAtMs: number | undefined, updatedAt = ""): boolean {
		const applied = { name: "signers", appliedAt, present: [alice], gone: [], updatedAt };
		const userTags = {
			[id("tag", 1)]: { ...applied, ...(completedAtMs === undefined ? {} : { completedAtMs }) },
		};
		const tag = liveTag(1, "signers", { members: unknown, ...(updatedAtMs === undefined ? {} : { updatedAtMs }) });
		const wanted = wantTag("signers", { members: { mode: "exactly", exactly: [bob] } });
		const { changes } = diff(
			desiredOf({ userTags: [wanted] }),
			liveOf({ userTags: known([tag]), lastApplied: remembering({ userTags }) }),
		);
		const [change] = changes as readonly TagChange[];
		expect(change?.basis).toBe(change?.lastApplied?.changedSince ? "unknown" : "last-applied");
		return change?.lastApplied?.changedSince === true;
	}

	it("was changed since where the tag is more than two seconds newer than the activity", () => {
		expect([4999, 5000, 7000].map((updatedAtMs) => isChanged(5000, updatedAtMs))).toEqual([false, false, false]);
		expect([7001, 90_000].map((updatedAtMs) => isChanged(5000, updatedAtMs))).toEqual([true, true]);
	});

	it("was not changed as far as is known where one of the times is not", () => {
		expect([isChanged(undefined, 90_000), isChanged(5000, undefined), isChanged(undefined, undefined)]).toEqual([
			...[false, false, false],
		]);
	});

	it("is judged by the time of the tag alone where that was noted", () => {
		// The live tag has the time 1.0.
		expect([isChanged(5000, 90_000, "1.0"), isChanged(5000, 5000, "0.5")]).toEqual([false, true]);
	});
});

describe("the activities that make something that must not exist", () => {
	const makes = (name: string, type: string) =>
		removalKinds.find((kind) => kind.name === name)?.creations.test(`ACTIVITY_TYPE_${type}`);

	it.each([
		["policy", ["CREATE_POLICY", "CREATE_POLICY_V3", "CREATE_POLICIES"], ["CREATE_POLICY_SET", "DELETE_POLICY"]],
		[
			"oauthProvider",
			["CREATE_OAUTH_PROVIDER", "CREATE_OAUTH_PROVIDERS", "CREATE_OAUTH_PROVIDERS_V2"],
			["CREATE_OAUTH_PROVIDERS_VX", "CREATE_OAUTH_PROVIDER_KEY"],
		],
		[
			"tvcApp",
			["CREATE_TVC_APP", "CREATE_TVC_APPS", "CREATE_TVC_APP_V12"],
			["CREATE_TVC_APP_DEPLOYMENT", "CREATE_TVC_APP_V", "DELETE_TVC_APP"],
		],
	] as const)("of the kind %s are known by their types, of any version", (name, types, others) => {
		expect(types.map((type) => makes(name, type))).toEqual(types.map(() => true));
		expect(others.map((type) => makes(name, type))).toEqual(others.map(() => false));
	});
});

describe("the tag that an entry means", () => {
	const tags = [liveTag(1, "signers"), liveTag(2, "approvers"), liveTag(3, "oncall"), liveTag(4, "Vault Keys")];

	function find(
		wanted: readonly DesiredUserTag[],
		live: readonly LiveUserTag[] = tags,
		lastApplied = emptyLastApplied,
	): Differences {
		return diff(desiredOf({ userTags: wanted }), liveOf({ userTags: known(live), lastApplied }));
	}

	/** Tag ids of the changes; every entry here has members that no tag has, so that each found tag changes. */
	function found(wanted: DesiredUserTag, live?: readonly LiveUserTag[]): readonly (string | undefined)[] {
		const members: DesiredMembers = { mode: "exactly", exactly: [alice] };
		const { changes } = find([{ ...wanted, members }], live);
		return changes.map((change) => (change as TagChange).tagId);
	}

	it.each<[string, DesiredUserTag, string]>([
		["is found by its name", wantTag("signers"), id("tag", 1)],
		["is found by its id whatever its name", wantTag("officers", { id: id("tag", 2) }), id("tag", 2)],
		["is found by its id before its name", wantTag("signers", { id: id("tag", 1) }), id("tag", 1)],
		["is found by an earlier name", wantTag("officers", { previously: ["nobody", "approvers"] }), id("tag", 2)],
		["is found by its name before its earlier ones", wantTag("signers", { previously: ["approvers"] }), id("tag", 1)],
		["is found by its exact name", wantTag("Vault Keys"), id("tag", 4)],
	])("%s", (_what, wanted, tagId) => {
		expect(found(wanted)).toEqual([tagId]);
	});

	it("is one of users, and a tag of private keys is none", () => {
		const keys = liveTag(5, "vault", { type: "TAG_TYPE_PRIVATE_KEY" });
		expect(find([wantTag("vault")], [...tags, keys]).problems.map(({ code }) => code)).toEqual(["tag-not-there"]);
		expect(found(wantTag("vault"), [liveTag(5, "vault", { type: "" })])).toEqual([id("tag", 5)]);
	});

	function only(differences: Differences): { code: string; message: string; place: unknown } {
		expect(differences.problems.length).toBe(1);
		expect(differences.changes).toEqual([]);
		const [{ code, message, path, ...place } = { code: "", message: "", path: "" }] = differences.problems;
		return { code, message, place: { path, ...place } };
	}

	it("that is not there is named with the nearest names, the place and the reason", () => {
		const position = { file: "acme.yaml", line: 7, column: 5 };
		const { code, message, place } = only(find([wantTag("signer", { at: position })]));
		expect(code).toBe("tag-not-there");
		expect(place).toEqual({ ...position, path: "userTag:signer" });
		expect(message).toMatch(
			/^no user tag is called `signer`; the nearest: `signers`, `oncall`, `approvers`; `create: true` creates it$/,
		);
		expect(message).not.toContain("Vault");
	});

	it("that is not there by its id is named by the id", () => {
		const { message } = only(find([wantTag("signers", { id: id("tag", 9) })]));
		expect(message).toContain(
			`no user tag has the id ${id("tag", 9)}; the nearest: \`signers\`, whose id is ${id("tag", 1)}`,
		);
	});

	it("that is not there in an organization without tags has no nearest names", () => {
		expect(only(find([wantTag("signers")], [])).message).toContain("the organization has no user tags");
	});

	it("that was renamed since orgsync changed it is named with its id", () => {
		const tag = { appliedAt, name: "guards", present: [], gone: [], updatedAt: "" };
		const lastApplied = remembering({ userTags: { [id("tag", 3)]: tag } });
		const { message } = only(find([wantTag("guards")], tags, lastApplied));
		expect(message).toContain(`is now called \`oncall\`: add \`id: ${id("tag", 3)}\` to rename it back`);
	});

	it("that two live tags could be is a problem and no guess", () => {
		const { code, message } = only(find([wantTag("officers", { previously: ["approvers", "oncall"] })]));
		expect(code).toBe("tag-ambiguous");
		expect(message).toContain("`approvers` (");
	});

	it("that two entries mean is a problem of the second", () => {
		const { problems, changes } = find([
			wantTag("officers", { previously: ["approvers"] }),
			wantTag("second", { id: id("tag", 2) }),
		]);
		expect(problems.map(({ code, path }) => [code, path])).toEqual([["duplicate-tag", "userTag:second"]]);
		expect(problems[0]?.message).toContain(`\`approvers\` (${id("tag", 2)}): \`officers\` and \`second\`; keep one`);
		expect(changes.map(({ address }) => address)).toEqual(["userTag:officers"]);
	});

	it.each<[string, string, readonly LiveUserTag[]]>([
		["a tag that the document does not speak of", "oncall", []],
		["a tag of private keys", "vault", [liveTag(5, "vault", { type: "TAG_TYPE_PRIVATE_KEY" })]],
	])("cannot take the name of %s", (_what, name, more) => {
		const { problems } = find([wantTag(name, { id: id("tag", 1) })], [...tags, ...more]);
		expect(problems.map(({ code, path }) => [code, path])).toEqual([["tag-name-taken", `userTag:${name}`]]);
		expect(problems[0]?.message).toContain(
			`\`signers\` cannot be renamed to \`${name}\`: the tag ${more[0]?.id ?? id("tag", 3)} has that name and keeps it`,
		);
	});

	it("keeps the name that it has, though a tag of another type has the same", () => {
		const more = liveTag(5, "signers", { type: "TAG_TYPE_PRIVATE_KEY" });
		expect(find([wantTag("signers")], [...tags, more])).toMatchObject({ changes: [], problems: [] });
	});

	it("can take the name that another tag no longer has", () => {
		const { problems, changes } = find([
			wantTag("approvers", { id: id("tag", 1) }),
			wantTag("officers", { id: id("tag", 2) }),
		]);
		expect(problems).toEqual([]);
		expect(changes.map(({ address }) => address)).toEqual(["userTag:approvers", "userTag:officers"]);
	});

	it("is not looked for when tags are unknown, and that is said", () => {
		expect(diff(desiredOf({ userTags: [wantTag("signers")] }), liveOf({ userTags: unknown }))).toEqual({
			changes: [],
			problems: [],
			unread: [{ scope: "kind", kind: "userTag", because: unknown.because, standsIn: "nothing" }],
		});
	});
});

describe("an expectation", () => {
	const [profile, app] = [id("other", 1), id("app", 1)];
	const passkey = { type: "AUTHENTICATION_TYPE_PASSKEY" };
	const email = { type: "AUTHENTICATION_TYPE_EMAIL_OTP" };
	type Fields = Readonly<Record<string, unknown>>;

	/** The one expectation of each kind that can only be read, against a record or against nothing. */
	const readings: Readonly<
		Record<string, { address: string; of: (fields: Fields, found?: Known<Fields | null>) => [unknown, unknown] }>
	> = {
		sessionProfile: {
			address: `sessionProfile:${profile}`,
			of: (fields, found) => [
				{ sessionProfiles: [{ id: profile, fields, at }] },
				found && { sessionProfiles: { [profile]: found } },
			],
		},
		mfaPolicy: {
			address: "mfaPolicy:alice/first",
			of: (fields, found) => [
				{ mfaPolicies: [{ userId: alice, name: "first", fields, at }] },
				found && { mfaPolicies: { [alice]: listOf(found, { mfaPolicyName: "first" }, { mfaPolicyName: "second" }) } },
			],
		},
		bootProof: {
			address: `bootProof:${app}`,
			of: (fields, found) => [{ bootProofs: [{ appId: app, fields, at }] }, found && { bootProofs: { [app]: found } }],
		},
		supportedAsset: {
			address: "supportedAsset:eip155:1/USDC",
			of: (fields, found) => [
				{ supportedAssets: [{ caip2: "eip155:1", symbol: "USDC", fields, at }] },
				found && { supportedAssets: { "eip155:1": listOf(found, { symbol: "USDC" }, { symbol: "ETH" }) } },
			],
		},
	};

	function listOf(found: Known<Fields | null>, identity: Fields, other: Fields): Known<readonly Fields[]> {
		if (!found.known) return found;
		return known([{ ...other, notes: "another" }, ...(found.value === null ? [] : [{ ...identity, ...found.value }])]);
	}

	function check(kind: string, fields: Fields, found?: Known<Fields | null>): Differences {
		const [wanted, live] = readings[kind]?.of(fields, found) ?? [];
		return diff(
			desiredOf({ users: { alice }, expect: { ...nothingExpected, ...(wanted as object) } }),
			liveOf({ ...(live as Partial<LiveOrganization>) }),
		);
	}

	describe.each(Object.keys(readings))("of a %s", (kind) => {
		const address = readings[kind]?.address;
		const fields = { notes: "kept", order: 1 };

		it("that is met reports nothing, whatever else the record holds", () => {
			const found = known({ notes: "kept", order: 1, scope: "anything", newField: { deep: [1] } });
			expect(check(kind, fields, found)).toEqual({ changes: [], problems: [], unread: [] });
		});

		it("that is not met reports the fields that differ and no others", () => {
			expect(check(kind, fields, known({ notes: "kept", order: 2, scope: "anything" }))).toEqual({
				changes: [
					{
						address,
						kind,
						action: "report",
						reason: "differs",
						basis: "live",
						before: { order: 2 },
						after: { order: 1 },
						...(kind === "mfaPolicy" ? { userId: alice } : {}),
					},
				],
				problems: [],
				unread: [],
			});
		});

		it.each([
			[{ order: 1 }],
			[{ order: 1, notes: null }],
		])("takes a field that is not there, %j, for different", (record) => {
			expect(check(kind, fields, known(record)).changes).toMatchObject([
				{ before: { notes: null }, after: { notes: "kept" } },
			]);
		});

		it("of what is not there reports that", () => {
			expect(check(kind, fields, known(null)).changes).toMatchObject([
				{ address, reason: "not-there", before: null, after: fields },
			]);
		});

		it("that could not be read is said and not taken for met or for different", () => {
			expect(check(kind, fields, unknown)).toEqual({
				changes: [],
				problems: [],
				unread: [{ scope: "object", address, because: unknown.because, standsIn: "nothing" }],
			});
			expect(check(kind, fields).unread).toEqual([
				{ scope: "object", address, because: { kind: "not-asked" }, standsIn: "nothing" },
			]);
		});
	});

	it.each<[string, string, Fields, Fields, boolean]>([
		[
			"a session profile's name is sessionProfileName",
			"sessionProfile",
			{ name: "a" },
			{ sessionProfileName: "a" },
			true,
		],
		["and no other field", "sessionProfile", { name: "a" }, { name: "a" }, false],
		["an asset's name is its name", "supportedAsset", { name: "a" }, { name: "a" }, true],
		["a text is not a number", "sessionProfile", { expirationSeconds: "900" }, { expirationSeconds: 900 }, false],
		[
			"a boot proof's attestation may have the vendor's field name",
			"bootProof",
			{ cloudAttestationDocB64: "AA" },
			{ awsAttestationDocB64: "AA" },
			true,
		],
		[
			"a boot proof's attestation by its own name comes first",
			"bootProof",
			{ cloudAttestationDocB64: "AA" },
			{ cloudAttestationDocB64: "BB", awsAttestationDocB64: "AA" },
			false,
		],
		[
			"the order of methods within a step means nothing",
			"mfaPolicy",
			{ requiredAuthenticationMethods: [{ any: [passkey, email] }] },
			{ requiredAuthenticationMethods: [{ any: [email, passkey] }] },
			true,
		],
		[
			"the order of steps means something",
			"mfaPolicy",
			{ requiredAuthenticationMethods: [{ any: [passkey] }, { any: [email] }] },
			{ requiredAuthenticationMethods: [{ any: [email] }, { any: [passkey] }] },
			false,
		],
		[
			"a method without an id is one with a null or an empty one",
			"mfaPolicy",
			{ requiredAuthenticationMethods: [{ any: [passkey, email] }] },
			{
				requiredAuthenticationMethods: [
					{
						any: [
							{ ...email, id: null },
							{ ...passkey, id: "" },
						],
					},
				],
			},
			true,
		],
		[
			"a method with another id is another",
			"mfaPolicy",
			{ requiredAuthenticationMethods: [{ any: [{ ...passkey, id: "one" }] }] },
			{ requiredAuthenticationMethods: [{ any: [{ ...passkey, id: "two" }] }] },
			false,
		],
		[
			"a step that the service leaves empty is not met",
			"mfaPolicy",
			{ requiredAuthenticationMethods: [{ any: [passkey] }] },
			{ requiredAuthenticationMethods: [{ any: null }] },
			false,
		],
		[
			"the order of earn providers means nothing",
			"supportedAsset",
			{ earnProviders: ["EARN_PROVIDER_AAVE", "EARN_PROVIDER_MORPHO"] },
			{ earnProviders: ["EARN_PROVIDER_MORPHO", "EARN_PROVIDER_AAVE"] },
			true,
		],
		[
			"earn providers are those that the document lists, and no others",
			"supportedAsset",
			{ earnProviders: ["EARN_PROVIDER_AAVE", "EARN_PROVIDER_MORPHO"] },
			{ earnProviders: ["EARN_PROVIDER_MORPHO"] },
			false,
		],
		[
			"earn providers that are no list are none",
			"supportedAsset",
			{ earnProviders: ["A"] },
			{ earnProviders: "A" },
			false,
		],
		["the order of another list means something", "bootProof", { list: ["a", "b"] }, { list: ["b", "a"] }, false],
		["a field is not the attestation", "bootProof", { owner: "AA" }, { awsAttestationDocB64: "AA" }, false],
		["the members of a value have no order", "bootProof", { owner: { a: 1, b: 2 } }, { owner: { b: 2, a: 1 } }, true],
	])("%s", (_what, kind, fields, record, met) => {
		expect(check(kind, fields, known(record)).changes.length).toBe(met ? 0 : 1);
	});

	it("of an MFA policy by id finds it in any case, and by name only its own user's", () => {
		const mfa = id("other", 10);
		const live = liveOf({
			mfaPolicies: {
				[alice]: known([{ mfaPolicyId: mfa.toUpperCase(), mfaPolicyName: "first", order: 1 }]),
				[bob]: known([]),
			},
		});
		const expecting = (userId: string, parts: { id?: string; name?: string }) =>
			diff(
				desiredOf({
					expect: { ...nothingExpected, mfaPolicies: [{ userId, ...parts, fields: { order: 1 }, at }] },
				}),
				live,
			).changes.map(({ address, reason }) => [address, reason]);
		expect(expecting(alice, { id: mfa })).toEqual([]);
		expect(expecting(alice, { name: "first" })).toEqual([]);
		expect(expecting(bob, { name: "first" })).toEqual([[`mfaPolicy:${bob}/first`, "not-there"]]);
		expect(expecting(bob, { id: mfa })).toEqual([[`mfaPolicy:${bob}/${mfa}`, "not-there"]]);
	});
});
