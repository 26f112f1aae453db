/**
 * Prints every place of the sources where statements are nested more than three deep: `if`, loops, `switch` and `try` in one
 * function, an `else if` being as deep as its `if`. Exits with 1 if there is one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const maxDepth = 3;

function isBranch(node: ts.Node): boolean {
	const isElseIf = ts.isIfStatement(node) && ts.isIfStatement(node.parent) && node.parent.elseStatement === node;
	const isLoop = ts.isIterationStatement(node, false);
	return isLoop || ts.isSwitchStatement(node) || ts.isTryStatement(node) || (ts.isIfStatement(node) && !isElseIf);
}

/** Reports statements below the node that are too deep. `depth` is how many statements of its function are around it. */
function visit(node: ts.Node, depth: number, source: ts.SourceFile): void {
	const inside = ts.isFunctionLike(node) ? 0 : depth + (isBranch(node) ? 1 : 0);
	if (inside > maxDepth && inside > depth) {
		const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
		console.log(`${source.fileName}:${line + 1}: nested ${inside} deep, ${maxDepth} at most`);
		process.exitCode = 1;
	}
	ts.forEachChild(node, (child) => visit(child, inside, source));
}

for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
	if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
	const path = join(entry.parentPath, entry.name);
	const source = ts.createSourceFile(relative(root, path), readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
	visit(source, 0, source);
}
