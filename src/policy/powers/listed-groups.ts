/** Finds the groups of activities that powers are reported for. */

import { fieldsIn } from "../language/mentions.ts";
import type { Expression } from "../language/syntax.ts";
import { compilePolicy } from "./compile.ts";
import {
	type ActivityGroup,
	actionsOf,
	activityActions,
	namedPowers,
	type PowerName,
	printGroup,
	typesOf,
} from "./groups.ts";
import type { PreparedAccess } from "./prepare.ts";

/** Powers whose groups are always listed. */
const core: readonly PowerName[] = [
	...(["sign", "export", "policies", "users", "credentials", "wallets", "organizations", "imports", "apps"] as const),
];
const always: readonly ActivityGroup[] = core.flatMap((name) => namedPowers[name]);

/** Groups that are listed where a policy names what only they have. */
const others = (Object.keys(namedPowers) as PowerName[])
	.filter((name) => !core.includes(name))
	.flatMap((name) => namedPowers[name]);

const actionNames: readonly string[] = activityActions;
/** What policies compare an activity with. */
interface Mentions {
	readonly resources: Set<string>;
	readonly actions: Set<string>;
	readonly kinds: Set<string>;
	readonly types: Set<string>;
	/** Pairs in the same conjunction, as `RESOURCE/ACTION`. */
	readonly pairs: Set<string>;
	/** Secrets and parameters, for example `activity.params.user_id`. */
	readonly fields: Set<string>;
}

/** Returns the groups that reports or policies name, then kinds and types. A resource alone is all its actions, and so on. */
export function listGroups(
	all: readonly PreparedAccess[],
	more: readonly ActivityGroup[] = [],
): readonly ActivityGroup[] {
	const named: Mentions = {
		resources: new Set(),
		actions: new Set(),
		kinds: new Set(),
		types: new Set(),
		pairs: new Set(),
		fields: new Set(),
	};
	for (const { policies } of all) {
		for (const { policy } of policies) {
			const { condition } = compilePolicy(policy);
			if (condition.is !== "tree") continue;
			collect(condition.tree, named);
			for (const field of fieldsIn(condition.tree)) named.fields.add(field);
		}
	}
	const groups = new Map(always.map((group) => [printGroup(group), group]));
	const add = (group: ActivityGroup): unknown => groups.has(printGroup(group)) || groups.set(printGroup(group), group);
	for (const { resource, action } of sortedPairs(named)) add({ resource, action });
	for (const kind of [...named.kinds].sort()) add({ kind });
	for (const type of [...named.types].sort()) add({ type });
	for (const group of others) if (isNamed(group, named)) add(group);
	for (const group of more) add(group);
	return [...groups.values()];
}

/** Whether a policy names what only activities of the group have: a secret, or a parameter. */
function isNamed(group: ActivityGroup, { fields }: Mentions): boolean {
	const types = typesOf(group);
	if (fields.has("secret") && types.some(({ kind }) => kind.endsWith("_SECRETS"))) return true;
	return types.some(({ params }) => params.some((name) => fields.has(`activity.params.${name}`)));
}

function sortedPairs(named: Mentions): { readonly resource: string; readonly action: string }[] {
	const resources = new Set(named.resources);
	const pairs = new Set(named.pairs);
	for (const resource of named.resources) for (const action of actionsOf(resource)) pairs.add(`${resource}/${action}`);
	for (const group of always) if ("resource" in group) resources.add(group.resource);
	for (const pair of named.pairs) resources.add(pair.split("/")[0] ?? "");
	for (const action of named.actions) for (const resource of resources) pairs.add(`${resource}/${action}`);
	const written = [...pairs].sort().map((pair) => {
		const [resource = "", action = ""] = pair.split("/");
		return { resource, action };
	});
	// A power over activities that do not exist is none.
	return written.filter(
		({ resource, action }) => actionsOf(resource).includes(action) || !actionNames.includes(action),
	);
}

/** Notes what the condition compares an activity with. */
function collect(expression: Expression, named: Mentions): void {
	const clauses = conjunctionOf(expression);
	const resources = clauses.flatMap((clause) => comparedWith(clause, "resource"));
	const of = clauses.flatMap((clause) => comparedWith(clause, "action"));
	for (const resource of resources) for (const action of of) named.pairs.add(`${resource}/${action}`);
	if (of.length === 0) for (const resource of resources) named.resources.add(resource);
	if (resources.length === 0) for (const action of of) named.actions.add(action);
	for (const clause of clauses) {
		const [kinds, types] = [comparedWith(clause, "kind"), comparedWith(clause, "type")];
		for (const kind of kinds) named.kinds.add(kind);
		for (const type of types) named.types.add(type);
		const isRead =
			[...kinds, ...types, ...comparedWith(clause, "resource"), ...comparedWith(clause, "action")].length > 0;
		if (!isRead) for (const part of partsOf(clause)) collect(part, named);
	}
}

const conjunctionOf = (expression: Expression): readonly Expression[] =>
	expression.node === "binary" && expression.operator === "&&"
		? [...conjunctionOf(expression.left), ...conjunctionOf(expression.right)]
		: [expression];

/** Returns the texts that the clause, or each of its alternatives, compares `activity.NAME` with. */
function comparedWith(clause: Expression, name: string): readonly string[] {
	if (clause.node !== "binary") return [];
	const { operator, left, right } = clause;
	if (operator === "||") {
		const [one, other] = [comparedWith(left, name), comparedWith(right, name)];
		return one.length > 0 && other.length > 0 ? [...one, ...other] : [];
	}
	if (operator === "in") return isField(left, name) && right.node === "list" ? right.items.flatMap(textsOf) : [];
	if (operator !== "==" && operator !== "!=") return [];
	if (isField(left, name)) return textsOf(right);
	return isField(right, name) ? textsOf(left) : [];
}

const isField = (expression: Expression, name: string): boolean =>
	expression.node === "field" &&
	expression.name === name &&
	expression.of.node === "name" &&
	expression.of.name === "activity";

const textsOf = (expression: Expression): readonly string[] =>
	expression.node === "literal" && typeof expression.value === "string" ? [expression.value] : [];

/** Returns the parts of a clause that may compare an activity with something else. */
function partsOf(clause: Expression): readonly Expression[] {
	if (clause.node === "not") return [clause.of];
	if (clause.node === "binary" && clause.operator === "||") return [clause.left, clause.right];
	return [];
}
