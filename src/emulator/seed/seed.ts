/** Reads seeds and rules from YAML (or JSON) files, in the interface's own field names. */
import {
	type Document,
	isAlias,
	isCollection,
	isMap,
	isPair,
	Lexer,
	LineCounter,
	type Node,
	Parser,
	parseDocument,
	visit,
	type YAMLParseError,
} from "yaml";
import { DocumentError, type Problem } from "../../common/errors.ts";
import { maxJsonDepth, readJson, tooDeepMessage } from "../../common/json.ts";
import type { Rules } from "../state.ts";
import { findRulesProblems, findSeedProblems, type Seed } from "./check.ts";
import { formatPath, type Path, type SeedProblem } from "./problems.ts";

/** Returns the offset of `path` in the text, or of the nearest node around it. */
function offsetOf(root: Node | null, path: Path): number {
	let node: unknown = root;
	let offset = root?.range?.[0] ?? 0;
	for (const part of path) {
		if (isMap(node)) {
			const pair = node.items.find((item) => isPair(item) && String(item.key) === String(part));
			if (pair === undefined) return offset;
			offset = (pair.key as Node).range?.[0] ?? offset;
			node = pair.value;
		} else {
			const items: readonly unknown[] = (node as { items?: readonly unknown[] } | null)?.items ?? [];
			node = items[Number(part)];
			offset = (node as Node | undefined)?.range?.[0] ?? offset;
		}
	}
	return offset;
}

/** JSON is YAML, but a JSON parser is much faster on a seed of a thousand organizations. */
function parseAsJson(text: string): unknown {
	if (!text.trimStart().startsWith("{")) return undefined;
	const read = readJson(text);
	return "value" in read ? read.value : undefined;
}

/** Returns the seed in `text`, checked. Throws a DocumentError with every problem; `file` is the name in problems. */
export function parseSeed(text: string, file: string): Seed {
	return parseChecked<Seed>(text, file, "the seed has", findSeedProblems);
}

/** Returns the rules in `text`, as a seed has them, checked. Throws a DocumentError as parseSeed does. */
export function parseRules(text: string, file: string): Rules {
	return parseChecked<Rules>(text, file, "the file of rules has", findRulesProblems);
}

/** Returns where a YAML text is nested too deep: a tree of its tokens would exhaust the stack. Undefined if nowhere. */
function findTooDeep(text: string): number | undefined {
	const parser = new Parser();
	for (const lexeme of new Lexer().lex(text)) {
		const { offset } = parser;
		for (const _token of parser.next(lexeme));
		if (parser.stack.length > maxJsonDepth) return offset;
	}
	return undefined;
}

/** Returns the offset of the first key that is a list or a map, of which the parser would make a text with a warning of its own. */
function findCollectionKey(document: Document): number | undefined {
	let offset: number | undefined;
	visit(document, {
		Pair(_, { key }) {
			if (!isCollection(isAlias(key) ? key.resolve(document) : key)) return undefined;
			offset = (key as Node).range?.[0] ?? 0;
			return visit.BREAK;
		},
	});
	return offset;
}

/** Returns what is wrong with the YAML without quoting the file: it can be a link to anything, such as a key. */
function describeSyntaxError({ message, code }: YAMLParseError): string {
	if (code === "MULTIPLE_DOCS") return "a second document begins here; write one";
	const isQuoting = /[:\\]|tag|directive|version/i.test(message);
	return isQuoting ? `this is not YAML (${code})` : message;
}

function parseChecked<T>(
	text: string,
	file: string,
	found: string,
	findProblems: (value: unknown) => readonly SeedProblem[],
): T {
	const json = parseAsJson(text);
	if (json !== undefined && findProblems(json).length === 0) return json as T;
	const lines = new LineCounter();
	for (const { index } of text.matchAll(/(?<![^\n])/g)) lines.addNewLine(index);
	const problemAt = (offset: number, path: string, code: string, message: string): Problem => {
		const { line, col } = lines.linePos(offset);
		return { file, line, column: col, path, code, message };
	};
	const refuse = (offset: number, code: string, message: string): never => {
		throw new DocumentError([problemAt(offset, "", code, message)], found);
	};
	const deepAt = findTooDeep(text);
	if (deepAt !== undefined) refuse(deepAt, "too-deep", `a value is ${tooDeepMessage}`);
	const document = parseDocument(text, { uniqueKeys: true, prettyErrors: false });
	if (document.errors.length > 0) {
		const problems = document.errors.map((error) => problemAt(error.pos[0], "", "syntax", describeSyntaxError(error)));
		throw new DocumentError(problems, found);
	}
	const keyAt = findCollectionKey(document);
	if (keyAt !== undefined) refuse(keyAt, "syntax", "a key is a list or a map; write text");
	let value: unknown;
	try {
		value = document.toJS();
	} catch (error) {
		const [reason = ""] = (error instanceof Error ? error.message : String(error)).split(":");
		refuse(0, "syntax", reason);
	}
	const problems = findProblems(value).map(({ path, code, message }) =>
		problemAt(offsetOf(document.contents, path), formatPath(path), code, message),
	);
	if (problems.length > 0) throw new DocumentError(problems, found);
	return value as T;
}
