/**
 * Small organizations for tests: ids that can be read, desired and live organizations with what a test does not care
 * about filled in, and random small worlds that become both.
 */

import fc from "fast-check";
import type { AnyParameters } from "../../src/plan/activities/requests.ts";
import {
	type DesiredExpectation,
	type DesiredMembers,
	type DesiredObject,
	type DesiredOrganization,
	type DesiredRemoval,
	type DesiredUserTag,
	emptyLastApplied,
	expectationsOf,
	type Known,
	type LiveOrganization,
	type LiveRecord,
	type LiveRemovable,
	type LiveUserTag,
	removalsOf,
	tagsOf,
} from "../../src/plan/organization.ts";
import type { Step } from "../../src/plan/step.ts";

/** A UUID whose first characters say what it is of, so that ids of a kind sort by number. */
export function id(kind: "org" | "user" | "tag" | "policy" | "provider" | "app" | "other", number: number): string {
	const first = { org: "0", user: "1", tag: "2", policy: "3", provider: "4", app: "5", other: "6" }[kind];
	const digits = number.toString(16).padStart(7, "0");
	return `${first}${digits}-7a3f-4c9e-9d40-${number.toString(16).padStart(12, "0")}`;
}

/** The parameters of a step by name, whatever its operation. */
export function parametersOf({ parameters }: Pick<Step, "parameters">): AnyParameters {
	return parameters;
}

export const organizationId = id("org", 1);
export const at = { file: "document.yaml", line: 1, column: 1 };
export const context = { reads: "auto", readAtMs: 1_767_225_600_000 } as const;

export function known<T>(value: T): Known<T> {
	return { known: true, value };
}

export const unknown = {
	known: false,
	because: { kind: "stated", text: "the service does not show it" },
} as const;

/** What a test writes under the keys of a document. */
export interface Sections {
	readonly userTags: readonly DesiredUserTag[];
	readonly absent: {
		readonly policyIds: readonly string[];
		readonly oauthProviders: readonly { readonly userId: string; readonly providerIds: readonly string[] }[];
		readonly tvcAppIds: readonly string[];
	};
	readonly expect: {
		readonly sessionProfiles: readonly ({ readonly id: string } & Expected)[];
		readonly mfaPolicies: readonly ({
			readonly userId: string;
			readonly id?: string;
			readonly name?: string;
		} & Expected)[];
		readonly bootProofs: readonly ({ readonly appId: string } & Expected)[];
		readonly supportedAssets: readonly ({ readonly caip2: string; readonly symbol: string } & Expected)[];
	};
}

type Expected = Pick<DesiredExpectation, "fields" | "at">;

export const nothingAbsent: Sections["absent"] = { policyIds: [], oauthProviders: [], tvcAppIds: [] };

export const nothingExpected: Sections["expect"] = {
	sessionProfiles: [],
	mfaPolicies: [],
	bootProofs: [],
	supportedAssets: [],
};

export type DesiredParts = Partial<Omit<DesiredOrganization, "objects"> & Sections>;

export function desiredOf(parts: DesiredParts = {}): DesiredOrganization {
	const { userTags = [], absent = nothingAbsent, expect = nothingExpected, ...others } = parts;
	return {
		organizationId,
		users: {},
		objects: objectsOf({ userTags, absent, expect }),
		protect: { userIds: [], userTags: [] },
		limits: {},
		digest: "sha256:0",
		files: ["document.yaml"],
		...others,
	};
}

function objectsOf({ userTags, absent, expect }: Sections): readonly DesiredObject[] {
	const removal = (kind: DesiredRemoval["kind"], userId: string | null) => (removed: string) => ({
		kind,
		userId,
		id: removed,
	});
	const expected = (
		kind: DesiredExpectation["kind"],
		group: string | null,
		foundBy: string,
		key: string,
		{ fields, at: place }: Expected,
	): DesiredExpectation => ({ kind, group, foundBy, key, fields, at: place });
	return [
		...userTags,
		...absent.oauthProviders.flatMap(({ userId, providerIds }) => providerIds.map(removal("oauthProvider", userId))),
		...absent.policyIds.map(removal("policy", null)),
		...absent.tvcAppIds.map(removal("tvcApp", null)),
		...expect.sessionProfiles.map((one) => expected("sessionProfile", null, "id", one.id, one)),
		...expect.mfaPolicies.map((one) =>
			expected("mfaPolicy", one.userId, one.id === undefined ? "name" : "id", one.id ?? one.name ?? "", one),
		),
		...expect.bootProofs.map((one) => expected("bootProof", null, "app", one.appId, one)),
		...expect.supportedAssets.map((one) => expected("supportedAsset", one.caip2, "symbol", one.symbol, one)),
	];
}

/** The objects of a document under its keys. */
export function sectionsOf(desired: Pick<DesiredOrganization, "objects">): Sections {
	const byUser = Map.groupBy(removalsOf(desired, "oauthProvider"), ({ userId }) => userId ?? "");
	const idsOf = (kind: DesiredRemoval["kind"]) => removalsOf(desired, kind).map((one) => one.id);
	const named = ({ foundBy, key, fields, at: place }: DesiredExpectation) => ({ [foundBy]: key, fields, at: place });
	return {
		userTags: tagsOf(desired),
		absent: {
			policyIds: idsOf("policy"),
			oauthProviders: [...byUser].map(([userId, all]) => ({ userId, providerIds: all.map((one) => one.id) })),
			tvcAppIds: idsOf("tvcApp"),
		},
		expect: {
			sessionProfiles: expectationsOf(desired, "sessionProfile").map(({ key, fields, at: place }) => {
				return { id: key, fields, at: place };
			}),
			mfaPolicies: expectationsOf(desired, "mfaPolicy").map((one) => ({
				userId: one.group ?? "",
				...named(one),
			})) as Sections["expect"]["mfaPolicies"],
			bootProofs: expectationsOf(desired, "bootProof").map(({ key, fields, at: place }) => {
				return { appId: key, fields, at: place };
			}),
			supportedAssets: expectationsOf(desired, "supportedAsset").map(({ group, key, fields, at: place }) => {
				return { caip2: group ?? "", symbol: key, fields, at: place };
			}),
		},
	};
}

/** The document with these parts in place of its own. */
export function withSections({ objects, ...others }: DesiredOrganization, parts: DesiredParts): DesiredOrganization {
	return desiredOf({ ...others, ...sectionsOf({ objects }), ...parts });
}

type Named = Omit<LiveRemovable, "userId">;
type Unlisted = Readonly<Record<string, Known<LiveRecord | null>>>;
type Listed = Readonly<Record<string, Known<readonly LiveRecord[]>>>;

/** What a test says of live state, by the words of a document. */
export interface LiveParts extends Pick<LiveOrganization, "organizationId" | "userTags" | "users" | "lastApplied"> {
	readonly policies: Known<readonly Named[]>;
	readonly oauthProviders: Known<readonly LiveRemovable[]>;
	readonly tvcApps: Known<readonly Named[]>;
	readonly sessionProfiles: Unlisted;
	readonly mfaPolicies: Listed;
	readonly bootProofs: Unlisted;
	readonly supportedAssets: Listed;
}

/** Live state with these parts in place of its own. */
export function withLive(live: LiveOrganization, parts: Partial<LiveParts>): LiveOrganization {
	const { organizationId: own, userTags, users, lastApplied } = live;
	const { removables, records, ...made } = liveOf({ organizationId: own, userTags, users, lastApplied, ...parts });
	const { policies, oauthProviders, tvcApps, sessionProfiles, mfaPolicies, bootProofs, supportedAssets } = parts;
	const { policy, oauthProvider, tvcApp } = removables;
	const { sessionProfile, mfaPolicy, bootProof, supportedAsset } = records;
	return {
		organizationId: made.organizationId,
		userTags: made.userTags,
		users: made.users,
		lastApplied: made.lastApplied,
		removables: {
			policy: policies === undefined ? live.removables.policy : policy,
			oauthProvider: oauthProviders === undefined ? live.removables.oauthProvider : oauthProvider,
			tvcApp: tvcApps === undefined ? live.removables.tvcApp : tvcApp,
		},
		records: {
			...live.records,
			...(sessionProfiles === undefined ? {} : { sessionProfile }),
			...(mfaPolicies === undefined ? {} : { mfaPolicy }),
			...(bootProofs === undefined ? {} : { bootProof }),
			...(supportedAssets === undefined ? {} : { supportedAsset }),
		},
	};
}

export function liveOf(parts: Partial<LiveParts> = {}): LiveOrganization {
	const { policies = known([]), oauthProviders = known([]), tvcApps = known([]), ...more } = parts;
	const { sessionProfiles = {}, mfaPolicies = {}, bootProofs = {}, supportedAssets = {}, ...others } = more;
	const ownerless = (all: Known<readonly Named[]>): Known<readonly LiveRemovable[]> =>
		all.known ? known(all.value.map((one) => ({ userId: null, ...one }))) : all;
	const listed = (all: Unlisted): Listed =>
		Object.fromEntries(
			Object.entries(all).map(([key, one]) => [key, one.known ? known(one.value === null ? [] : [one.value]) : one]),
		);
	return {
		organizationId,
		userTags: known([]),
		removables: { policy: ownerless(policies), oauthProvider: oauthProviders, tvcApp: ownerless(tvcApps) },
		users: unknown,
		records: {
			sessionProfile: listed(sessionProfiles),
			mfaPolicy: mfaPolicies,
			bootProof: listed(bootProofs),
			supportedAsset: supportedAssets,
		},
		lastApplied: emptyLastApplied,
		...others,
	};
}

export function wantTag(name: string, parts: Partial<DesiredUserTag> = {}): DesiredUserTag {
	return { kind: "userTag", name, previously: [], at, ...parts };
}

export function liveTag(number: number, name: string, parts: Partial<LiveUserTag> = {}): LiveUserTag {
	return { id: id("tag", number), name, type: "TAG_TYPE_USER", updatedAt: "1.0", members: known([]), ...parts };
}

/** `kept`: exists and not listed. `removed`: exists and not wanted. `gone`: not wanted and does not exist. */
export type Removable = "kept" | "removed" | "gone";

/** What a document wants of members, users by their bits. */
type SmallMembers = { readonly exactly: number } | { readonly atLeast: number; readonly never: number } | undefined;

export interface SmallTag {
	readonly id: string;
	readonly name: string;
	/** Members by the bits of their numbers. */
	readonly members: number;
	/** Undefined for a tag that the document does not list. */
	readonly wanted:
		| { readonly name: string; readonly foundBy: "id" | "name" | "previously"; readonly members: SmallMembers }
		| undefined;
}

/** An organization and a document for it, small enough to try everything. */
export interface SmallWorld {
	readonly userIds: readonly string[];
	readonly tags: readonly SmallTag[];
	readonly policies: readonly Removable[];
	/** By user. */
	readonly providers: readonly (readonly Removable[])[];
	readonly apps: readonly Removable[];
}

export function usersOf(world: SmallWorld, bits: number): readonly string[] {
	return world.userIds.filter((_, number) => (bits & (1 << number)) !== 0);
}

/** Ids of the entries that are in one of these states. */
export function idsIn(
	kind: "policy" | "app",
	removables: readonly Removable[],
	...states: Removable[]
): readonly string[] {
	return removables.flatMap((state, number) => (states.includes(state) ? [id(kind, number)] : []));
}

export function providerIdsIn(world: SmallWorld, user: number, ...states: Removable[]): readonly string[] {
	return (world.providers[user] ?? []).flatMap((state, number) =>
		states.includes(state) ? [id("provider", user * 16 + number)] : [],
	);
}

function toMembers(world: SmallWorld, members: SmallMembers): { members?: DesiredMembers } {
	if (members === undefined) return {};
	if ("exactly" in members) return { members: { mode: "exactly", exactly: usersOf(world, members.exactly) } };
	const { atLeast, never } = members;
	return { members: { mode: "atLeast", atLeast: usersOf(world, atLeast), never: usersOf(world, never) } };
}

export function desiredOfWorld(world: SmallWorld): DesiredOrganization {
	const userTags = world.tags.flatMap((tag): DesiredUserTag[] => {
		if (tag.wanted === undefined) return [];
		const { name, foundBy, members } = tag.wanted;
		const parts = {
			id: { id: tag.id },
			name: {},
			previously: { previously: [tag.name] },
		}[foundBy];
		return [wantTag(name, { ...parts, ...toMembers(world, members) })];
	});
	return desiredOf({
		userTags: userTags.sort((left, right) => (left.name < right.name ? -1 : 1)),
		absent: {
			policyIds: idsIn("policy", world.policies, "removed", "gone"),
			oauthProviders: world.userIds.flatMap((userId, user) => {
				const providerIds = providerIdsIn(world, user, "removed", "gone");
				return providerIds.length === 0 ? [] : [{ userId, providerIds }];
			}),
			tvcAppIds: idsIn("app", world.apps, "removed", "gone"),
		},
	});
}

export function liveOfWorld(world: SmallWorld): LiveOrganization {
	const named = (found: string): { id: string; name: string } => ({ id: found, name: `called ${found}` });
	return liveOf({
		userTags: known(
			world.tags
				.map((tag) => ({
					...liveTag(0, tag.name, { members: known(usersOf(world, tag.members)) }),
					id: tag.id,
				}))
				.sort((left, right) => (left.id < right.id ? -1 : 1)),
		),
		policies: known(idsIn("policy", world.policies, "kept", "removed").map(named)),
		oauthProviders: known(
			world.userIds.flatMap((userId, user) =>
				providerIdsIn(world, user, "kept", "removed").map((found) => ({ userId, ...named(found) })),
			),
		),
		tvcApps: known(idsIn("app", world.apps, "kept", "removed").map(named)),
	});
}

/** The wanted names of managed tags: `names` are all there are, `held` those that the tags have. */
type Shape = (held: readonly string[], names: readonly string[]) => readonly string[];

const stay: Shape = (held) => held;
const rotate: Shape = (held) => held.map((_, index) => held[(index + 1) % held.length] ?? "");
const chain: Shape = (held, names) => [...held.slice(1), names.find((name) => !held.includes(name)) ?? held[0] ?? ""];
const swapPairs: Shape = (held) => held.map((name, index) => held[index ^ 1] ?? name);
const anyNames: Shape = (held, names) => names.slice(0, held.length);

const removable = fc.constantFrom<Removable>("kept", "removed", "gone");

/** The name that orgsync gives a tag that steps aside; here some tags have or want it themselves. */
function temporaryNameOf(tagId: string): string {
	return `orgsync-temporary-${tagId.slice(0, 8)}`;
}

export interface SmallWorldOptions {
	/** Whether the document may also list as absent what is not there. */
	readonly withGone?: boolean;
}

/**
 * Random small worlds: up to 4 tags and 6 names, 2 or 3 users, with renames in chains, cycles and at random, and tags that
 * the document does not list and whose names it may want.
 */
export function smallWorlds({ withGone = true }: SmallWorldOptions = {}): fc.Arbitrary<SmallWorld> {
	const state = withGone ? removable : fc.constantFrom<Removable>("kept", "removed");
	return fc
		.record({
			userCount: fc.integer({ min: 2, max: 3 }),
			tagCount: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.constant(4)),
			shape: fc.constantFrom(stay, rotate, chain, swapPairs, anyNames),
			// Tags whose ids begin alike would have the same temporary name.
			alike: fc.boolean(),
			temporaryNames: fc.boolean(),
			order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
			reorder: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
			unmanaged: fc.oneof(
				{ weight: 3, arbitrary: fc.constant([false, false, false, false]) },
				fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
			),
			byId: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
			members: fc.array(fc.nat(7), { minLength: 4, maxLength: 4 }),
			wanted: fc.array(
				fc.oneof(
					fc.constant(undefined),
					fc.record({ exactly: fc.nat(7) }),
					fc.tuple(fc.nat(7), fc.nat(7)).map(([atLeast, other]) => ({ atLeast, never: other & ~atLeast })),
				),
				{ minLength: 4, maxLength: 4 },
			),
			policies: fc.array(state, { maxLength: 2 }),
			providers: fc.array(fc.array(state, { maxLength: 2 }), { maxLength: 2 }),
			apps: fc.array(state, { maxLength: 1 }),
		})
		.map((random) => {
			const { userCount, tagCount, shape, order, reorder, wanted } = random;
			const everyone = (1 << userCount) - 1;
			const ids = [0, 1, 2, 3].map((number) =>
				random.alike ? `22222222-7a3f-4c9e-9d40-${String(number).padStart(12, "0")}` : id("tag", number),
			);
			const pool = ["ann", "ben", "cat", "dan", "eve", "fay"];
			if (random.temporaryNames) {
				const first = temporaryNameOf(ids[0] ?? "");
				pool.splice(0, 2, first, random.alike ? `${first}-2` : temporaryNameOf(ids[1] ?? ""));
			}
			const shuffled = order.map((index) => pool[index] ?? "");
			const names = reorder.map((index) => pool[index] ?? "");
			const held = shuffled.slice(0, tagCount);
			const managed = held.map((_, index) => index).filter((index) => random.unmanaged[index] !== true);
			const targets = shape(
				managed.map((index) => held[index] ?? ""),
				names,
			);
			const trim = (members: SmallMembers): SmallMembers =>
				members === undefined
					? undefined
					: "exactly" in members
						? { exactly: members.exactly & everyone }
						: { atLeast: members.atLeast & everyone, never: members.never & everyone };
			const tags = held.map((name, index): SmallTag => {
				const target = targets[managed.indexOf(index)];
				const members = (random.members[index] ?? 0) & everyone;
				if (target === undefined) return { id: ids[index] ?? "", name, members, wanted: undefined };
				const natural = target === name ? "name" : held.includes(target) ? "id" : "previously";
				const foundBy = random.byId[index] === true ? "id" : natural;
				const want = { name: target, foundBy, members: trim(wanted[index]) } as const;
				return { id: ids[index] ?? "", name, members, wanted: want };
			});
			return {
				userIds: [0, 1, 2].slice(0, userCount).map((number) => id("user", number)),
				tags,
				policies: random.policies,
				providers: random.providers,
				apps: random.apps,
			};
		});
}

/** What the renames of a world are like, by the names alone. */
export interface RenameShape {
	/** Lengths of the cycles, and of the chains that are none; a chain of one is a plain rename. */
	readonly cycles: readonly number[];
	readonly chains: readonly number[];
	/** Whether a wanted name belongs to a tag that keeps it. */
	readonly conflict: boolean;
}

export function renameShapeOf({ tags }: SmallWorld): RenameShape {
	const holders = new Map(tags.map((tag) => [tag.name, tag]));
	const moves = new Map(
		tags.flatMap((tag) => (tag.wanted !== undefined && tag.wanted.name !== tag.name ? [[tag, tag.wanted.name]] : [])),
	);
	const conflict = [...moves.values()].some((name) => {
		const holder = holders.get(name);
		return holder !== undefined && !moves.has(holder);
	});
	const next = (tag: SmallTag): SmallTag | undefined => {
		const holder = holders.get(moves.get(tag) ?? "");
		return holder !== undefined && moves.has(holder) ? holder : undefined;
	};
	const cycles: number[] = [];
	const inCycle = new Set<SmallTag>();
	for (const tag of moves.keys()) {
		const path = [tag];
		for (let other = next(tag); other !== undefined && !path.includes(other); other = next(other)) path.push(other);
		if (next(path.at(-1) ?? tag) !== tag || inCycle.has(tag)) continue;
		cycles.push(path.length);
		for (const member of path) inCycle.add(member);
	}
	const followed = new Set([...moves.keys()].map(next));
	const chains = [...moves.keys()]
		.filter((tag) => !inCycle.has(tag) && !followed.has(tag))
		.map((tag) => {
			let length = 1;
			for (let other = next(tag); other !== undefined; other = next(other)) length += 1;
			return length;
		});
	return { cycles, chains, conflict };
}
