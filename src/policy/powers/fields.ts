/**
 * What is known of one activity beside its group: fields as conditions read them, written `wallet.id == 'A' && eth == null`
 * (docs/powers.md#one-activity).
 */
import { originOf, transactions, wallets } from "../cells/shapes.ts";
import { nameOf, type Tree, treeOf } from "../cells/values.ts";
import { checkExpression } from "../language/checker.ts";
import { evaluate, type Scope } from "../language/evaluate.ts";
import { parseExpression } from "../language/parser.ts";
import { printExpression } from "../language/printer.ts";
import { type Expression, isLogical, type Mistake, type Span } from "../language/syntax.ts";
import { namesOf, type Type } from "../language/types.ts";
import { errs, isError, isList, isStruct, isUnknown, ofActivity, type Struct, type Value } from "../language/values.ts";

/** Values by the paths of fields, for example `eth.tx.value`. Null: the activity lacks the field. */
export type Fields = ReadonlyMap<string, Value | null>;

/** One activity, as a finding shows it. */
export interface ActivityExample {
	readonly type: string;
	/** The fields that matter, as `printFields` writes them. */
	readonly where: string;
}

/** Returns the activity as `powers --why` takes it in the place of a group. */
export const printExample = ({ type, where }: ActivityExample): string =>
	where === "" ? `type ${type}` : `type ${type} where ${where}`;

/** Returns the fields of a text, or what would be right. `null` is written for a field that the activity lacks. */
export function readFields(text: string): { readonly fields: Fields } | { readonly mistakes: readonly Mistake[] } {
	const parsed = parseExpression(text);
	if ("mistakes" in parsed) return parsed;
	const fields = new Map<string, Value | null>();
	const mistakes: Mistake[] = [];
	for (const clause of clausesOf(parsed.expression)) {
		const found = readField(clause);
		if ("message" in found) mistakes.push(found);
		else if (fields.has(found.path)) mistakes.push({ message: `\`${found.path}\` is here twice`, span: clause.span });
		else fields.set(found.path, found.value);
	}
	return mistakes.length > 0 ? { mistakes } : { fields };
}

function readField(clause: Expression): { readonly path: string; readonly value: Value | null } | Mistake {
	const { span } = clause;
	const isEquality = clause.node === "binary" && clause.operator === "==";
	const steps = isEquality ? stepsOf(clause.left) : null;
	if (!isEquality || steps === null)
		return { message: "expected FIELD == VALUE, such as `wallet.id == 'WALLET_ID'` or `wallet == null`", span };
	const { left, right } = clause;
	const path = printExpression(left);
	if (steps[0] === "activity" && steps[1] !== "params")
		return { message: `\`${path}\` is known by the type of the activity: leave it out`, span };
	const type = typeOf(steps);
	const [slip] = type === null ? checkExpression({ ...clause, right: left }, "condition") : [];
	if (type === null) return slip ?? { message: `conditions know no \`${path}\``, span };
	if (right.node === "name" && right.name === "null") return { path, value: null };
	const value = evaluate(right, new Map());
	const isWhole = type.kind === "list" || type.kind === "map" || type.kind === "struct";
	const [mistake] = isWhole ? [] : checkExpression(clause, "condition");
	if (mistake !== undefined) return mistake;
	if (isUnknown(value) || (isWhole && (type.kind === "list") !== isList(value)))
		return { message: `expected a value for \`${path}\`${type.kind === "list" ? ": a list" : ""}`, span: right.span };
	return { path, value };
}

/** Returns the operands of a chain of `&&`. */
export const clausesOf = (expression: Expression): readonly Expression[] =>
	expression.node === "binary" && expression.operator === "&&"
		? [...clausesOf(expression.left), ...clausesOf(expression.right)]
		: [expression];

/** Returns the names from the first to the last of a field, a key as `['key']`; null for another expression. */
function stepsOf(expression: Expression): readonly string[] | null {
	if (expression.node === "name") return [expression.name];
	if (expression.node !== "field" && expression.node !== "index") return null;
	const of = stepsOf(expression.of);
	if (of === null) return null;
	if (expression.node === "field") return [...of, expression.name];
	const { index } = expression;
	return index.node === "literal" && typeof index.value === "string" ? [...of, `['${index.value}']`] : null;
}

/** Returns the type of the field; null where conditions know no such field. */
export function typeOf([name = "", ...steps]: readonly string[]): Type | null {
	let type = namesOf("condition").get(name);
	for (const step of steps) {
		if (type?.kind === "struct") type = type.fields.get(nameOf(step)) ?? (type.isOpen ? { kind: "any" } : undefined);
		else if (type?.kind === "map") type = type.of;
		else if (type?.kind !== "any") return null;
	}
	return type ?? null;
}

/** Returns the fields as `readFields` reads them, without those whose value cannot be written. */
export function printFields(fields: Fields): string {
	return [...fields].flatMap(([path, value]) => printField(path, value)).join(" && ");
}

const nowhere: Span = { start: 0, end: 0 };

function printField(path: string, value: Value | null): readonly string[] {
	if (value === null) return [`${path} == null`];
	const expression = expressionOf(value);
	const text = expression === null ? "" : `${path} == ${printExpression(expression)}`;
	return "fields" in readFields(text) ? [text] : [];
}

function expressionOf(value: Value): Expression | null {
	if (typeof value !== "object") return { node: "literal", value, span: nowhere };
	if (isList(value)) {
		const items = value.items.map(expressionOf);
		return items.every((one) => one !== null) ? { node: "list", items, span: nowhere } : null;
	}
	if (!isStruct(value)) return null;
	const fields = [...value.fields].map(([name, one]) => ({ name, value: expressionOf(one) }));
	const isWhole = (field: (typeof fields)[number]): field is { name: string; value: Expression } =>
		field.value !== null;
	return fields.every(isWhole) ? { node: "struct", fields, span: nowhere } : null;
}

/** Returns the names with these fields, and without what an activity that has them lacks: a transaction is of one chain. */
export function withFields(scope: Scope, fields: Fields): Scope {
	const known = [...fields].map(([path, value]) => {
		const parsed = parseExpression(path);
		return [("expression" in parsed ? stepsOf(parsed.expression) : null) ?? [], value] as const;
	});
	const lacked = lackedBeside(fields).flatMap((path) => (fields.has(path) ? [] : [[path.split("."), null] as const]));
	const trees = treeOf<Value | null>([...lacked, ...known]);
	const merged = new Map(scope);
	for (const [name, tree] of trees) merged.set(name, merge(scope.get(name), tree, name));
	return merged;
}

function merge(base: Value | undefined, tree: Tree<Value | null> | Value | null, path: string): Value {
	if (tree === null) return errs("missing-field", `the activity has no \`${path}\``);
	// What the group lacks stays missing.
	if (base !== undefined && isError(base)) return base;
	if (!(tree instanceof Map)) return tree;
	const known = base !== undefined && isStruct(base) ? base : null;
	const rest = known === null ? ofActivity : known.rest;
	const fields = new Map(known?.fields);
	for (const [name, inner] of tree) fields.set(name, merge(fields.get(name), inner, `${path}.${name}`));
	return { fields, rest } satisfies Struct;
}

const origins = [
	...["eth.tx", "eth.eip_712", "eth.eip_7702_authorization"],
	...transactions.filter((name) => name !== "eth").map((name) => `${name}.tx`),
	...wallets,
	"private_key",
].map((path) => ({ path, ...originOf(path.split(".")) }));

/** Returns what activities lack that have these fields. */
function lackedBeside(fields: Fields): readonly string[] {
	const found = [...fields].flatMap(([path, value]) => (value === null ? [] : (originOf(path.split(".")) ?? [])));
	const lacked = origins.filter((own) => found.some(({ origin, kind }) => kind === own.kind && origin !== own.origin));
	return lacked.map(({ path }) => path);
}

/** Returns the value that the expression has in each of these scopes; null where it is not known, or differs. */
export function decidedIn(expression: Expression, scopes: readonly Scope[]): boolean | null {
	const values = new Set(scopes.map((scope) => evaluate(expression, scope)));
	const [value] = values;
	return values.size === 1 && typeof value === "boolean" ? value : null;
}

/** Returns the condition with `true` and `false` for each part that is decided, and without those that decide nothing. */
export function reduce(condition: Expression, scopes: readonly Scope[]): Expression {
	const { span } = condition;
	const value = decidedIn(condition, scopes);
	if (value !== null) return { node: "literal", value, span };
	if (condition.node === "not") return { ...condition, of: reduce(condition.of, scopes) };
	if (!isLogical(condition)) return condition;
	const [left, right] = [reduce(condition.left, scopes), reduce(condition.right, scopes)];
	if (left.node === "literal") return right;
	return right.node === "literal" ? left : { ...condition, left, right };
}
