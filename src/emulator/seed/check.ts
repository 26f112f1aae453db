/** The form of a seed, and its problems: by schemas/seed.json, then what no schema says, such as unique ids. Pure. */
import { clipMiddle } from "../../common/escape.ts";
import { checkSchema, type SchemaError } from "../../schema/schema.ts";
import { validators } from "../../schema/validators/seed.ts";
import type { EntityKind } from "../kinds/entity-kind.ts";
import { entityKinds, type SeedSections } from "../kinds/table.ts";
import type { RootQuorum, Rules } from "../state.ts";
import { makeProblemCollector, type Path, type ProblemCollector, type SeedProblem } from "./problems.ts";

/** One organization of a seed; only its id is required. */
export interface SeedOrganization extends SeedSections {
	readonly organizationId: string;
	readonly organizationName?: string;
	readonly rootQuorum?: RootQuorum;
	readonly parentOrganizationId?: string;
	readonly rules?: Rules;
}

/** What the emulator starts with (schemas/seed.json). */
export interface Seed {
	readonly organizations: readonly SeedOrganization[];
}

function fromSchemaError(error: SchemaError, value: unknown): SeedProblem {
	const path: (string | number)[] = [];
	let current: unknown = value;
	for (const raw of error.instancePath.split("/").slice(1)) {
		const part = raw.replaceAll("~1", "/").replaceAll("~0", "~");
		path.push(Array.isArray(current) ? Number(part) : part);
		current = (current as Record<string, unknown> | undefined)?.[part];
	}
	switch (error.keyword) {
		case "additionalProperties": {
			const name = String(error.params.additionalProperty);
			const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {});
			const message = `unknown key ${quote(name)}; known here: ${known.join(", ")}`;
			return { path: [...path, name], code: "unknown-key", message };
		}
		case "required":
			return { path, code: "missing-key", message: `\`${String(error.params.missingProperty)}\` is missing` };
		case "propertyNames":
			return { path, code: "bad-key", message: `${quote(String(error.params.propertyName))} cannot be a key here` };
		case "enum": {
			const allowed = (error.params.allowedValues as readonly unknown[]).join(", ");
			return { path, code: "bad-value", message: `must be one of: ${allowed}` };
		}
		default:
			return { path, code: "bad-value", message: error.message ?? "does not fit" };
	}
}

/** Max characters of a key that a message repeats. */
const maxKeyLength = 60;

/** Returns the key in backticks, truncated if it is long. */
function quote(key: string): string {
	return `\`${key === "" ? '""' : clipMiddle(key, maxKeyLength)}\``;
}

function checkSection(kind: EntityKind, rows: readonly object[], at: Path, collector: ProblemCollector): void {
	if (kind.max !== undefined) collector.limit(rows.length, kind.max.count, at, kind.max.label);
	rows.forEach((row, index) => {
		for (const [field, label] of Object.entries(kind.uniqueFields)) {
			const value = String((row as Readonly<Record<string, unknown>>)[field]);
			const normal = field === kind.idField ? kind.normalizeId(value) : value;
			collector.unique(`${kind.section}.${field}`, normal, [...at, ...kind.pathOf(row, index, field)], label);
		}
		kind.checkRow?.(row, [...at, index], collector);
	});
}

function checkRootQuorum({ threshold, userIds }: RootQuorum, at: Path, collector: ProblemCollector): void {
	userIds.forEach((userId, index) => {
		const path = [...at, "userIds", index];
		collector.unique(at.join(), userId.toLowerCase(), path, "this member");
		if (collector.userIds.has(userId.toLowerCase())) return;
		collector.report(path, "unknown-user", "no user of the organization has this id");
	});
	if (threshold <= userIds.length) return;
	const message = `${threshold} of ${userIds.length} users cannot be reached`;
	collector.report([...at, "threshold"], "bad-value", message);
}

/** Returns what is wrong with an organization that fits the schema. */
function checkOrganization(organization: SeedOrganization, at: Path): readonly SeedProblem[] {
	const userIds = new Set((organization.users ?? []).map(({ userId }) => userId.toLowerCase()));
	const collector = makeProblemCollector(userIds);
	for (const kind of entityKinds) {
		checkSection(kind, rowsOf(kind, organization), [...at, kind.section], collector);
	}
	if (organization.rootQuorum !== undefined) checkRootQuorum(organization.rootQuorum, [...at, "rootQuorum"], collector);
	if (organization.parentOrganizationId?.toLowerCase() === organization.organizationId.toLowerCase()) {
		collector.report([...at, "parentOrganizationId"], "bad-value", "an organization is not its own parent");
	}
	return collector.problems;
}

/** Returns the rows of one kind in an organization of a seed, or in a patch. */
export function rowsOf(kind: EntityKind, organization: object): readonly object[] {
	const section = (organization as Readonly<Record<string, unknown>>)[kind.section];
	return section === undefined ? [] : kind.readSection(section);
}

/** Returns every problem in `value` as a seed; an empty list when it is one. */
export function findSeedProblems(value: unknown): readonly SeedProblem[] {
	const errors = findSchemaProblems(value, "seed.json");
	if (errors.length > 0) return errors;
	const ids = new Set<string>();
	return (value as Seed).organizations.flatMap((organization, index): readonly SeedProblem[] => {
		const at: Path = ["organizations", index];
		const id = organization.organizationId.toLowerCase();
		const path = [...at, "organizationId"];
		const twice = ids.has(id) ? [{ path, code: "duplicate", message: "this organization id is used twice" }] : [];
		ids.add(id);
		return [...twice, ...checkOrganization(organization, at)];
	});
}

/** Returns every problem in `value` as the rules of an organization; an empty list when it is one. */
export function findRulesProblems(value: unknown): readonly SeedProblem[] {
	return findSchemaProblems(value, "seed.json#/$defs/rules");
}

function findSchemaProblems(value: unknown, schema: string): readonly SeedProblem[] {
	// A bad key is reported by its own rule and again by `propertyNames`; once is enough.
	return checkSchema(validators, schema, value)
		.filter((error) => error.propertyName === undefined)
		.map((error) => fromSchemaError(error, value));
}
