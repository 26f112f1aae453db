import { remember } from "../../common/remember.ts";
import { type Expression, isLogical, operandsOf, partsOf } from "./syntax.ts";

/** Returns whether the expression depends on who approves. */
export const mentionsVotes = (expression: Expression): boolean =>
	mentionsName(expression, ["approvers", "credentials"]);

/** Returns whether the expression has one of the names. */
export const mentionsName = (expression: Expression, names: readonly string[]): boolean =>
	has(expression, (part) => part.node === "name" && names.includes(part.name));

/** Returns whether the expression reads an item of a list or a part of a text, which may be missing; there is a first approver always. */
export const mayMissItem = (expression: Expression): boolean =>
	has(expression, (part) => {
		if (part.node !== "index") return part.node === "slice";
		const isFirst = part.index.node === "literal" && part.index.value === 0n;
		return !isFirst || pathOf(part.of) !== "approvers";
	});

const compared = new WeakMap<Expression, Map<string, readonly string[]>>();

/** Returns the texts in all comparisons that read the field, a path, as a whole; found once for each tree. */
export function comparedWith(expression: Expression, path: string): readonly string[] {
	const known = remember(compared, expression, () => new Map<string, readonly string[]>());
	return remember(known, path, () => findCompared(expression, path));
}

function findCompared(expression: Expression, path: string): readonly string[] {
	if (expression.node === "not") return findCompared(expression.of, path);
	if (isLogical(expression)) return operandsOf(expression).flatMap((part) => findCompared(part, path));
	const texts: string[] = [];
	let isWhole = false;
	has(expression, (part) => {
		isWhole ||= pathOf(part) === path;
		if (part.node === "literal" && typeof part.value === "string") texts.push(part.value);
		return part.node === "slice";
	});
	return isWhole ? texts : [];
}

/** Returns the fields that the expression reads, each as a whole, without the names of items. */
export function fieldsIn(expression: Expression): ReadonlySet<string> {
	const fields = new Set<string>();
	const items = new Set<string>();
	const within = new Set<Expression>();
	has(expression, (part) => {
		if (part.node === "call" && part.item !== null) items.add(part.item);
		const path = pathOf(part);
		const [name = ""] = path?.split(".") ?? [];
		if (path !== null && !within.has(part) && !items.has(name)) fields.add(path);
		if (part.node === "field") within.add(part.of);
		return false;
	});
	return fields;
}

/** Returns the names of a field, from the first to its own, with dots between them; null for another expression. */
export function pathOf(expression: Expression): string | null {
	if (expression.node === "name") return expression.name;
	const of = expression.node === "field" ? pathOf(expression.of) : null;
	return of === null || expression.node !== "field" ? null : `${of}.${expression.name}`;
}

const has = (expression: Expression, isSuch: (part: Expression) => boolean): boolean =>
	partsOf(expression).some(isSuch);
