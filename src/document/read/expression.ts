/**
 * Reads expressions of policies. Their variables are not substituted in the text, as those of other values are: an expression is
 * parsed first (policy/language/template.ts), and its problems are at their places within the string.
 */

import type { Position } from "../../plan/organization.ts";
import { checkTemplate } from "../../policy/language/check-template.ts";
import { readClause } from "../../policy/language/read-clause.ts";
import { type Lookups, resolveTemplate, type VariableValue } from "../../policy/language/resolve-template.ts";
import type { Clause, Span } from "../../policy/language/syntax.ts";
import { escapeTemplate, parseTemplate, type Template, type TemplateProblem } from "../../policy/language/template.ts";
import { type Cell, type ExpressionCell, makeCell, pathOf, type Slot } from "../cell.ts";
import { invalidate, problemsOf, report } from "../report.ts";
import type { Substitution } from "./variables.ts";
import type { YamlSource } from "./yaml.ts";

const clauses: readonly unknown[] = ["consensus", "condition", "time"] satisfies Clause[];

/** Whether a value is an expression: a clause of an entry under `policies`. */
export function isExpression({ key, parent }: Slot): boolean {
	const list = parent?.parent;
	return clauses.includes(key) && list?.key === "policies" && list.parent?.parent === undefined;
}

/** A scalar of YAML. `style`: as the `yaml` package names it. */
interface ScalarPlace {
	/** Its value. */
	readonly text: string;
	readonly style: string;
	/** Where it begins and ends in its file. */
	readonly range: readonly number[];
	readonly source: YamlSource;
}

/** Returns the cell of an expression. `onMissing`: is called with a value that the row does not have. */
export function readExpression(
	scalar: ScalarPlace,
	slot: Slot,
	substitution: Substitution,
	onMissing?: (cell: Cell) => void,
): Cell {
	const { text: value } = scalar;
	const template = parseTemplate(value);
	const offsetOf = offsetsOf(scalar);
	const placeOf = (offset: number): Position => scalar.source.positionOf(offsetOf(offset));
	const excerptOf = ({ start, end }: Span): string => excerpt(scalar.source.text, offsetOf(start), offsetOf(end));
	const variables = new Map<string, VariableValue & { readonly use?: Cell }>();
	for (const { kind, name, span } of template.references) {
		if (kind !== "variable" || variables.has(name)) continue;
		const wasFull = substitution.left < 0;
		const { each, ...found } = substitution.lookUp(name);
		let known: VariableValue = "mistake" in found ? { code: found.code, message: found.mistake } : found;
		if ("value" in found && !substitution.add(Buffer.byteLength(found.value))) {
			known = { code: "expansion", message: wasFull ? "" : substitution.expansionMessage };
		}
		if (each === undefined) {
			variables.set(name, known);
			continue;
		}
		const usedAs = { text: `\${${name}}`, at: placeOf(span.start) };
		const use = makeCell("text", { ...slot, at: each.at }, { written: each.written ?? "", usedAs });
		if (each.value === undefined) onMissing?.(use);
		variables.set(name, { ...known, use });
	}
	const fromEnvironment = [...variables.keys()].some((name) => name.startsWith("ORGSYNC_VAR_"));
	const expression: ExpressionCell = { template, placeOf, excerptOf, variables };
	return makeCell("text", slot, { value, written: value, fromEnvironment, expression });
}

/** Returns the template of a cell, or reports what is wrong. `isUnchecked`: only what is wrong with its references. */
export function readTemplate(cell: Cell, clause: Clause, isUnchecked = false): Template | undefined {
	// A program's value has no variables: `${` is text.
	const template = cell.expression?.template ?? parseTemplate(escapeTemplate(String(cell.value)));
	const checked = isUnchecked ? template.problems : checkTemplate(template, clause);
	// A text that is not understood has no references: resolveExpression looks for them.
	const found = isUnchecked && template.expression === null ? [] : checked;
	for (const problem of found) reportWithin(cell, problem);
	return found.length === 0 ? template : undefined;
}

/** Returns the expression with its ids and values, or reports what is wrong with them. No message shows a value. */
export function resolveExpression(
	cell: Cell,
	clause: Clause,
	template: Template,
	ids: Pick<Lookups, "userTags" | "users">,
): string | undefined {
	const variables = cell.expression?.variables ?? new Map();
	const resolved = resolveTemplate(template, { ...ids, variable: (name) => variables.get(name) });
	if ("problems" in resolved) {
		for (const problem of resolved.problems) {
			const reference = template.references.find(({ span }) => span.start === problem.span.start);
			const use = reference?.kind === "variable" ? variables.get(reference.name)?.use : undefined;
			// What a row does not have is reported once, when the whole list was read.
			if (problem.message === "") cell.invalid = true;
			else if (use === undefined) reportWithin(cell, problem);
			else report(use, problem.code, problem.message);
		}
		cell.invalid = true;
		return undefined;
	}
	const isLate = clause === "time" && template.references.length > 0;
	if (!isLate || readClause(resolved.text, clause).mistakes.length === 0) return resolved.text;
	return invalidate(cell, "expression-type", "the values of its variables make no time that is understood");
}

function reportWithin(cell: Cell, { code, message, span }: TemplateProblem): void {
	const { placeOf, excerptOf } = cell.expression ?? {};
	problemsOf(cell).add(placeOf?.(span.start) ?? cell.at, pathOf(cell), code, message, excerptOf?.(span));
	cell.invalid = true;
}

const isSpace = (character: string): boolean => /^[ \t\r\n]$/.test(character);

/** What is one character of a scalar's value, but for spaces, which YAML folds. */
const unitsOfStyle: Readonly<Record<string, RegExp>> = {
	QUOTE_SINGLE: /''|[^ \t\r\n]/g,
	QUOTE_DOUBLE: /\\(?:x..|u....|U.{8}|\r?\n|.)|[^ \t\r\n]/g,
};

/**
 * Returns a function from offsets in a scalar's value to offsets in its file. Each character that is no space is found by the
 * number of those before it, in any style; a space is behind the character before it.
 */
function offsetsOf({ text, style, range, source }: ScalarPlace): (offset: number) => number {
	const [begin = 0, end = begin] = range;
	const isQuoted = style.startsWith("QUOTE");
	const raw = source.text.slice(begin, end);
	// A block begins behind its header.
	const skipped = style.startsWith("BLOCK") ? raw.indexOf("\n") + 1 : Number(isQuoted);
	const inner = raw.slice(skipped, isQuoted ? -1 : undefined);
	let units: Span[] | undefined;
	return (offset) => {
		units ??= [...inner.matchAll(unitsOfStyle[style] ?? /[^ \t\r\n]/g)].flatMap(({ 0: written, index }) => {
			const start = begin + skipped + index;
			return Array.from({ length: lengthOf(written) }, () => ({ start, end: start + written.length }));
		});
		const before = text.slice(0, offset).replace(/[ \t\r\n]/g, "").length;
		const isBehind = offset >= text.length || isSpace(text.charAt(offset));
		return (isBehind ? units[before - 1]?.end : units[before]?.start) ?? begin;
	};
}

/** Returns how many characters of the value a part of a scalar is, without spaces. */
function lengthOf(written: string): number {
	if (!written.startsWith("\\") || written.length === 1) return 1;
	if (/^\\(?:[ntr \t\r\n]|x(?:20|09|0[aAdD])|u00(?:20|09|0[aAdD])|U0{6}(?:20|09|0[aAdD]))/.test(written)) return 0;
	return /^\\U(?!0000)/.test(written) ? 2 : 1;
}

/** Max characters of a line that an excerpt shows on each side of its beginning. */
const maxSide = 80;

function excerpt(text: string, start: number, end: number): string {
	const begin = Math.max(text.lastIndexOf("\n", start - 1) + 1, start - maxSide);
	const [line = ""] = text.slice(begin, start + maxSide).split(/\r?\n/, 1);
	const marked = [...line.slice(start - begin, end - begin)].length;
	const caret = " ".repeat([...line.slice(0, start - begin)].length) + "^".repeat(Math.max(1, marked));
	return `${line.replaceAll("\t", " ")}\n${caret}`;
}
