/**
 * From a seed to an organization and back: filling what a seed leaves out, showing state in the shape of a seed, and
 * merging a partial one into what is there. Everything here expects a seed without problems.
 */

import { laterTime, type Time, timeAt } from "./identifiers.ts";
import { canonicalNetwork } from "./queries.ts";
import type { Seed, SeedOrganization } from "./seed.ts";
import {
	type Entities,
	type EntityKind,
	entityKinds,
	identifyingFields,
	type NetworkAssets,
	type Organization,
	type OrganizationSettings,
	type Rules,
	type StateChange,
	type User,
	type UserTag,
} from "./state.ts";

type Timed<Entity> = Entity & { readonly createdAt: Time; readonly updatedAt: Time };

function withTimes<Entity extends { readonly createdAt?: Time; readonly updatedAt?: Time }>(
	entity: Entity,
	now: Time,
): Timed<Entity> {
	const createdAt = entity.createdAt ?? now;
	return { ...entity, createdAt, updatedAt: entity.updatedAt ?? createdAt };
}

function fillUser(seed: NonNullable<SeedOrganization["users"]>[number], now: Time): User {
	return {
		...withTimes(seed, now),
		userId: seed.userId.toLowerCase(),
		apiKeys: (seed.apiKeys ?? []).map((key) => ({ ...key, publicKey: key.publicKey.toLowerCase() })),
		authenticators: (seed.authenticators ?? []).map((authenticator) => ({
			...authenticator,
			credentialId: authenticator.credentialId.replace(/=+$/, ""),
			publicKey: authenticator.publicKey.toLowerCase(),
		})),
		oauthProviders: (seed.oauthProviders ?? []).map((provider) => ({
			issuer: "",
			audience: "",
			subject: "",
			...withTimes(provider, now),
			providerId: provider.providerId.toLowerCase(),
		})),
		mfaPolicies: (seed.mfaPolicies ?? []).map((policy, index) => ({
			condition: "",
			requiredAuthenticationMethods: [],
			order: index + 1,
			notes: "",
			...withTimes(policy, now),
			mfaPolicyId: policy.mfaPolicyId.toLowerCase(),
		})),
	};
}

function fillTag(seed: NonNullable<SeedOrganization["userTags"]>[number], now: Time): UserTag {
	return {
		...withTimes({ tagType: "TAG_TYPE_USER", ...seed }, now),
		tagId: seed.tagId.toLowerCase(),
		userIds: (seed.userIds ?? []).map((userId) => userId.toLowerCase()),
	};
}

type AnyEntity = Entities[EntityKind] extends ReadonlyMap<string, infer Value> ? Value : never;

/** The entities of a seed organization, complete, by kind; times that it leaves out are `nowMs`. */
function fillEntities(seed: SeedOrganization, nowMs: number): Record<EntityKind, readonly AnyEntity[]> {
	const now = timeAt(nowMs);
	return {
		users: (seed.users ?? []).map((user) => fillUser(user, now)),
		userTags: (seed.userTags ?? []).map((tag) => fillTag(tag, now)),
		policies: (seed.policies ?? []).map((policy) => ({
			effect: "EFFECT_ALLOW",
			condition: "",
			consensus: "",
			notes: "",
			...withTimes(policy, now),
			policyId: policy.policyId.toLowerCase(),
		})),
		tvcApps: (seed.tvcApps ?? []).map((app) => ({ ...withTimes(app, now), id: app.id.toLowerCase() })),
		sessionProfiles: (seed.sessionProfiles ?? []).map((profile) => ({
			scope: "",
			expirationSeconds: "",
			notes: "",
			...withTimes(profile, now),
			sessionProfileId: profile.sessionProfileId.toLowerCase(),
		})),
		supportedAssets: Object.entries(seed.supportedAssets ?? {}).map(([caip2, assets]) => ({
			caip2: canonicalNetwork(caip2),
			assets,
		})),
	};
}

function fillRules(rules: Rules | undefined): Rules {
	if (rules?.deny === undefined) return rules ?? {};
	const lower = ({ type, userId }: { type: string; userId?: string }) =>
		userId === undefined ? { type } : { type, userId: userId.toLowerCase() };
	return { ...rules, deny: rules.deny.map(lower) };
}

function headOf(seed: SeedOrganization): OrganizationSettings {
	return {
		organizationId: seed.organizationId.toLowerCase(),
		organizationName: seed.organizationName ?? "",
		rules: fillRules(seed.rules),
	};
}

function idOf(kind: EntityKind, entity: AnyEntity): string {
	return String((entity as unknown as Record<string, unknown>)[identifyingFields[kind]]);
}

/** The changes that make an organization what the seed says and nothing else; its activities go too. */
export function changesToReplace(seed: SeedOrganization, nowMs: number): readonly StateChange[] {
	const entities = fillEntities(seed, nowMs);
	const changes: StateChange[] = [{ change: "clear" }, { change: "head", head: headOf(seed) }];
	for (const kind of entityKinds) {
		for (const value of entities[kind]) changes.push({ change: "put", kind, id: idOf(kind, value), value });
	}
	return changes;
}

/** The organization in the shape of a seed; seeding it again gives the same organization. */
export function toSeed(organization: Organization): SeedOrganization {
	const { organizationId, organizationName, rules } = organization;
	const assets = [...organization.supportedAssets.values()].map(({ caip2, assets }: NetworkAssets) => [caip2, assets]);
	return {
		organizationId,
		organizationName,
		users: [...organization.users.values()],
		userTags: [...organization.userTags.values()],
		policies: [...organization.policies.values()],
		tvcApps: [...organization.tvcApps.values()],
		sessionProfiles: [...organization.sessionProfiles.values()],
		supportedAssets: Object.fromEntries(assets),
		rules,
	};
}

/** A partial organization: entities merge by id, `remove` names entities to take away, `rules` replaces the rules. */
export interface OrganizationPatch {
	readonly organizationId: string;
	readonly remove?: Partial<Record<EntityKind, readonly string[]>>;
	readonly [section: string]: unknown;
}

type Row = Readonly<Record<string, unknown>>;

function mergeRows(rows: readonly Row[], patches: readonly Row[], field: string, removed: ReadonlySet<string>) {
	const idOfRow = (row: Row) => String(row[field]).toLowerCase();
	const merged = new Map(rows.map((row) => [idOfRow(row), row]));
	for (const id of removed) merged.delete(id);
	for (const patch of patches) {
		const before = merged.get(idOfRow(patch)) ?? {};
		// A changed entity gets its own new time, unless the patch gives one.
		const { updatedAt: _updatedAt, ...rest } = before as { updatedAt?: Time };
		merged.set(idOfRow(patch), { ...rest, ...patch });
	}
	return [...merged.values()];
}

function listOf(value: unknown): readonly Row[] {
	return Array.isArray(value) ? value.filter((row): row is Row => typeof row === "object" && row !== null) : [];
}

/** `organization` in the shape of a seed with the patch merged in; to be checked before it is used. */
export function mergePatch(organization: Organization, patch: OrganizationPatch): Seed {
	const before = toSeed(organization) as unknown as Record<string, unknown>;
	const { remove = {}, organizationId: _organizationId, ...sections } = patch;
	const merged: Record<string, unknown> = { ...before };
	const removedOf = (kind: EntityKind) => new Set((remove[kind] ?? []).map((id) => String(id).toLowerCase()));
	for (const [section, value] of Object.entries(sections)) {
		if (!Object.hasOwn(identifyingFields, section)) merged[section] = value;
	}
	for (const kind of entityKinds) {
		if (kind === "supportedAssets") continue;
		merged[kind] = mergeRows(listOf(before[kind]), listOf(sections[kind]), identifyingFields[kind], removedOf(kind));
	}
	const assets = new Map(Object.entries(before.supportedAssets as object));
	for (const caip2 of remove.supportedAssets ?? []) assets.delete(canonicalNetwork(String(caip2)));
	for (const [caip2, value] of Object.entries(sections.supportedAssets ?? {}))
		assets.set(canonicalNetwork(caip2), value);
	merged.supportedAssets = Object.fromEntries(assets);
	const gone = removedOf("users");
	if (gone.size > 0) {
		merged.userTags = listOf(merged.userTags).map((tag) => {
			const { updatedAt, ...rest } = tag as unknown as UserTag;
			const userIds = rest.userIds.filter((userId) => !gone.has(userId));
			return userIds.length === rest.userIds.length ? tag : { ...rest, userIds };
		});
	}
	return { organizations: [merged as unknown as SeedOrganization] };
}

/** The changes that turn `organization` into `seed`, which mergePatch made of it; what is equal is left alone. */
export function changesToMerge(
	organization: Organization,
	seed: SeedOrganization,
	nowMs: number,
): readonly StateChange[] {
	const entities = fillEntities(seed, nowMs);
	const changes: StateChange[] = [{ change: "head", head: headOf(seed) }];
	for (const kind of entityKinds) {
		const before: ReadonlyMap<string, AnyEntity> = organization[kind];
		const kept = new Set<string>();
		const asked = listOf(seed[kind]);
		entities[kind].forEach((value, index) => {
			const id = idOf(kind, value);
			kept.add(id);
			const previous = before.get(id);
			const timed = moveTime(previous, value, asked[index], nowMs);
			if (JSON.stringify(previous) !== JSON.stringify(timed)) changes.push({ change: "put", kind, id, value: timed });
		});
		for (const id of before.keys()) if (!kept.has(id)) changes.push({ change: "remove", kind, id });
	}
	return changes;
}

/** `value` with an `updatedAt` after the previous one when something changed and the patch named no time. */
function moveTime(previous: AnyEntity | undefined, value: AnyEntity, asked: Row | undefined, nowMs: number): AnyEntity {
	if (previous === undefined || !("updatedAt" in previous) || asked?.updatedAt !== undefined) return value;
	const { updatedAt } = previous;
	const unmoved = { ...value, updatedAt };
	const same = JSON.stringify(sorted(previous)) === JSON.stringify(sorted(unmoved));
	return same ? previous : { ...unmoved, updatedAt: laterTime(nowMs, updatedAt) };
}

function sorted(entity: object): object {
	return Object.fromEntries(Object.entries(entity).sort(([one], [other]) => (one < other ? -1 : 1)));
}
