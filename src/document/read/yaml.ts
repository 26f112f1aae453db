/**
 * Parses text into YAML documents, and describes YAML errors. Only this file, tree.ts and edit.ts import `yaml`.
 *
 * Depth and size are checked before a tree is built, so that no file exhausts the stack or the memory.
 */
import { Composer, type CST, type Document, Lexer, LineCounter, Parser, type YAMLParseError } from "yaml";
import { escapeSequence, findHidden, nameCharacter } from "../../common/invisible.ts";
import type { Position } from "../../plan/organization.ts";
import type { Problems } from "../problems.ts";

/** Max levels of nesting; a document needs eight. */
const maxDepth = 64;

/** Max tokens of a file, spaces and line breaks included: enough for about 300,000 ids in lists. */
const maxTokens = 2_000_000;

/** The text of a file, and the position of each offset in it. */
export interface YamlSource {
	readonly text: string;
	readonly positionOf: (offset: number) => Position;
}

export interface YamlFile extends YamlSource {
	readonly documents: readonly Document.Parsed[];
	/** Whether every document of the file could be read. */
	readonly isComplete: boolean;
}

/** Returns the YAML documents of a text without empty ones at its end. `keepTokens`: with source tokens, for edits. */
export function readYaml(file: string, text: string, problems: Problems, keepTokens = false): YamlFile {
	const lines = new LineCounter();
	const positionOf = (offset: number): Position => {
		const { line, col } = lines.linePos(offset);
		return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
	};
	const tokens = readTokens(text, lines, (offset, code, message) =>
		problems.add(positionOf(offset), "", code, message),
	);
	if (tokens === undefined) return { documents: [], isComplete: false, text, positionOf };
	for (const { offset, source } of tokens.filter(isOtherDirective)) {
		// What it says is not repeated: the file may be any file.
		const [name] = /^%(?:YAML|TAG)\b/.exec(source) ?? [];
		const directive = name === undefined ? "this directive" : `the directive \`${name}\``;
		const message = `${directive} is not supported: documents are YAML 1.2; remove the line`;
		problems.add(positionOf(offset), "", "yaml-directive", message);
	}
	const composer = new Composer({
		version: "1.2",
		schema: "core",
		resolveKnownTags: false,
		uniqueKeys: false,
		keepSourceTokens: keepTokens,
	});
	const all = [...composer.compose(tokens, true, text.length)];
	while (all.length > 1 && isEmpty(all.at(-1))) all.pop();
	const documents: Document.Parsed[] = [];
	for (const document of all as Document.Parsed[]) {
		const [error] = document.errors;
		if (error !== undefined) {
			const offset = Math.min(error.pos[0], text.length);
			problems.add(positionOf(offset), "", "yaml-syntax", describeSyntaxError(error, text, offset));
		} else if (isEmpty(document)) {
			const message = "the document is empty; it needs at least `organizationId: UUID`";
			problems.add(positionOf(all.length === 1 ? 0 : document.range[0]), "", "empty-document", message);
		} else {
			documents.push(document);
		}
	}
	return { documents, isComplete: documents.length === all.length, text, positionOf };
}

/** A comment, from its `#`. */
export interface Comment {
	readonly text: string;
	/** Whether it comes after something else in its line. */
	readonly isTrailing: boolean;
}

export function readComments(text: string): readonly Comment[] {
	const comments: Comment[] = [];
	let isTrailing = false;
	let before = "";
	for (const lexeme of new Lexer().lex(text)) {
		// A scalar comes after a mark: a text such as "#x" is no comment.
		if (lexeme.startsWith("#") && before !== "\u001f") comments.push({ text: lexeme, isTrailing });
		else if (/[\r\n]$/.test(lexeme)) isTrailing = false;
		else if (lexeme.trim() !== "" && !marks.has(lexeme)) isTrailing = true;
		before = lexeme;
	}
	return comments;
}

/** Whether a token says how to read the document, in another way than it is read. */
function isOtherDirective(token: CST.Token): token is CST.Directive {
	return token.type === "directive" && !/^%YAML\s+1\.2\s*$/.test(token.source);
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
		const found = findHiddenIn(lexeme);
		if (found !== undefined && hidden.length < maxHidden) hidden.push({ ...found, offset: offset + found.offset });
		for (const token of parser.next(lexeme)) tokens.push(token);
		if (parser.stack.length > maxDepth) {
			report(offset, "too-deep", `values are nested more than ${maxDepth} levels deep; a document needs eight`);
			return undefined;
		}
		if (++count > maxTokens) {
			report(offset, "too-many-values", "the file has more than 2,000,000 YAML tokens; split it into several files");
			return undefined;
		}
	}
	for (const token of parser.end()) tokens.push(token);
	// Line positions are known only now, also within a text of several lines.
	for (const { offset, code, message } of hidden) report(offset, code, message);
	return tokens;
}

/** Max invisible characters that are reported for one file. */
const maxHidden = 100;

interface HiddenMistake {
	readonly offset: number;
	readonly code: string;
	readonly message: string;
}

/** Marks that the lexer adds between the parts of the text. */
const marks: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f", "\ufeff"]);

/** Returns the first invisible character of a lexeme; in a comment only what reorders or breaks lines. Escapes are visible. */
function findHiddenIn(lexeme: string): HiddenMistake | undefined {
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

/** Messages of `yaml` with our description of the problem. The first match counts. */
const descriptions: readonly (readonly [RegExp, string])[] = [
	[/closing ['"]quote/, "a closing quote is missing; the quoted text begins above"],
	[/TAG_RESOLVE_FAILED/, "unknown YAML tag (`!name`), or one that does not match the value; remove it"],
	[/Implicit map keys need to be followed/, "this line has no `:`; write `key: value`"],
	[/Missing , /, "a comma is missing before this item of [ ] or { }"],
	[/Missing space after :/, "a space is missing after `:`"],
	[/and end with a|Missing closing/, "brackets do not match; each [ needs a ], and each { a }"],
	[/Nested mappings/, "a value contains `: `; put the text in quotes, or check the indentation of the next line"],
	[
		/block-seq-ind on same line|block sequence may/,
		"a list cannot begin on the line of its key; put `-` on the next line, or write [ ]",
	],
	[/Comments must be separated/, "a space is missing before `#`; add it for a comment, or put the text in quotes"],
	[/Tabs are not allowed/, "the line begins with a tab; indent with spaces"],
	[/start on same line with directives-end/, "a line break is missing after `---`"],
	[/same column|Sequence item without|BAD_INDENT/, "wrong indentation; align this line with a level above"],
	[/Plain value cannot start with/, "a text cannot begin with this character; put it in quotes"],
	[/BAD_DQ_ESCAPE/, "unknown escape in double quotes; write \\\\ for a \\, or use single quotes"],
	[/Unexpected empty item|Unexpected ,/, "this comma has no item before it; remove it"],
	[/MULTILINE_IMPLICIT_KEY/, "a key must end with `:` on its line; is a `:`, a quote or an indentation missing?"],
	[/MULTIPLE_ANCHORS/, "a value can have only one anchor (`&name`)"],
	[/MULTIPLE_TAGS/, "a value can have only one YAML tag (`!name`)"],
	[/ALIAS_PROPS/, "an alias (`*name`) cannot have an anchor or a tag"],
	[/BAD_ALIAS/, "a name is missing after `&` or `*`; put plain text in quotes"],
	[/directive/i, "a line above begins with %; remove it, or add `---` after it"],
	[/KEY_OVER_1024_CHARS/, "a key is longer than 1,024 characters; is a closing quote missing?"],
	[/RESOURCE_EXHAUSTION/, "values are nested too deep"],
];

/** Descriptions of unexpected text: after a complete value, and anywhere else. */
const afterValue =
	"unexpected text after a value; put the whole text in quotes, or separate the two with a comma or a line break";
const unexpected = "unexpected text; is a bracket or a quote above missing or superfluous?";

const bracesDescription = `an unquoted variable inside [ ] or { }; write "\${NAME}"`;

/** Describes a syntax error without quoting the file: it can be a link to any file, such as a key. */
function describeSyntaxError(error: YAMLParseError, text: string, offset: number): string {
	const begin = Math.max(text.lastIndexOf("\n", offset - 1) + 1, offset - 200);
	// A `-` at the beginning of its line does not follow a key: it is an item with wrong indentation.
	const isItem = text.slice(begin, offset).trim() === "" && /block-seq-ind|block sequence/.test(error.message);
	const sign = isItem ? "BAD_INDENT" : `${error.message} ${error.code}`;
	const description = descriptions.find(([pattern]) => pattern.test(sign))?.[1];
	const isMissing = /^(?:\s|$)/.test(text.slice(offset, offset + 1));
	const rest = /at node end/.test(sign) ? afterValue : unexpected;
	const found = description ?? (isMissing ? "something is missing here" : rest);
	const line = text.slice(begin, offset + 200).split("\n", 1)[0] ?? "";
	// Inside [ ] and { } an unquoted brace ends a text: the most common mistake with ${NAME}.
	const braces = /[[{].*?(?<=[[{,:]\s*)\$\{/.test(line);
	return `invalid YAML: ${braces ? bracesDescription : found}`;
}
