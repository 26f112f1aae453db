/** From a seed without problems to an organization and back: the changes of a seed or patch, and an organization as a seed. */
import { isDeepStrictEqual } from "node:util";
import { defined } from "../../common/defined.ts";
import { laterTime, type Time, timeAt } from "../identifiers.ts";
import { type EntityKind, type JsonObject, putEntity, removeEntity } from "../kinds/entity-kind.ts";
import { entityKinds } from "../kinds/table.ts";
import { users } from "../kinds/user.ts";
import { userTags } from "../kinds/user-tag.ts";
import type { Organization, OrganizationSettings, RootQuorum, Rules, StateChange } from "../state.ts";
import { rowsOf, type SeedOrganization } from "./check.ts";

function completeRules(rules: Rules = {}): Rules {
	if (rules.deny === undefined) return rules;
	const deny = rules.deny.map(({ type, userId }) =>
		userId === undefined ? { type } : { type, userId: userId.toLowerCase() },
	);
	return { ...rules, deny };
}

function completeQuorum({ threshold, userIds }: RootQuorum): RootQuorum {
	return { threshold, userIds: userIds.map((userId) => userId.toLowerCase()) };
}

function settingsOf(seed: SeedOrganization): OrganizationSettings {
	return {
		organizationId: seed.organizationId.toLowerCase(),
		organizationName: seed.organizationName ?? "",
		...defined({ rootQuorum: seed.rootQuorum && completeQuorum(seed.rootQuorum) }),
		...defined({ parentOrganizationId: seed.parentOrganizationId?.toLowerCase() }),
		rules: completeRules(seed.rules),
	};
}

/** Returns the changes that make an organization exactly what the seed says. Its activities are removed. */
export function changesToReplace(seed: SeedOrganization, nowMs: number): readonly StateChange[] {
	const now = timeAt(nowMs);
	return [
		{ change: "clear" },
		{ change: "settings", settings: settingsOf(seed) },
		...entityKinds.flatMap((kind) => rowsOf(kind, seed).map((row) => putEntity(kind, kind.complete(row, now)))),
	];
}

/** Returns the organization in the form of a seed. Seeding it again gives the same organization. */
export function toSeed(organization: Organization): SeedOrganization {
	const { organizationId, organizationName, rootQuorum, parentOrganizationId, rules } = organization;
	const sections = entityKinds.map((kind) => {
		const entities = [...organization.entities(kind).values()];
		return [kind.section, kind.writeSection(entities)];
	});
	const parent = defined({ parentOrganizationId });
	return {
		organizationId,
		organizationName,
		...parent,
		...Object.fromEntries(sections),
		...defined({ rootQuorum }),
		rules,
	};
}

/** A partial organization: entities merge by id, `remove` lists ids by section, `rootQuorum` null removes it. */
export interface OrganizationPatch {
	readonly organizationId: string;
	readonly remove?: Readonly<Record<string, readonly string[]>>;
	readonly [section: string]: unknown;
}

function mergeRows(kind: EntityKind, organization: Organization, patch: OrganizationPatch): readonly JsonObject[] {
	const idOf = (row: JsonObject) => kind.normalizeId(String(row[kind.idField]));
	const entities = [...organization.entities(kind).values()] as readonly JsonObject[];
	const merged = new Map(entities.map((row) => [idOf(row), row]));
	for (const id of patch.remove?.[kind.section] ?? []) merged.delete(kind.normalizeId(String(id)));
	for (const row of rowsOf(kind, patch) as readonly JsonObject[]) {
		// A changed entity gets a new time, unless the patch gives one.
		const { updatedAt: _updatedAt, ...before } = merged.get(idOf(row)) ?? {};
		merged.set(idOf(row), { ...before, ...row });
	}
	return [...merged.values()];
}

function withoutMembers(tag: JsonObject, removed: ReadonlySet<string>): JsonObject {
	const { updatedAt: _updatedAt, ...rest } = tag;
	const before = Array.isArray(tag.userIds) ? tag.userIds : [];
	const userIds = before.filter((userId) => !removed.has(String(userId)));
	return userIds.length === before.length ? tag : { ...rest, userIds };
}

/** Returns the organization in the form of a seed with the patch merged in. Check it before use. */
export function mergePatch(organization: Organization, patch: OrganizationPatch): SeedOrganization {
	const { remove, organizationId: _organizationId, ...sections } = patch;
	const merged: Record<string, unknown> = { ...toSeed(organization), ...sections };
	if (merged.rootQuorum === null) delete merged.rootQuorum;
	const removedUsers = new Set((remove?.[users.section] ?? []).map((id) => users.normalizeId(String(id))));
	for (const kind of entityKinds) {
		const rows = mergeRows(kind, organization, patch);
		const kept = kind.section === userTags.section ? rows.map((tag) => withoutMembers(tag, removedUsers)) : rows;
		merged[kind.section] = kind.writeSection(kept);
	}
	return merged as unknown as SeedOrganization;
}

/** Returns the changes that turn the organization into the seed that `mergePatch` made of it; equal entities stay as they are. */
export function changesToMerge(
	organization: Organization,
	seed: SeedOrganization,
	nowMs: number,
): readonly StateChange[] {
	const changes: StateChange[] = [{ change: "settings", settings: settingsOf(seed) }];
	for (const kind of entityKinds) changes.push(...changesOfKind(kind, organization, rowsOf(kind, seed), nowMs));
	return changes;
}

function changesOfKind(
	kind: EntityKind,
	organization: Organization,
	rows: readonly object[],
	nowMs: number,
): readonly StateChange[] {
	const before = organization.entities(kind);
	const entities = rows.map((row) => {
		const entity = kind.complete(row, timeAt(nowMs));
		return withUpdateTime(before.get(kind.idOf(entity)), entity, (row as JsonObject).updatedAt !== undefined, nowMs);
	});
	const ids = new Set(entities.map((entity) => kind.idOf(entity)));
	const isChanged = (entity: object) => !isDeepStrictEqual(before.get(kind.idOf(entity)), entity);
	return [
		...entities.filter(isChanged).map((entity) => putEntity(kind, entity)),
		...[...before.keys()].filter((id) => !ids.has(id)).map((id) => removeEntity(kind, id)),
	];
}

/** Returns the entity with an `updatedAt` after the previous one if it changed and the patch gave no time. */
function withUpdateTime(previous: object | undefined, entity: object, hasOwnTime: boolean, nowMs: number): object {
	if (previous === undefined || !("updatedAt" in previous) || hasOwnTime) return entity;
	const updatedAt = previous.updatedAt as Time;
	const unchanged = { ...entity, updatedAt };
	return isDeepStrictEqual(previous, unchanged) ? previous : { ...unchanged, updatedAt: laterTime(nowMs, updatedAt) };
}
