/**
 * Expressions of documents: templates with references, which are parsed before anything is put in.
 *
 * A reference is one token. `'${userTags.NAME}'`, `'${users.ALIAS}'`, `'${each.NAME}'` and `'${ORGSYNC_VAR_NAME}'` are whole
 * strings; the last two without quotes are whole numbers. Any other name of a tag or a user is in brackets:
 * `'${userTags['a } name']}'`, where a quote within the name is doubled. Quotes within `${…}` do not end the string around it:
 * a string that begins with `${userTags['` ends behind `']}`. A literal `${` is `$${`.
 */
import { quoteWhole, readToken, skipSpace, type Token } from "./lexer.ts";
import { parseExpression } from "./parser.ts";
import type { Expression, Span } from "./syntax.ts";

/** A reference with its place: the whole literal, with its quotes. It has the span of its literal in the tree. */
export interface Reference {
	readonly kind: "userTag" | "user" | "variable";
	/** The name of a tag, an alias, or `each.NAME` or `ORGSYNC_VAR_NAME`. */
	readonly name: string;
	/** What it becomes. A tag and a user are an id, which is a string. */
	readonly as: "string" | "number";
	readonly span: Span;
}

export interface TemplateProblem {
	/** `bad-reference`: a `${` that is neither a reference nor `$${`. `expression-syntax`: the language does not have it. */
	readonly code: string;
	/** What is wrong, and what would be right. It has no value of a variable. */
	readonly message: string;
	/** The place in the template. */
	readonly span: Span;
}

export interface Template {
	readonly text: string;
	/** The tree, with a string or a number in place of each reference. Null: the text is empty, or not understood. */
	readonly expression: Expression | null;
	/** In the order of the text. Empty where the text is not understood. */
	readonly references: readonly Reference[];
	/** In the order of the text; `expression-syntax` is the last, and at most one. */
	readonly problems: readonly TemplateProblem[];
}

const name = String.raw`\.([\p{L}\p{N}._-](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}._-])?)|\['((?:[^'\p{Cc}]|'')+)'\]`;
const variable = String.raw`each\.[^'\\{}\p{Cc}]+|ORGSYNC_VAR_\w+`;

/** Sticky: it matches at its `lastIndex` only. */
const namePattern = new RegExp(String.raw`\$\{(?:(userTags|users)(?:${name})|(${variable}))\}`, "uy");

/** Each `${` of a text, with a `$` before it where it is a literal. */
const openings = /\$?\$\{/g;

type Named = Omit<Reference, "as" | "span"> & { readonly length: number };

/** Returns the tag, user or variable that the text names at an offset. */
function nameAt(text: string, at: number): Named | undefined {
	namePattern.lastIndex = at;
	const found = namePattern.exec(text);
	if (found === null) return undefined;
	const [{ length }, list, plain, inBrackets, variableName] = found;
	const kind = list === undefined ? "variable" : list === "users" ? "user" : "userTag";
	return { kind, name: variableName ?? plain ?? inBrackets?.replaceAll("''", "'") ?? "", length };
}

/** Returns the tree of a text with its references, or what is wrong with it. An empty text has no tree and no problem. */
export function parseTemplate(text: string): Template {
	if (text === "") return { text, expression: null, references: [], problems: [] };
	const reader = new TemplateReader();
	const parsed = parseExpression(text, (whole, offset) => reader.read(whole, offset));
	const { references, problems } = reader;
	if ("expression" in parsed) return { text, expression: parsed.expression, references, problems };
	const [mistake] = parsed.mistakes;
	const isNew = mistake !== undefined && !problems.some(({ span }) => span.start === mistake.span.start);
	const all = isNew ? [...problems, { code: "expression-syntax", ...mistake }] : problems;
	return { text, expression: null, references: [], problems: all };
}

class TemplateReader {
	readonly references: Reference[] = [];
	readonly problems: TemplateProblem[] = [];

	/** Returns the next token: a reference is a string or a number. */
	read(text: string, offset: number): Token {
		const start = skipSpace(text, offset);
		if (text.startsWith("'${", start)) {
			const named = nameAt(text, start + 1);
			const end = start + 2 + (named?.length ?? 0);
			if (named !== undefined && text[end - 1] === "'") return this.#reference(text, named, "string", { start, end });
		}
		if (text.startsWith("${", start)) return this.#readBare(text, start);
		const token = readToken(text, offset);
		return token.kind === "string" ? this.#readString(text, token) : token;
	}

	#reference(text: string, { kind, name }: Named, as: Reference["as"], span: Span): Token {
		this.references.push({ kind, name, as, span });
		if (as === "number") return { kind: "number", text: text.slice(span.start, span.end), value: 0n, span };
		return { kind: "string", text: text.slice(span.start + 1, span.end - 1), span };
	}

	/** Reads a variable in place of a number. */
	#readBare(text: string, start: number): Token {
		const named = nameAt(text, start);
		const shown = named === undefined ? badAt(text, start) : text.slice(start, start + named.length);
		if (named === undefined) return this.#mistake(describeBad(shown), start, shown);
		const end = start + named.length;
		if (named.kind !== "variable") {
			this.#mistake(`an id is a string; write ${quoteWhole(`'${shown}'`)} in single quotes`, start, shown);
		} else if (/\w/.test(text.charAt(start - 1)) || /\w/.test(text.charAt(end))) {
			this.#mistake(`${quoteWhole(shown)} is a part of a word; write a space between the two`, start, shown);
		}
		return this.#reference(text, named, "number", { start, end });
	}

	/** Reads a string that is no reference as a whole. */
	#readString(text: string, token: Token): Token {
		const found = firstOpening(token.text);
		if (found === undefined) return { ...token, text: withoutEscapes(token.text) };
		const start = token.span.start + 1 + found.start;
		const within = badAt(token.text, found.start);
		// A quote of a name in brackets ended the string: what follows is a part of the name, and is not read.
		const shown = within.endsWith("[") ? badAt(text, start) : within;
		const named = nameAt(text, start);
		const part = text.slice(start, start + (named?.length ?? 0));
		const mistake = this.#mistake(named === undefined ? describeBad(shown) : describePart(part), start, shown);
		return within.endsWith("}") ? token : mistake;
	}

	/** Adds a problem. Returns it as a token, at which parsing ends. */
	#mistake(message: string, start: number, shown: string): Token {
		const span = { start, end: start + shown.length };
		this.problems.push({ code: "bad-reference", message, span });
		return { kind: "mistake", text: message, span };
	}
}

/** Returns the place of the first `${` that is no `$${`, or undefined. */
export function firstOpening(text: string): Span | undefined {
	const found = [...text.matchAll(openings)].find(([opening]) => opening === "${");
	return found && { start: found.index, end: found.index + badAt(text, found.index).length };
}

/** Returns what a wrong `${` begins: up to its brace, or to the end of the line. */
const badAt = (text: string, at: number): string => /^[^}\n]*\}?/.exec(text.slice(at))?.[0] ?? "";

/** Says why a name with a variable in it is never found. */
export const noVariable = "a name in a reference takes no variable; write the id as one, such as `'${each.NAME}'`";

const literally = "or `$${` for a literal `${`";

function describePart(shown: string): string {
	return `${quoteWhole(shown)} is only a part of its string; write ${quoteWhole(`'${shown}'`)}, ${literally}`;
}

function describeBad(shown: string): string {
	const [, list, name] = /^\$\{(userTags|users)\.([^'{}]+)\}$/.exec(shown) ?? [];
	if (list !== undefined && name !== undefined) {
		return `the name in ${quoteWhole(shown)} needs brackets; write ${quoteWhole(`\${${list}['${name}']}`)}`;
	}
	if (/^\$\{(userTags|users)\b.*\$\{/.test(shown)) return noVariable;
	if (!shown.endsWith("}")) return `\`\${\` without its closing \`}\`; close it, ${literally}`;
	const [, other] = /^\$\{([A-Za-z]\w*)\}$/.exec(shown) ?? [];
	if (other !== undefined) {
		return `an expression cannot use ${quoteWhole(shown)}; name the environment variable ${quoteWhole(`ORGSYNC_VAR_${other}`)}, ${literally}`;
	}
	const forms = "`${userTags.NAME}`, `${users.ALIAS}`, `${each.NAME}`, `${ORGSYNC_VAR_NAME}`";
	return `${quoteWhole(shown)} is not a reference; write ${forms}, ${literally}`;
}

/** Returns the text with these parts in place of what has their spans, and `between` of what lies between them. */
export function replaceSpans(
	text: string,
	parts: readonly { readonly span: Span; readonly written: string }[],
	between: (text: string) => string,
): string {
	let [made, done] = ["", 0];
	for (const { span, written } of parts) {
		made += between(text.slice(done, span.start)) + written;
		done = span.end;
	}
	return made + between(text.slice(done));
}

/** Returns the text with `${` for each `$${`. */
export const withoutEscapes = (text: string): string => text.replaceAll("$${", () => "${");

/** Returns the text as a template that reads back as it. */
export const escapeTemplate = (text: string): string => text.replaceAll("${", () => "$${");
