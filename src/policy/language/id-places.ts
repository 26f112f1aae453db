/** Finds the strings of an expression that are ids of users or tags: what they are compared with says so. */
import { childrenOf, type Expression } from "./syntax.ts";

/** A value whose meaning is known: one, or a list of them. */
type Meaning = "user" | "credential" | "userId" | "tagId";
type Found = { readonly of: Meaning; readonly isList: boolean } | null;

export type Literal = Expression & { readonly node: "literal" };

/** Is called with each string that is an id, in no order. */
type Note = (literal: Literal, kind: "user" | "userTag") => void;

/** Names of items, inside others. */
interface Items {
	readonly name: string;
	readonly is: Found;
	readonly outer: Items | null;
}

const roots: Readonly<Record<string, Found>> = {
	approvers: { of: "user", isList: true },
	credentials: { of: "credential", isList: true },
};

const fields: Readonly<Record<string, Found>> = {
	"user.id": { of: "userId", isList: false },
	"user.tags": { of: "tagId", isList: true },
	"credential.user_id": { of: "userId", isList: false },
};

/** The fields of `activity.params` that are ids of users (docs/internals/policies.md#names). */
const parameters: Readonly<Record<string, Found>> = {
	user_id: { of: "userId", isList: false },
	user_ids: { of: "userId", isList: true },
};

/** Calls `note` with each string literal that is compared with ids of users or tags. */
export function findIds(expression: Expression, note: Note): void {
	visit(expression, null, note);
}

function visit(expression: Expression, items: Items | null, note: Note): void {
	let within = items;
	if (expression.node === "call") {
		const { of, item, method, arguments: inner } = expression;
		if (method === "contains" && inner[0] !== undefined) noteMember(inner[0], of, items, note);
		if (item !== null) within = { name: item, is: itemOf(meaningOf(of, items)), outer: items };
	}
	if (expression.node === "binary") {
		const { operator, left, right } = expression;
		if (operator === "in") noteMember(left, right, items, note);
		if (operator === "==" || operator === "!=") {
			noteAll([left], meaningOf(right, items), note);
			noteAll([right], meaningOf(left, items), note);
		}
	}
	// The list of a call does not know the name of its items.
	for (const part of childrenOf(expression)) {
		visit(part, expression.node === "call" && part === expression.of ? items : within, note);
	}
}

/** Notes the ids of a test whether a value is in a list. */
function noteMember(value: Expression, list: Expression, items: Items | null, note: Note): void {
	noteAll([value], itemOf(meaningOf(list, items)), note);
	if (list.node === "list") noteAll(list.items, meaningOf(value, items), note);
}

function noteAll(values: readonly Expression[], is: Found, note: Note): void {
	if (is === null || is.isList || (is.of !== "userId" && is.of !== "tagId")) return;
	for (const value of values) {
		if (value.node === "literal" && typeof value.value === "string") {
			note(value, is.of === "userId" ? "user" : "userTag");
		}
	}
}

const itemOf = (found: Found): Found => (found?.isList === true ? { of: found.of, isList: false } : null);

function meaningOf(expression: Expression, items: Items | null): Found {
	switch (expression.node) {
		case "name": {
			for (let inner = items; inner !== null; inner = inner.outer) if (inner.name === expression.name) return inner.is;
			return roots[expression.name] ?? null;
		}
		case "field": {
			const { of, name } = expression;
			const isParameter = of.node === "field" && of.name === "params" && of.of.node === "name";
			if (isParameter) return parameters[name] ?? null;
			const owner = meaningOf(of, items);
			return owner === null || owner.isList ? null : (fields[`${owner.of}.${name}`] ?? null);
		}
		case "index":
			return itemOf(meaningOf(expression.of, items));
		case "slice":
			return meaningOf(expression.of, items);
		case "call":
			return expression.method === "filter" ? meaningOf(expression.of, items) : null;
		default:
			return null;
	}
}
