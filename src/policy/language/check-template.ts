/** Checks templates, and writes live expressions as templates. */
import { checkExpression, type IdLiteral, idsIn } from "./checker.ts";
import { quote, quoteWhole } from "./lexer.ts";
import { parseExpression } from "./parser.ts";
import { openParts } from "./same-expression.ts";
import type { Clause, Expression, Span } from "./syntax.ts";
import {
	escapeTemplate,
	parseTemplate,
	type Reference,
	replaceSpans,
	type Template,
	type TemplateProblem,
} from "./template.ts";
import type { IdKind } from "./types.ts";

/**
 * Returns what is wrong with a template of the clause, in the order of the text; empty where all is understood. The values of
 * variables are not known: `resolveTemplate` checks them. A text that is not a template, or not understood, has these problems alone.
 */
export function checkTemplate(template: Template, clause: Clause): readonly TemplateProblem[] {
	const { text, expression, references } = template;
	if (expression === null || template.problems.length > 0) return template.problems;
	const variables = references.filter(({ kind }) => kind === "variable");
	const mistakes = checkExpression(expression, clause, text)
		// What a text of `time` says is known with its value.
		.filter(({ span }) => clause !== "time" || !variables.some((one) => isSame(one.span, span)))
		.map((mistake): TemplateProblem => ({ code: "expression-type", ...mistake }));
	const problems = [...mistakes, ...idProblems(template, expression), ...mixProblems(text, expression)];
	return problems.sort((left, right) => left.span.start - right.span.start);
}

/** Returns the live text as a template with references for ids, where a name is known; equal to it when resolved. */
export function templateOf(text: string, { tagNames, aliases }: Names): string {
	const parsed = parseExpression(text);
	if ("mistakes" in parsed) return escapeTemplate(text);
	const found = new Map<number, { readonly span: Span; readonly written: string }>();
	for (const { value, kind, span } of idsIn(parsed.expression)) {
		const name = (kind === "user" ? aliases : tagNames).get(value);
		const written = name === undefined ? null : writeReference(kind, name);
		if (written !== null) found.set(span.start, { span, written });
	}
	const parts = [...found.values()].sort((left, right) => left.span.start - right.span.start);
	return replaceSpans(text, parts, escapeTemplate);
}

interface Names {
	/** Names under `userTags`, by id. */
	readonly tagNames: ReadonlyMap<string, string>;
	/** Aliases under `users`, by id. */
	readonly aliases: ReadonlyMap<string, string>;
}

/** Returns the string that refers to a tag or a user; null where no template can have the name. */
function writeReference(kind: IdKind, name: string): string | null {
	const list = kind === "user" ? "users" : "userTags";
	const forms = [`'\${${list}.${name}}'`, `'\${${list}['${name.replaceAll("'", "''")}']}'`];
	return forms.find((form) => parseTemplate(form).references[0]?.name === name) ?? null;
}

/** Whether the text can be an id of the service: a UUID. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

const described = { user: "user", userTag: "tag" };

function idProblems({ text, references }: Template, expression: Expression): readonly TemplateProblem[] {
	return idsIn(expression).flatMap((literal) => {
		const message = idMistake(
			text,
			literal,
			references.find(({ span }) => isSame(span, literal.span)),
		);
		return message === null ? [] : [{ code: "not-an-id", message, span: literal.span }];
	});
}

function idMistake(text: string, { value, kind, span }: IdLiteral, found: Reference | undefined): string | null {
	const shown = quote(text.slice(span.start, span.end));
	const expected = `the id of a ${described[kind]}`;
	if (found !== undefined) {
		if (found.kind === "variable" || found.kind === kind) return null;
		return `expected ${expected}, found the ${described[found.kind]} ${shown}`;
	}
	if (isId(value)) return null;
	const reference = writeReference(kind, value);
	const fix = reference === null ? "write the id" : `write ${quoteWhole(reference)}`;
	return `${shown} is not ${expected}, so nothing matches it; ${fix}`;
}

function mixProblems(text: string, expression: Expression): readonly TemplateProblem[] {
	const ands = openParts(expression).filter(({ node }) => node === "binary");
	return ands.map(({ span }) => {
		const written = quoteWhole(`(${text.slice(span.start, span.end)})`);
		const message = `\`&&\` beside \`||\` without parentheses: which comes first is not documented; write ${written}`;
		return { code: "mixed-operators", message, span };
	});
}

const isSame = (left: Span, right: Span): boolean => left.start === right.start && left.end === right.end;
