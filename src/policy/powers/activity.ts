/** What is known of the activities of a group: the values of the names that a condition may use. */
import { evaluate } from "../language/evaluate.ts";
import type { Expression } from "../language/syntax.ts";
import { dependsOn, errs, isUnknown, mayBeMissing, structOf, unread, type Value } from "../language/values.ts";
import type { ActivityGroup } from "./groups.ts";
import type { Reason } from "./reason.ts";

/** What is known of an activity; null where the group leaves it open. */
export interface ActivityFacts {
	readonly resource: string | null;
	readonly action: string | null;
	readonly kind: string | null;
	readonly type: string | null;
}

/** Whether a condition holds. `absent`: it errs, since the activity surely lacks a field; the policy then takes no part. */
export type Outcome =
	| { readonly holds: "yes" | "no" }
	| { readonly holds: "absent" | "unknown"; readonly because: Reason }
	/** It depends on the activity: `condition` is what is left of it. */
	| { readonly holds: "open"; readonly condition: Expression };

const pair = (resource: string, action: string) => ({ resource, action });

const resources =
	"AUTH AUTH_PROXY CONFIG CREDENTIAL FIAT_TRANSACTION INVITATION MFA_POLICY ON_RAMP_CREDENTIALS ORGANIZATION OTP PAYMENT_METHOD POLICY PRIVATE_KEY RECOVERY SESSION_PROFILE SMART_CONTRACT_INTERFACE SPONSORSHIP SUBSCRIPTION TVC_APP TVC_DEPLOYMENT TVC_OPERATOR TVC_QUORUM_KEY USER WALLET WEBHOOK_ENDPOINT".split(
		" ",
	);

/** Pairs of kinds, as far as they are documented (docs/internals/service.md#policy-language). */
const pairs: Readonly<Record<string, { readonly resource: string; readonly action: string }>> = {
	UPDATE_USER_TAG: pair("USER", "UPDATE"),
	DELETE_OAUTH_PROVIDERS: pair("CREDENTIAL", "DELETE"),
	DELETE_POLICIES: pair("POLICY", "DELETE"),
	DELETE_TVC_APP_AND_DEPLOYMENTS: pair("TVC_APP", "DELETE"),
	INIT_IMPORT_PRIVATE_KEY: pair("PRIVATE_KEY", "IMPORT"),
	SIGN_TRANSACTION: pair("PRIVATE_KEY", "SIGN"),
	SIGN_RAW_PAYLOAD: pair("PRIVATE_KEY", "SIGN"),
	SIGN_RAW_PAYLOADS: pair("PRIVATE_KEY", "SIGN"),
	ETH_SEND_TRANSACTION: pair("PRIVATE_KEY", "SIGN"),
	SOL_SEND_TRANSACTION: pair("PRIVATE_KEY", "SIGN"),
};

/**
 * Returns the pair of a kind; null where it is not known. Unverified, chosen: a kind that is written as an action and a resource,
 * such as CREATE_WALLET or DELETE_USERS, has that pair.
 */
function pairOf(kind: string): { readonly resource: string; readonly action: string } | null {
	if (Object.hasOwn(pairs, kind)) return pairs[kind] ?? null;
	const [, action = "", name = ""] = /^(CREATE|UPDATE|DELETE|EXPORT|IMPORT)_(\w+)$/.exec(kind) ?? [];
	const resource = resources.find((one) => name === one || name === `${one}S` || name === one.replace(/Y$/, "IES"));
	return resource === undefined ? null : pair(resource, action);
}

/** Kinds of which policies see no parameters: those that orgsync submits. */
const withoutParams = [
	"UPDATE_USER_TAG",
	"DELETE_OAUTH_PROVIDERS",
	"DELETE_POLICIES",
	"DELETE_TVC_APP_AND_DEPLOYMENTS",
	"INIT_IMPORT_PRIVATE_KEY",
];

/** Kinds that only the root quorum can do, whatever policies say. */
const rootQuorumKinds = [
	"UPDATE_ROOT_QUORUM",
	"SET_ORGANIZATION_FEATURE",
	"REMOVE_ORGANIZATION_FEATURE",
	"UPDATE_ORGANIZATION_NAME",
];

/** Returns the type without its version: `ACTIVITY_TYPE_CREATE_WALLET_V2` is of kind `CREATE_WALLET`. */
const kindOfType = (type: string): string => type.replace(/^ACTIVITY_TYPE_/, "").replace(/_V\d+$/, "");

/** Returns what is known of the activities of the group. */
export function factsOfGroup(group: ActivityGroup): ActivityFacts {
	if ("type" in group) return factsOfType(group.type);
	if ("kind" in group) return { ...factsOfKind(group.kind), type: null };
	return { resource: group.resource, action: group.action, kind: null, type: null };
}

function factsOfKind(kind: string): Omit<ActivityFacts, "type"> {
	const { resource = null, action = null } = pairOf(kind) ?? {};
	return { resource, action, kind };
}

/** Returns what is known of activities of a type. */
export const factsOfType = (type: string): ActivityFacts => ({ ...factsOfKind(kindOfType(type)), type });

export const isForRootQuorum = ({ kind }: ActivityFacts): boolean => kind !== null && rootQuorumKinds.includes(kind);

export function judgeCondition(condition: Expression, facts: ActivityFacts): Outcome {
	const value = evaluate(foldNames(condition, facts), scopeOf(facts));
	if (typeof value === "boolean") return { holds: value ? "yes" : "no" };
	if (!isUnknown(value)) return { holds: "unknown", because: { kind: "not-boolean", clause: "condition" } };
	const { cause, error } = value;
	const because: Reason = { kind: "not-evaluated", clause: "condition", message: value.because };
	if (cause === "error")
		return error === "wrong-type" ? { holds: "unknown", because } : judgeAbsent(condition, facts, because);
	if (cause === "unread") return { holds: "unknown", because };
	return { holds: "open", condition: openPart(condition, facts) };
}

/** A condition that errs matters only where it would not be false without the error. */
function judgeAbsent(condition: Expression, facts: ActivityFacts, because: Reason): Outcome {
	const scope = new Map(scopeOf(facts));
	for (const name of [...transactions, ...wallets, "private_key"]) scope.set(name, dependsOn(name));
	return evaluate(foldNames(condition, facts), scope) === false ? { holds: "no" } : { holds: "absent", because };
}

/** Returns the condition without the clauses that hold for all activities with these facts. */
function openPart(condition: Expression, facts: ActivityFacts): Expression {
	const open = clausesOf(condition).filter((clause) => evaluate(foldNames(clause, facts), scopeOf(facts)) !== true);
	return open.length === 0
		? condition
		: open.reduce((left, right) => ({ node: "binary", operator: "&&", left, right, span: condition.span }));
}

/** Returns what must hold for the condition to hold, all of it. */
export const clausesOf = (condition: Expression): readonly Expression[] =>
	condition.node === "binary" && condition.operator === "&&"
		? [...clausesOf(condition.left), ...clausesOf(condition.right)]
		: [condition];

const transactions = ["eth", "solana", "tron", "bitcoin", "tempo"];
const wallets = ["wallet", "wallets", "wallet_account"];

const scopes = new Map<string, ReadonlyMap<string, Value>>();

/** Returns what each name is. Unverified, chosen: which activities have a wallet, a private key or a transaction. */
export function scopeOf(facts: ActivityFacts): ReadonlyMap<string, Value> {
	const key = JSON.stringify([facts.resource, facts.action, facts.kind, facts.type]);
	const known = scopes.get(key);
	if (known !== undefined) return known;
	const { resource, action, kind, type } = facts;
	const isSigning = resource === null || action === null || (resource === "PRIVATE_KEY" && action === "SIGN");
	const value = (name: string, isThere: boolean): [string, Value] => [
		name,
		isThere ? mayBeMissing(name) : errs("missing-field", `the activity has no \`${name}\``),
	];
	const params = kind !== null && withoutParams.includes(kind) ? structOf({}) : mayBeMissing("activity.params");
	const activity = structOf({
		resource: resource ?? dependsOn("activity.resource"),
		action: action ?? dependsOn("activity.action"),
		kind: kind ?? dependsOn("activity.kind"),
		type: type ?? dependsOn("activity.type"),
		params,
	});
	const voters = (name: string): [string, Value] => [
		name,
		unread(`a condition that names \`${name}\` is not documented`),
	];
	const scope = new Map<string, Value>([
		["activity", activity],
		...transactions.map((name) => value(name, isSigning)),
		...wallets.map((name) => value(name, isSigning || resource === "WALLET")),
		value("private_key", resource === null || resource === "PRIVATE_KEY"),
		voters("approvers"),
		voters("credentials"),
	]);
	if (scopes.size < 1_000) scopes.set(key, scope);
	return scope;
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
export function namesActivity(expression: Expression): "kind" | "type" | null {
	if (expression.node !== "field" || expression.of.node !== "name" || expression.of.name !== "activity") return null;
	return expression.name === "kind" || expression.name === "type" ? expression.name : null;
}

/** Returns whether an activity of the group may have this kind or type. */
function isPossible(name: "kind" | "type", value: string, facts: ActivityFacts): boolean {
	if (facts[name] !== null) return facts[name] === value;
	const kind = name === "kind" ? value : kindOfType(value);
	if (facts.kind !== null) return facts.kind === kind;
	// Policies are not asked about these, whatever pair they are of.
	if (rootQuorumKinds.includes(kind)) return false;
	const known = pairOf(kind);
	// All kinds that sign are documented, so that another one is none of them.
	if (known === null) return facts.resource !== "PRIVATE_KEY" || facts.action !== "SIGN";
	return (
		(facts.resource === null || facts.resource === known.resource) &&
		(facts.action === null || facts.action === known.action)
	);
}
