/**
 * Text to YAML documents, and YAML's own errors in words for people. With document/tree.ts and document/edit.ts the only door to
 * `yaml`.
 *
 * The rule it keeps: depth and size are known before a tree is built, so that no file exhausts the stack or the memory.
 */
import { Composer, type CST, type Document, Lexer, LineCounter, Parser, type YAMLParseError } from "yaml";
import { escapeSequence, findHidden, nameCharacter } from "../invisible.ts";
import type { Position } from "../plan/organization.ts";
import type { Findings } from "./findings.ts";

/** Deepest nesting; a document needs eight levels. */
const deepest = 64;

/** Most tokens of a file, blanks and line breaks counted: about 300,000 ids in lists. */
const mostTokens = 2_000_000;

/** The documents of one file whose YAML is sound, each with its place; `positionOf` tells where an offset is. */
export interface YamlFile {
	readonly documents: readonly Document.Parsed[];
	/** Whether every document of the file could be read. */
	readonly whole: boolean;
	readonly positionOf: (offset: number) => Position;
}

export interface YamlOptions {
	/** Whether nodes keep the tokens they were made of: for edits in place. */
	readonly keepTokens?: boolean;
}

/** The YAML documents of a text; what is no YAML is reported and left out, as is an empty document at the end. */
export function readYaml(file: string, text: string, findings: Findings, options: YamlOptions = {}): YamlFile {
	const lines = new LineCounter();
	const positionOf = (offset: number): Position => {
		const { line, col } = lines.linePos(offset);
		return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
	};
	const tokens = readTokens(text, lines, (offset, code, message) =>
		findings.add(positionOf(offset), "", code, message),
	);
	if (tokens === undefined) return { documents: [], whole: false, positionOf };
	const composer = new Composer({
		version: "1.2",
		schema: "core",
		resolveKnownTags: false,
		uniqueKeys: false,
		keepSourceTokens: options.keepTokens === true,
	});
	const all = [...composer.compose(tokens, true, text.length)];
	while (all.length > 1 && isEmpty(all.at(-1))) all.pop();
	const documents: Document.Parsed[] = [];
	for (const document of all as Document.Parsed[]) {
		const [error] = document.errors;
		if (error !== undefined) {
			const offset = Math.min(error.pos[0], text.length);
			findings.add(positionOf(offset), "", "yaml-syntax", syntaxWords(error, text, offset));
		} else if (isEmpty(document)) {
			const message = "the document is empty; it needs at least `organizationId: UUID`";
			findings.add(positionOf(all.length === 1 ? 0 : document.range[0]), "", "empty-document", message);
		} else {
			documents.push(document);
		}
	}
	return { documents, whole: documents.length === all.length, positionOf };
}

type Report = (offset: number, code: string, message: string) => void;

function readTokens(text: string, lines: LineCounter, report: Report): CST.Token[] | undefined {
	const parser = new Parser(lines.addNewLine);
	const tokens: CST.Token[] = [];
	const hidden: HiddenMistake[] = [];
	let count = 0;
	lines.addNewLine(0);
	for (const lexeme of new Lexer().lex(text)) {
		const offset = parser.offset;
		const found = judgeLexeme(lexeme);
		if (found !== undefined && hidden.length < maxHidden) hidden.push({ ...found, offset: offset + found.offset });
		for (const token of parser.next(lexeme)) tokens.push(token);
		if (parser.stack.length > deepest) {
			report(offset, "too-deep", `values are nested more than ${deepest} deep here; a document needs eight levels`);
			return undefined;
		}
		if (++count > mostTokens) {
			report(offset, "too-many-values", "the file holds more than 2,000,000 YAML tokens; split it into several files");
			return undefined;
		}
	}
	for (const token of parser.end()) tokens.push(token);
	// The places of lines are known by now, also within a text of several lines.
	for (const { offset, code, message } of hidden) report(offset, code, message);
	return tokens;
}

/** Max number of them that is reported for one file. */
const maxHidden = 100;

interface HiddenMistake {
	readonly offset: number;
	readonly code: string;
	readonly message: string;
}

/** Marks that the lexer adds between the pieces of the text. */
const marks: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f", "\ufeff"]);

/**
 * Returns the first character of a piece that a reviewer does not see. In a comment only those count that change the order or
 * the lines in which it is displayed. An escape such as `\u200b` is visible, so a name that needs the character can have it.
 */
function judgeLexeme(lexeme: string): HiddenMistake | undefined {
	if (marks.has(lexeme)) return undefined;
	if (lexeme.startsWith("#")) {
		const offset = lexeme.search(/[\u202a-\u202e\u2066-\u2069\u0085\u2028\u2029]/);
		if (offset < 0) return undefined;
		const shown = nameCharacter(lexeme[offset] ?? "");
		const message = `the character ${shown} changes how this comment is displayed; remove it`;
		return { offset, code: "invisible-character", message };
	}
	const found = findHidden(lexeme);
	if (found === undefined) return undefined;
	const { index: offset, character } = found;
	const message = `invisible character ${nameCharacter(character)}; remove it, or write it as "${escapeSequence(character)}" in double quotes`;
	return { offset, code: "invisible-character", message };
}

function isEmpty(document: Document.Parsed | Document | undefined): boolean {
	if (document === undefined || document.errors.length > 0) return false;
	const contents = document.contents as { source?: string; value?: unknown; anchor?: string; tag?: string } | null;
	if (contents === null) return true;
	return (
		contents.value === null && contents.source === "" && contents.anchor === undefined && contents.tag === undefined
	);
}

/** Pairs of what YAML's message says and what people are told; the first that fits is taken. */
const wordsBySign: readonly (readonly [RegExp, string])[] = [
	[/closing ['"]quote/, "a quoted text that begins above is not closed before here; add the closing quote"],
	[/TAG_RESOLVE_FAILED/, "the YAML tag (`!name`) is not known, or does not fit the value; take it out"],
	[/Implicit map keys need to be followed/, "this line has no `:`; write `key: value`"],
	[/Missing , /, "a comma is missing before this, between the items of [ ] or { }"],
	[/Missing space after :/, "a blank is missing after `:`"],
	[/and end with a|Missing closing/, "the brackets do not match up to here; each [ needs a ], and each { a }"],
	[/Nested mappings/, "a value holds `: `; put the text in quotes, or look how the next line is indented"],
	[
		/block-seq-ind on same line|block sequence may/,
		"a list cannot begin beside its key; put `-` on the next line, or write [ ]",
	],
	[
		/Comments must be separated/,
		"a blank is missing before `#`; with one, a comment begins here, and in quotes it is text",
	],
	[/Tabs are not allowed/, "a tab stands at the beginning of the line; indent with blanks"],
	[/start on same line with directives-end/, "a line break is missing after `---`"],
	[
		/same column|Sequence item without|BAD_INDENT/,
		"this line is indented unlike its neighbours; bring it under what it belongs to",
	],
	[/Plain value cannot start with/, "a text cannot begin with this character; put it in quotes"],
	[/BAD_DQ_ESCAPE/, "this \\ means nothing in double quotes; write \\\\ for a \\, or use single quotes"],
	[/Unexpected empty item|Unexpected ,/, "a comma stands here without an item before it; take it out"],
	[/MULTILINE_IMPLICIT_KEY/, "a key must end with `:` on its line; is a `:` or a quote missing, or blanks before it?"],
	[/MULTIPLE_ANCHORS/, "a value can have only one anchor (`&name`)"],
	[/MULTIPLE_TAGS/, "a value can have only one YAML tag (`!name`)"],
	[/ALIAS_PROPS/, "an alias (`*name`) can have no anchor and no tag of its own"],
	[/BAD_ALIAS/, "a name is missing after `&` or `*`; put the text in quotes if it is meant as text"],
	[/directive/i, "a line above begins with %; take it out, or put `---` after it"],
	[/KEY_OVER_1024_CHARS/, "a key is longer than 1,024 characters; is a closing quote missing?"],
	[/RESOURCE_EXHAUSTION/, "values are nested too deep here"],
];

/** Words for what YAML did not expect: after a finished value, and anywhere else. */
const afterValue =
	"something follows a finished value here; put the whole text in quotes, or a comma or a line break between the two";
const unexpected = "this is not expected here; is a bracket or a quote missing above, or one too many?";

const bracesWords = `put \`\${NAME}\` in quotes inside [ ] and { }: "\${NAME}"`;

/** Returns what is wrong without quoting the file: it can be a link to anything, such as a key. */
function syntaxWords(error: YAMLParseError, text: string, offset: number): string {
	const begin = Math.max(text.lastIndexOf("\n", offset - 1) + 1, offset - 200);
	// A `-` that begins its line is not beside a key: it is an item that is indented unlike the others.
	const item = text.slice(begin, offset).trim() === "" && /block-seq-ind|block sequence/.test(error.message);
	const sign = item ? "BAD_INDENT" : `${error.message} ${error.code}`;
	const words = wordsBySign.find(([pattern]) => pattern.test(sign))?.[1];
	const isMissing = /^(?:\s|$)/.test(text.slice(offset, offset + 1));
	const rest = /at node end/.test(sign) ? afterValue : unexpected;
	const told = words ?? (isMissing ? "something is missing here" : rest);
	const line = text.slice(begin, offset + 200).split("\n", 1)[0] ?? "";
	// Inside [ ] and { } an unquoted brace ends a text, which is the commonest mistake with ${NAME}.
	const braces = /[[{].*?(?<=[[{,:]\s*)\$\{/.test(line);
	return `this is not YAML: ${braces ? bracesWords : told}`;
}
