/** What is known of the activities of a group: the values of the names that a condition may use. */
import { remember } from "../../common/remember.ts";
import { namesOfType } from "../activities/named-powers.ts";
import { type ActivityType, activityTypes, findType, kindOfType, typesOfKind } from "../activities/types.ts";
import { transactions, wallets } from "../cells/shapes.ts";
import { evaluate } from "../language/evaluate.ts";
import type { Expression } from "../language/syntax.ts";
import {
	errs,
	isError,
	isUnknown,
	ofActivity,
	ofSomeActivities,
	structOf,
	unread,
	type Value,
} from "../language/values.ts";
import { clausesOf, decidedIn, type Fields, reduce, withFields } from "./fields.ts";
import { type ActivityGroup, sensitiveGroups } from "./groups.ts";
import type { Reason } from "./reason.ts";

/** What is known of an activity; null where the group leaves it open. */
export interface ActivityFacts {
	readonly resource: string | null;
	readonly action: string | null;
	readonly kind: string | null;
	readonly type: string | null;
	/** What else is known of the one activity that is asked about. */
	readonly fields?: Fields;
}

/** Whether a condition holds. `absent`: it errs, since the activity surely lacks a field; the policy then takes no part. */
export type Outcome =
	| { readonly holds: "yes" | "no" }
	| { readonly holds: "absent" | "unknown"; readonly because: Reason }
	/** It depends on the activity: `condition` is what is left of it. */
	| { readonly holds: "open"; readonly condition: Expression };

/** Returns what is known of the activities of the group; with `fields`, of one of them. */
export function factsOfGroup(group: ActivityGroup, fields?: Fields): ActivityFacts {
	if (fields !== undefined) return { ...factsOfGroup(group), fields };
	return remember(factsOf, group, () => {
		if ("type" in group) return factsOfType(group.type);
		if ("kind" in group) return factsOfKind(group.kind);
		return { resource: group.resource, action: group.action, kind: null, type: null };
	});
}

const factsOf = new WeakMap<ActivityGroup, ActivityFacts>();

/** Versions of a kind that differ in what is documented of them leave it open. */
function factsOfKind(kind: string): ActivityFacts {
	const [first, ...others] = typesOfKind(kind);
	const isShared = others.every((one) => one.resource === first?.resource && one.action === first.action);
	const { resource = null, action = null } = isShared ? (first ?? {}) : {};
	return { resource, action, kind, type: null };
}

const types = new Map(
	activityTypes.map(({ type, kind, resource, action }) => [type, { resource, action, kind, type }]),
);

/** Returns what is known of activities of a type; of a version that the table lacks, what is known of its kind. */
export function factsOfType(type: string): ActivityFacts {
	return types.get(type) ?? { ...factsOfKind(kindOfType(type)), type };
}

export const isForRootQuorum = ({ kind }: ActivityFacts): boolean =>
	typesOfKind(kind ?? "").some(({ rootQuorumOnly }) => rootQuorumOnly);

const listed = new Map<string, readonly ActivityFacts[]>();

const groupKeys = new WeakMap<ActivityFacts, string>();

/** Returns a text that is equal for activities of the same resource, action and kind; the same object each time, which a map finds faster. */
export const groupKeyOf = (facts: ActivityFacts): string =>
	remember(groupKeys, facts, () => `${facts.resource}/${facts.action} ${facts.kind}`);

/** The same with what else is known of one of them: one object for each, so that all policies share its scope. */
const listedWith = new WeakMap<Fields, Map<ActivityFacts, ActivityFacts>>();

/**
 * Returns the activities of a group, each of one type: those of the table, and of versions that a policy names and the table lacks.
 * What the table does not have is as it is asked about.
 */
export function rowsOf(facts: ActivityFacts, namedTypes: readonly string[]): readonly ActivityFacts[] {
	const { kind, type, resource, action } = facts;
	if (type !== null) return [facts];
	const rows = remember(listed, groupKeyOf(facts), () => {
		const types = activityTypes.filter(
			(one) =>
				!one.rootQuorumOnly && (kind === null ? one.resource === resource && one.action === action : one.kind === kind),
		);
		const asked = { resource, action, kind, type: kind === null ? null : `ACTIVITY_TYPE_${kind}` };
		return types.length === 0 ? [asked] : types.map((one) => factsOfType(one.type));
	});
	const newer = [...new Set(namedTypes)]
		.filter((one) => !rows.some((row) => row.type === one))
		.map(factsOfType)
		.filter((one) =>
			rows.some((row) => row.kind === one.kind && row.resource === one.resource && row.action === one.action),
		);
	return newer.length === 0 ? rows : [...rows, ...newer];
}

/** Returns the activities with what else is known of them. */
export function withAll(rows: readonly ActivityFacts[], fields: Fields | undefined): readonly ActivityFacts[] {
	if (fields === undefined) return rows;
	const own = remember(listedWith, fields, () => new Map<ActivityFacts, ActivityFacts>());
	return rows.map((row) => remember(own, row, () => ({ ...row, fields })));
}

/** Whether one user alone, where two were needed, is an escalation: always where nothing is documented of the kind. */
export function isSensitive({ resource, action }: ActivityFacts): boolean {
	return resource === null || sensitiveGroups.has(`${resource}/${action}`);
}

/** Returns whether the condition holds for activities of one type. */
export function judgeCondition(condition: Expression, facts: ActivityFacts): Outcome {
	const value = evaluate(condition, scopeOf(facts));
	if (typeof value === "boolean") return { holds: value ? "yes" : "no" };
	if (!isUnknown(value)) return { holds: "unknown", because: { kind: "not-boolean", clause: "condition" } };
	const { cause, error } = value;
	const because: Reason = { kind: "not-evaluated", clause: "condition", message: value.because };
	if (cause === "error")
		return error === "wrong-type" ? { holds: "unknown", because } : judgeAbsent(condition, facts, because);
	if (cause === "unread")
		return { holds: "unknown", because: value.because === undocumentedPair ? { kind: "undocumented-pair" } : because };
	return { holds: "open", condition };
}

/** Scopes as if activities had all that they can lack. */
const scopesWithAll = new WeakMap<ReadonlyMap<string, Value>, ReadonlyMap<string, Value>>();

/** A condition that errs matters only where it would not be false without the error. */
function judgeAbsent(condition: Expression, facts: ActivityFacts, because: Reason): Outcome {
	const known = scopeOf(facts);
	const scope = remember(scopesWithAll, known, () => {
		const names = [...transactions, ...wallets, "private_key"];
		const lacking = names.filter((name) => isUnknown(known.get(name) ?? ofActivity));
		return new Map([...known, ...lacking.map((name) => [name, ofActivity] as const)]);
	});
	return evaluate(condition, scope) === false ? { holds: "no" } : { holds: "absent", because };
}

/** Returns whether the condition holds for all of these activities, by what is found of each. */
export function joinOutcomes(
	condition: Expression,
	rows: readonly ActivityFacts[],
	outcomes: readonly Outcome[],
): Outcome {
	const first = (holds: Outcome["holds"]): Outcome | undefined => outcomes.find((one) => one.holds === holds);
	const unknown = first("unknown");
	if (unknown !== undefined) return unknown;
	if (first("yes") === undefined && first("open") === undefined) return first("absent") ?? { holds: "no" };
	if (outcomes.every(({ holds }) => holds === "yes")) return { holds: "yes" };
	return { holds: "open", condition: openPart(condition, rows) };
}

/** Returns the condition without the clauses that hold for all of these activities; of one activity, without all that is decided. */
function openPart(condition: Expression, rows: readonly ActivityFacts[]): Expression {
	const scopes = rows.map(scopeOf);
	if (rows.some(({ fields }) => fields !== undefined)) return reduce(condition, scopes);
	const open = clausesOf(condition).filter((clause) => decidedIn(clause, scopes) !== true);
	return open.length === 0
		? condition
		: open.reduce((left, right) => ({ node: "binary", operator: "&&", left, right, span: condition.span }));
}

const undocumentedPair = "no documentation says which resource and action these activities have";

const scopes = new WeakMap<ActivityFacts, ReadonlyMap<string, Value>>();

/** Returns what each name is, of one type. Unverified, chosen: which activities have a wallet, a private key or a transaction. */
export function scopeOf(facts: ActivityFacts): ReadonlyMap<string, Value> {
	const { fields } = facts;
	return remember(scopes, facts, () =>
		fields === undefined ? makeScope(facts) : withFields(makeScope(facts), fields),
	);
}

const shapes = new WeakMap<ActivityFacts, string>();

/** Returns a text that is equal for activities that have the same names beside their parameters, whatever these are. */
export const shapeOf = (facts: ActivityFacts): string =>
	remember(shapes, facts, () => {
		const lacking = [...scopeOf(facts)].flatMap(([name, value]) => (isError(value) ? name : []));
		return JSON.stringify([facts.resource === null, lacking]);
	});

function makeScope(facts: ActivityFacts): ReadonlyMap<string, Value> {
	const { resource, action, kind, type } = facts;
	const isUndocumented = resource === null;
	const isSigning = isUndocumented ? mayMoveFunds(facts) : resource === "PRIVATE_KEY" && action === "SIGN";
	const value = (name: string, isThere: boolean): [string, Value] => [
		name,
		isThere ? ofSomeActivities : errs("missing-field", `the activity has no \`${name}\``),
	];
	const activity = structOf({
		resource: resource ?? unread(undocumentedPair),
		action: action ?? unread(undocumentedPair),
		// Of a pair that the table lacks: one that no policy names.
		kind: kind ?? "another",
		type: type ?? "another",
		params: paramsOf(facts),
	});
	const voters = (name: string): [string, Value] => [
		name,
		unread(`a condition that names \`${name}\` is not documented`),
	];
	return new Map<string, Value>([
		["activity", activity],
		...transactions.map((name) => value(name, isSigning)),
		...wallets.map((name) => value(name, isSigning || resource === "WALLET")),
		value("private_key", isUndocumented ? isSigning : resource === "PRIVATE_KEY"),
		value("secret", kind?.endsWith("_SECRETS") === true),
		voters("approvers"),
		voters("credentials"),
	]);
}

/** Returns whether an activity without a documented pair may have a transaction: one that moves funds, or that is not in the table. */
function mayMoveFunds(facts: ActivityFacts): boolean {
	const types = listedFor(facts);
	return types.length === 0 || types.some((one) => namesOfType(one.type).includes("moveFunds"));
}

/** Returns the parameters that policies see; of a version that the table lacks, those of its kind, of which it may lack some. */
function paramsOf(facts: ActivityFacts): Value {
	const types = listedFor(facts);
	if (types.length === 0) return ofSomeActivities;
	const named = new Set(types.flatMap(({ params }) => params));
	const fields = [...named].map((name) => {
		const isShared = types.every(({ params }) => params.includes(name));
		return [name, isShared ? ofActivity : ofSomeActivities] as const;
	});
	return structOf(Object.fromEntries(fields));
}

/** Returns the type as the table has it; of one that it lacks, the types of its kind. */
function listedFor({ kind, type }: ActivityFacts): readonly ActivityType[] {
	const own = findType(type ?? "");
	return own === undefined ? typesOfKind(kind ?? "") : [own];
}
