/**
 * Counts words and phrases that readers of this project stumble over, and names what to say instead.
 *
 * `npm run style` prints the counts by place and folder, `npm run style -- --list PATH` each of them with its file and
 * line. `--check` fails above the limits: none in messages, help texts and documentation, fewer than 20 in comments and test
 * names together.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { makeProgram } from "../src/cli/flags/program.ts";
import { run } from "../src/cli/run.ts";
import { findBannedWords } from "./banned-words.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

type Place = "messages" | "help" | "docs" | "comments" | "test names";

interface Finding {
	readonly place: Place;
	readonly file: string;
	/** Counts from 1. */
	readonly line: number;
	readonly words: string;
	readonly instead: string;
}

const findings: Finding[] = [];

/** Looks for the words in one text of a file. `start` is where the text begins in `whole`. */
function search(place: Place, file: string, whole: string, start: number, text: string): void {
	for (const { index, words, instead } of findBannedWords(text, place !== "comments" && place !== "test names")) {
		const line = whole.slice(0, start + index).split("\n").length;
		findings.push({ place, file, line, words, instead });
	}
}

/** All files under a path, without what is generated or installed. */
function filesUnder(path: string): readonly string[] {
	return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(root, join(entry.parentPath, entry.name)))
		.filter((name) => !/(^|\/)(node_modules|\.orgsync)\//.test(name))
		.sort();
}

/** The text with what only marks a comment replaced by as many spaces, so that phrases go on from line to line. */
function withoutMarks(comment: string): string {
	return comment.replaceAll(/\n[\t ]*(\*(?!\/)|\/\/)?/g, (mark) => " ".repeat(mark.length));
}

/** The literal's text without what is put in; each such part counts as one strange character. */
function textOf(node: ts.Node, source: ts.SourceFile): string | undefined {
	if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
		const raw = source.text.slice(node.getStart(source), node.end);
		if (!ts.isTemplateExpression(node)) return raw;
		let text = raw;
		for (const { expression } of node.templateSpans) {
			const from = expression.pos - node.getStart(source);
			const to = expression.end - node.getStart(source);
			text = text.slice(0, from) + "\u2026".repeat(to - from) + text.slice(to);
		}
		return text;
	}
	return undefined;
}

/** Whether the call is `describe`, `it` or `test`, or one of their variants such as `it.each(rows)`. */
function namesTest(node: ts.CallExpression): boolean {
	let callee: ts.Expression = node.expression;
	while (
		ts.isCallExpression(callee) ||
		ts.isPropertyAccessExpression(callee) ||
		ts.isTaggedTemplateExpression(callee)
	) {
		callee = ts.isTaggedTemplateExpression(callee) ? callee.tag : callee.expression;
	}
	return ts.isIdentifier(callee) && /^(describe|it|test)$/.test(callee.text);
}

/** Comments everywhere, string literals of the sources as messages, and names of tests. */
function searchCode(file: string): void {
	const text = readFileSync(join(root, file), "utf8");
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const comments = new Map<number, number>();
	const visit = (node: ts.Node): void => {
		for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? []) comments.set(pos, end);
		for (const { pos, end } of ts.getTrailingCommentRanges(text, node.end) ?? []) comments.set(pos, end);
		if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
		const literal = textOf(node, source);
		const { parent } = node;
		if (literal !== undefined && file.startsWith("src/"))
			search("messages", file, text, node.getStart(source), literal);
		if (literal !== undefined && file.startsWith("test/") && ts.isCallExpression(parent) && namesTest(parent))
			if (parent.arguments[0] === node) search("test names", file, text, node.getStart(source), literal);
		for (const child of node.getChildren(source)) visit(child);
	};
	visit(source);
	let group: { start: number; end: number } | undefined;
	const groups: { start: number; end: number }[] = [];
	for (const [start, end] of [...comments].sort(([one], [other]) => one - other)) {
		// Lines of `//` one below the other are one text.
		if (group !== undefined && /^\n?[\t ]*$/.test(text.slice(group.end, start))) group.end = end;
		else {
			group = { start, end };
			groups.push(group);
		}
	}
	for (const { start, end } of groups) search("comments", file, text, start, withoutMarks(text.slice(start, end)));
}

async function searchHelp(): Promise<void> {
	const names = makeProgram({} as never, () => {}).commands.map((command) => command.name());
	for (const words of [["--help"], ...names.map((name) => [name, "--help"])]) {
		let help = "";
		const stdout = new Writable({
			write(chunk, _encoding, done) {
				help += chunk;
				done();
			},
		});
		const stderr = stdout;
		const clock = { now: Date.now, steadyNow: () => performance.now(), sleep: async () => {} };
		await run(words, { stdin: Readable.from([]), stdout, stderr, environment: {}, directory: root, ...clock });
		search("help", `orgsync ${words.join(" ")}`, help, 0, help);
	}
}

for (const file of ["src", "test", "scripts", "examples"].flatMap(filesUnder)) {
	if (/\.(ts|mjs|cjs|js)$/.test(file) && file !== "scripts/style-words.ts") searchCode(file);
}
searchCode("vitest.config.ts");
searchCode(".dependency-cruiser.mjs");
const documents = [...filesUnder("docs"), ...filesUnder("examples"), ...filesUnder("schemas")].filter((name) =>
	/\.(md|ya?ml|json)$/.test(name),
);
const top = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "Pulumi.yaml", "package.json", ".ci/run"];
for (const file of [...top, ...documents]) {
	const text = readFileSync(join(root, file), "utf8");
	search("docs", file, text, 0, text);
}
await searchHelp();

const places: readonly Place[] = ["messages", "help", "docs", "comments", "test names"];
const count = (place: Place): number => findings.filter((finding) => finding.place === place).length;

function printList(path: string): void {
	for (const { place, file, line, words, instead } of findings) {
		if (file.startsWith(path)) console.log(`${file}:${line}: ${place}: "${words}"; say: ${instead}`);
	}
}

function printCounts(): void {
	const folders = [...new Set(findings.map(({ file }) => (file.startsWith("orgsync ") ? "help" : dirname(file))))];
	const rows = folders.sort().map((folder) => {
		const own = findings.filter(({ file }) => (file.startsWith("orgsync ") ? "help" : dirname(file)) === folder);
		return [folder, ...places.map((place) => own.filter((finding) => finding.place === place).length)];
	});
	for (const row of [["", ...places], ...rows, ["all", ...places.map(count)]]) {
		const [name = "", ...cells] = row.map(String);
		console.log(name.padEnd(36) + cells.map((cell) => cell.padStart(12)).join(""));
	}
}

const [mode, path = ""] = process.argv.slice(2);
if (mode === "--list") printList(path);
else if (mode !== "--check") printCounts();
else if (count("messages") + count("help") + count("docs") > 0 || count("comments") + count("test names") >= 20) {
	printList("");
	console.error("too many banned words: 0 in messages, help and docs, fewer than 20 in comments and test names");
	process.exitCode = 1;
}
