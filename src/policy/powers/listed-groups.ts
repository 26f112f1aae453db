/** Finds the groups of activities that powers are reported for. */

import type { Expression } from "../language/syntax.ts";
import { compilePolicy } from "./compile.ts";
import { type ActivityGroup, namedPowers, printGroup } from "./groups.ts";
import type { PreparedAccess } from "./prepare.ts";

const actions = ["CREATE", "UPDATE", "DELETE", "SIGN", "EXPORT", "IMPORT", "VERIFY", "ENCRYPT"];

/** Groups of the activities that orgsync submits, and of named powers, in the order of the names. */
const always: readonly ActivityGroup[] = [...Object.values(namedPowers).flat()];

/** What policies compare an activity with. */
interface Mentions {
	readonly resources: Set<string>;
	readonly actions: Set<string>;
	readonly kinds: Set<string>;
	readonly types: Set<string>;
	/** Pairs in the same conjunction, as `RESOURCE/ACTION`. */
	readonly pairs: Set<string>;
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
	};
	for (const { policies } of all) {
		for (const { policy } of policies) {
			const { condition } = compilePolicy(policy);
			if (condition.is === "tree") collect(condition.tree, named);
		}
	}
	const groups = new Map(always.map((group) => [printGroup(group), group]));
	const add = (group: ActivityGroup): unknown => groups.has(printGroup(group)) || groups.set(printGroup(group), group);
	for (const { resource, action } of sortedPairs(named)) add({ resource, action });
	for (const kind of [...named.kinds].sort()) add({ kind });
	for (const type of [...named.types].sort()) add({ type });
	for (const group of more) add(group);
	return [...groups.values()];
}

function sortedPairs(named: Mentions): { readonly resource: string; readonly action: string }[] {
	const resources = new Set(named.resources);
	const pairs = new Set(named.pairs);
	for (const resource of named.resources) for (const action of actions) pairs.add(`${resource}/${action}`);
	for (const group of always) if ("resource" in group) resources.add(group.resource);
	for (const pair of named.pairs) resources.add(pair.split("/")[0] ?? "");
	for (const action of named.actions) for (const resource of resources) pairs.add(`${resource}/${action}`);
	return [...pairs].sort().map((pair) => {
		const [resource = "", action = ""] = pair.split("/");
		return { resource, action };
	});
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
	if (operator === "in") return isNamed(left, name) && right.node === "list" ? right.items.flatMap(textsOf) : [];
	if (operator !== "==" && operator !== "!=") return [];
	if (isNamed(left, name)) return textsOf(right);
	return isNamed(right, name) ? textsOf(left) : [];
}

const isNamed = (expression: Expression, name: string): boolean =>
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
