/**
 * What the emulator knows of a kind of entity: its section in a seed, how an entity is completed and checked, and the
 * operations that read and change it. A kind is one file in this folder and one row of `table.ts`.
 */
import { isRecord } from "../../common/json.ts";
import type { ExtendedReadName, QueryName } from "../../wire/operations.ts";
import { isUuid, type Time } from "../identifiers.ts";
import { notFound, RequestError } from "../request-error.ts";
import type { Path, ProblemCollector } from "../seed/problems.ts";
import type { ServedSubmitName } from "../served-submits.ts";
import type { EntitySection, OperationContext, Organization, StateChange } from "../state.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the answer's one member (of whoami: all) as `userId` sees it. Throws a RequestError when there is no such entity. */
export type QueryHandler = (context: OperationContext, body: JsonObject, userId: string) => unknown;

export type QueryHandlers = Partial<Readonly<Record<QueryName | ExtendedReadName, QueryHandler>>>;

/** What an activity does to the organization when it is executed. Neither function changes the state. */
export interface SubmitHandler {
	/** Throws a RequestError when the parameters do not fit the organization as it is now. */
	check(organization: Organization, parameters: JsonObject): void;
	/** Returns the changes and the result of the activity. Call it only after `check`. */
	execute(
		context: OperationContext,
		parameters: JsonObject,
	): { readonly changes: readonly StateChange[]; readonly result: JsonObject };
}

/** `Row` is an entity as a seed has it, `Section` the whole section of a seed. */
export interface EntityKind<
	Entity extends object = object,
	Row extends object = object,
	Section = unknown,
	Name extends string = string,
> extends EntitySection<Entity> {
	readonly section: Name;
	readonly idField: string;
	/** What a section and a list of ids must be, for messages. */
	readonly expected: { readonly section: string; readonly ids: string };
	isSection(value: unknown): boolean;
	isId(value: unknown): boolean;
	/** Returns an id in the one spelling that the state has. */
	normalizeId(id: string): string;
	readSection(section: Section): readonly Row[];
	writeSection(rows: readonly Row[]): Section;
	/** The path of a row's field below its section. */
	pathOf(row: Row, index: number, field: string): Path;
	/** Returns the entity with everything that the row leaves out; times are `now`. */
	complete(row: Row, now: Time): Entity;
	/** Fields that no two entities of an organization share, with their names in messages. */
	readonly uniqueFields: Readonly<Record<string, string>>;
	/** How many of them an organization can have, and what messages call them. */
	readonly max?: { readonly count: number; readonly label: string };
	/** Reports what is wrong inside a row. `at` is the path of the row. */
	checkRow?(row: Row, at: Path, collector: ProblemCollector): void;
	readonly queries: QueryHandlers;
	readonly submits?: Partial<Readonly<Record<ServedSubmitName, SubmitHandler>>>;
}

/** What kinds whose section is a list of objects with UUIDs have in common. `defaults` are for what a row leaves out. */
export function listSection<Entity extends object, Row extends object>(
	idField: string & keyof Entity & keyof Row,
	defaults: Partial<Entity> = {},
) {
	return {
		idField,
		expected: { section: "a list of objects, as in a seed", ids: "a list of UUIDs" },
		isSection: (value: unknown) => Array.isArray(value) && value.every(isRecord),
		isId: (value: unknown) => typeof value === "string" && isUuid(value.toLowerCase()),
		idOf: (entity: Entity) => String(entity[idField]),
		normalizeId: (id: string) => id.toLowerCase(),
		readSection: (section: readonly Row[]) => section,
		writeSection: (rows: readonly Row[]) => rows,
		pathOf: (_row: Row, index: number, field: string): Path => [index, field],
		complete: (row: Row, now: Time) => completeRow<Entity>(row, now, idField, defaults),
	};
}

/** The fields of `Entity` of which a seed needs only some. */
export type SeedRow<Entity, Required extends keyof Entity> = Partial<Entity> & Pick<Entity, Required>;

export interface Times {
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

/** An entity with texts in these fields. */
export type Texts<Names extends string> = Times & Readonly<Record<Names, string>>;

/** Returns the entity of a row: with `defaults`, both times (`now` for those that the row leaves out) and its id in lower case. */
export function completeRow<Entity>(row: object, now: Time, idField: string, defaults: object): Entity {
	const { createdAt = now, updatedAt = createdAt } = row as Partial<Times>;
	const id = String((row as JsonObject)[idField]).toLowerCase();
	return { ...defaults, ...row, createdAt, updatedAt, [idField]: id } as Entity;
}

// Ids are compared in lower case and kept as they were sent in the intent (docs/internals/service.md#activity-object: it echoes).

export function idIn(fields: JsonObject, name: string): string {
	return String(fields[name]).toLowerCase();
}

export function idsIn(fields: JsonObject, name: string): readonly string[] {
	return (fields[name] as readonly string[]).map((id) => id.toLowerCase());
}

/** Returns the entity `id`. Throws the RequestError for an unknown one (assumptions.ts, "unknown ids"). */
export function findEntity<Entity>(entities: ReadonlyMap<string, Entity>, id: string, label: string): Entity {
	const entity = entities.get(id);
	if (entity === undefined) throw notFound(`no ${label} found with id ${id}`);
	return entity;
}

/** Throws the RequestError for more than an organization, or one of its users, can have (assumptions.ts, "limits"). */
export function checkLimit(count: number, max: number, label: string): void {
	if (count > max) throw new RequestError(429, 8, `resource limit exceeded: at most ${max} ${label}`);
}

export function putEntity<Entity extends object>(kind: EntitySection<Entity>, value: Entity): StateChange {
	return { change: "put", section: kind.section, id: kind.idOf(value), value };
}

export function removeEntity(kind: EntitySection<never>, id: string): StateChange {
	return { change: "remove", section: kind.section, id };
}
