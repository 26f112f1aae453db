/** Puts ids and values in place of the references of a template. */
import { suggest } from "./checker.ts";
import { quote, readToken } from "./lexer.ts";
import { maxLength } from "./syntax.ts";
import {
	escapeTemplate,
	firstOpening,
	noVariable,
	type Reference,
	replaceSpans,
	type Template,
	type TemplateProblem,
	withoutEscapes,
} from "./template.ts";

/** What a variable is, or why it is not there: a problem without the value. */
export type VariableValue = { readonly value: string } | { readonly code: string; readonly message: string };

export interface Lookups {
	/** Ids by the names under `userTags`. */
	readonly userTags: ReadonlyMap<string, string>;
	/** Ids by the aliases under `users`. */
	readonly users: ReadonlyMap<string, string>;
	/** `name`: `each.NAME` or `ORGSYNC_VAR_NAME`. */
	readonly variable: (name: string) => VariableValue;
}

/**
 * Returns the text with ids and values in place of references, or why it has none. Only references become other leaves: the
 * tree is that of the template. A text that is not understood has no references, and is returned without its escapes.
 */
export function resolveTemplate(
	template: Template,
	lookups: Lookups,
): { readonly text: string } | { readonly problems: readonly TemplateProblem[] } {
	const { text, references } = template;
	if (template.expression === null) return resolveUnread(text);
	const problems = [...template.problems];
	const parts = references.map((reference) => {
		const { span, as } = reference;
		const found = findValue(text, reference, lookups);
		if (!("value" in found)) problems.push({ ...found, span });
		return { span, written: "value" in found ? asWritten(found.value, as) : "" };
	});
	const whole = replaceSpans(text, parts, withoutEscapes);
	if (problems.length === 0 && whole.length > maxLength) {
		const message = `the expression is too long with its values: ${maxLength} characters at most`;
		problems.push({ code: "expression-syntax", message, span: { start: 0, end: text.length } });
	}
	return problems.length > 0 ? { problems } : { text: whole };
}

/** Returns the template with values in place of its variables, which `resolveTemplate` found no fault with. */
export function fillVariables({ text, references }: Template, lookUp: (name: string) => string): string {
	const variables = references.filter(({ kind }) => kind === "variable");
	const parts = variables.map(({ name, as, span }) => ({ span, written: asWritten(escapeTemplate(lookUp(name)), as) }));
	return replaceSpans(text, parts, (between) => between);
}

const asWritten = (value: string, as: Reference["as"]): string => (as === "string" ? `'${value}'` : value);

function resolveUnread(text: string): ReturnType<typeof resolveTemplate> {
	const span = firstOpening(text);
	if (span === undefined) return { text: withoutEscapes(text) };
	const message =
		"an expression that is not understood cannot have references; write the id, or `$${` for a literal `${`";
	return { problems: [{ code: "bad-reference", message, span }] };
}

function findValue(text: string, { kind, name, as, span }: Reference, lookups: Lookups): VariableValue {
	const found = kind === "variable" ? lookups.variable(name) : idOf(kind, name, lookups);
	if (!("value" in found)) return found;
	const shown = quote(text.slice(span.start, span.end).replace(/^'|'$/g, ""));
	if (as === "string") {
		const hasOther = /['\\\p{Cc}]/u.test(found.value);
		const message = `the value of ${shown} has a quote \`'\`, a \`\\\` or a control character, which a string cannot have`;
		return hasOther ? { code: "bad-value", message } : found;
	}
	const { kind: token, span: read } = readToken(found.value, 0);
	if (token === "number" && read.start === 0 && read.end === found.value.length) return found;
	const message = `the value of ${shown} is not a decimal number; write digits only, or the variable in quotes`;
	return { code: "bad-value", message };
}

function idOf(kind: "userTag" | "user", name: string, lookups: Lookups): VariableValue {
	const ids = kind === "userTag" ? lookups.userTags : lookups.users;
	const value = ids.get(name);
	if (value !== undefined) return { value };
	const [what, list] = kind === "userTag" ? ["tag", "userTags"] : ["alias", "users"];
	if (name.includes("${")) return { code: "unknown-reference", message: noVariable };
	const near = ids.size === 0 ? "; add it there" : suggest(name, [...ids.keys()]);
	const message = `no ${what} ${quote(name)} under \`${list}\`${near}`;
	return { code: "unknown-reference", message };
}
