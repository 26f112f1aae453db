/** What is known of the activities of a group: the values of the names that a condition may use. */
import { remember } from "../../common/remember.ts";
import { namesOfType } from "../activities/named-powers.ts";
import { activityTypes, combinations, findType, kindOfType } from "../activities/types.ts";
import { transactions, wallets } from "../cells/shapes.ts";
import { evaluate } from "../language/evaluate.ts";
import type { Expression } from "../language/syntax.ts";
import { dependsOn, errs, isUnknown, mayBeMissing, structOf, unread, type Value } from "../language/values.ts";
import { clausesOf, type Fields, reduce, withFields } from "./fields.ts";
import { type ActivityGroup, nameOfGroup, sensitivePowers } from "./groups.ts";
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
function findFactsOfKind(kind: string): ActivityFacts {
	const ofKind = combinations.filter((one) => one.kind === kind);
	const [first] = ofKind;
	const { resource = null, action = null } = ofKind.length === 1 && first !== undefined ? first : {};
	return { resource, action, kind, type: null };
}

const kinds = new Map(combinations.map(({ kind }) => [kind, findFactsOfKind(kind)]));
const types = new Map(
	activityTypes.map(({ type, kind, resource, action }) => [type, { resource, action, kind, type }]),
);

const factsOfKind = (kind: string): ActivityFacts => kinds.get(kind) ?? findFactsOfKind(kind);

/** Returns what is known of activities of a type; of a version that the table lacks, what is known of its kind. */
export function factsOfType(type: string): ActivityFacts {
	return types.get(type) ?? { ...factsOfKind(kindOfType(type)), type };
}

export const isForRootQuorum = ({ kind }: ActivityFacts): boolean => kind !== null && rootQuorumKinds.has(kind);

/** Whether one user alone, where two were needed, is an escalation: always where nothing is documented of the kind. */
export function isSensitive({ resource, action }: ActivityFacts): boolean {
	if (resource === null || action === null) return true;
	const names: readonly (string | null)[] = sensitivePowers;
	return names.includes(nameOfGroup({ resource, action }));
}

const rootQuorumKinds = new Set(combinations.flatMap((one) => (one.rootQuorumOnly ? one.kind : [])));

export function judgeCondition(condition: Expression, facts: ActivityFacts): Outcome {
	const value = evaluate(foldNames(condition, facts), scopeOf(facts));
	if (typeof value === "boolean") return { holds: value ? "yes" : "no" };
	if (!isUnknown(value)) return { holds: "unknown", because: { kind: "not-boolean", clause: "condition" } };
	const { cause, error } = value;
	const because: Reason = { kind: "not-evaluated", clause: "condition", message: value.because };
	if (cause === "error")
		return error === "wrong-type" ? { holds: "unknown", because } : judgeAbsent(condition, facts, because);
	if (cause === "unread")
		return { holds: "unknown", because: value.because === undocumentedPair ? { kind: "undocumented-pair" } : because };
	// What must hold besides is of no use where one clause is not known.
	if (clausesOf(condition).some((clause) => isUndocumentedIn(clause, facts)))
		return { holds: "unknown", because: { kind: "undocumented-pair" } };
	return { holds: "open", condition: openPart(condition, facts) };
}

function isUndocumentedIn(clause: Expression, facts: ActivityFacts): boolean {
	const value = evaluate(foldNames(clause, facts), scopeOf(facts));
	return isUnknown(value) && value.cause === "unread" && value.because === undocumentedPair;
}

/** Scopes as if activities had all that they can lack. */
const scopesWithAll = new WeakMap<ReadonlyMap<string, Value>, ReadonlyMap<string, Value>>();

/** A condition that errs matters only where it would not be false without the error. */
function judgeAbsent(condition: Expression, facts: ActivityFacts, because: Reason): Outcome {
	const known = scopeOf(facts);
	const scope = remember(scopesWithAll, known, () => {
		const names = [...transactions, ...wallets, "private_key"];
		const lacking = names.filter((name) => isUnknown(known.get(name) ?? dependsOn(name)));
		return new Map([...known, ...lacking.map((name) => [name, dependsOn(name)] as const)]);
	});
	return evaluate(foldNames(condition, facts), scope) === false ? { holds: "no" } : { holds: "absent", because };
}

/** Returns the condition without the clauses that hold for all activities with these facts. */
function openPart(condition: Expression, facts: ActivityFacts): Expression {
	if (facts.fields !== undefined) return reduce(foldNames(condition, facts), scopeOf(facts));
	const open = clausesOf(condition).filter((clause) => evaluate(foldNames(clause, facts), scopeOf(facts)) !== true);
	return open.length === 0
		? condition
		: open.reduce((left, right) => ({ node: "binary", operator: "&&", left, right, span: condition.span }));
}

const undocumentedPair = "no documentation says which resource and action these activities have";

const scopes = new WeakMap<ActivityFacts, ReadonlyMap<string, Value>>();

/** Returns what each name is. Unverified, chosen: which activities have a wallet, a private key or a transaction. */
export function scopeOf(facts: ActivityFacts): ReadonlyMap<string, Value> {
	return remember(scopes, facts, () => {
		const { fields, ...others } = facts;
		return fields === undefined ? findScope(facts) : withFields(scopeOf(others), fields);
	});
}

function findScope(facts: ActivityFacts): ReadonlyMap<string, Value> {
	const { resource, action, kind, type } = facts;
	const isUndocumented = resource === null || action === null;
	const isSigning = isUndocumented ? mayMoveFunds(facts) : resource === "PRIVATE_KEY" && action === "SIGN";
	const value = (name: string, isThere: boolean): [string, Value] => [
		name,
		isThere ? mayBeMissing(name) : errs("missing-field", `the activity has no \`${name}\``),
	];
	const undocumented = (name: string): Value =>
		kind === null ? dependsOn(`activity.${name}`) : unread(undocumentedPair);
	const activity = structOf({
		resource: resource ?? undocumented("resource"),
		action: action ?? undocumented("action"),
		kind: kind ?? dependsOn("activity.kind"),
		type: type ?? dependsOn("activity.type"),
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
		value("secret", kind === null ? resource === null : kind.endsWith("_SECRETS")),
		voters("approvers"),
		voters("credentials"),
	]);
}

/** Returns whether an activity without a documented pair may have a transaction: one that moves funds, or that is not in the table. */
function mayMoveFunds({ kind, type }: ActivityFacts): boolean {
	const types = activityTypes.filter((one) => (type === null ? one.kind === kind : one.type === type));
	return types.length === 0 || types.some((one) => namesOfType(one.type).includes("moveFunds"));
}

/** Returns the parameters that policies see: those of the types in question, of which others lack some. */
function paramsOf({ resource, action, kind, type }: ActivityFacts): Value {
	const isVersionKnown = type !== null && findType(type) !== undefined;
	const types = activityTypes.filter(
		(one) =>
			(!isVersionKnown || one.type === type) &&
			(kind === null || one.kind === kind) &&
			(kind !== null || resource === null || one.resource === resource) &&
			(kind !== null || action === null || one.action === action),
	);
	if (types.length === 0) return mayBeMissing("activity.params");
	const named = new Set(types.flatMap(({ params }) => params));
	const fields = [...named].map((name) => {
		const isShared = types.every(({ params }) => params.includes(name));
		const path = `activity.params.${name}`;
		return [name, isShared ? dependsOn(path) : mayBeMissing(path)] as const;
	});
	return structOf(Object.fromEntries(fields));
}

/** Returns the condition with `false` for comparisons of a kind or type that no activity of the group has. */
function foldNames(expression: Expression, facts: ActivityFacts): Expression {
	if (facts.kind !== null && facts.type !== null) return expression;
	return fold(expression, facts);
}

function fold(expression: Expression, facts: ActivityFacts): Expression {
	if (expression.node === "not") {
		const of = fold(expression.of, facts);
		return of === expression.of ? expression : { ...expression, of };
	}
	if (expression.node !== "binary") return expression;
	const { operator, left, right, span } = expression;
	if (operator === "&&" || operator === "||") {
		const [one, other] = [fold(left, facts), fold(right, facts)];
		return one === left && other === right ? expression : { ...expression, left: one, right: other };
	}
	if (operator === "in") return foldList(expression, facts);
	if (operator !== "==" && operator !== "!=") return expression;
	const name = namesActivity(left) ?? namesActivity(right);
	const literal = left.node === "literal" ? left : right;
	if (name === null || literal.node !== "literal" || typeof literal.value !== "string") return expression;
	return isPossible(name, literal.value, facts) ? expression : { node: "literal", value: operator === "!=", span };
}

function foldList(expression: Expression & { readonly node: "binary" }, facts: ActivityFacts): Expression {
	const { left, right } = expression;
	const name = namesActivity(left);
	if (name === null || right.node !== "list") return expression;
	const items = right.items.filter(
		(item) => item.node !== "literal" || typeof item.value !== "string" || isPossible(name, item.value, facts),
	);
	if (items.length === 0) return { node: "literal", value: false, span: expression.span };
	return items.length === right.items.length ? expression : { ...expression, right: { ...right, items } };
}

/** Returns the field of `activity.kind` and `activity.type`; null for another expression. */
function namesActivity(expression: Expression): "kind" | "type" | null {
	if (expression.node !== "field" || expression.of.node !== "name" || expression.of.name !== "activity") return null;
	return expression.name === "kind" || expression.name === "type" ? expression.name : null;
}

/** Returns whether an activity of the group may have this kind or type: one that exists, of the resource and action. */
function isPossible(name: "kind" | "type", value: string, facts: ActivityFacts): boolean {
	if (facts[name] !== null) return facts[name] === value;
	const kind = name === "kind" ? value : kindOfType(value);
	if (facts.kind !== null) return facts.kind === kind;
	// Policies are not asked about these.
	if (rootQuorumKinds.has(kind)) return false;
	// A kind of a newer service may be of any resource and action but signing, of which all kinds are documented.
	if (!kinds.has(kind)) return facts.resource !== "PRIVATE_KEY" || facts.action !== "SIGN";
	const isVersionKnown = name === "type" && findType(value) !== undefined;
	return activityTypes.some(
		(one) =>
			(isVersionKnown ? one.type === value : one.kind === kind) &&
			(facts.resource === null || facts.resource === one.resource) &&
			(facts.action === null || facts.action === one.action),
	);
}
