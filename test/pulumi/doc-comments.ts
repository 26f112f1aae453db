/** The members of interfaces and classes with their comments, read from the sources. */
import { readFileSync } from "node:fs";
import ts from "typescript";

/** An interface or a class: its comment, and those of its members by name; empty where there is none. */
export interface Documented {
	readonly comment: string;
	readonly members: Readonly<Record<string, string>>;
	/** The names of interfaces that it extends. */
	readonly bases: readonly string[];
}

/** Every interface, class and pair of functions (`const [get, getOutput]`) of these files by name. */
export function readComments(files: readonly string[]): ReadonlyMap<string, Documented> {
	return new Map(
		files.flatMap((file) => {
			const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
			return source.statements.flatMap((node): readonly (readonly [string, Documented])[] => {
				if (ts.isVariableStatement(node)) return functionsIn(node);
				if (!ts.isInterfaceDeclaration(node) && !ts.isClassDeclaration(node)) return [];
				const members = [...node.members].filter(isProperty).map((one) => [one.name.getText(), commentOf(one)]);
				const bases = node.heritageClauses?.flatMap(({ types }) => types.map((one) => one.expression.getText())) ?? [];
				return [
					[node.name?.text ?? "", { comment: commentOf(node), members: Object.fromEntries(members), bases }] as const,
				];
			});
		}),
	);
}

/** The first name of a pair of functions. */
function functionsIn(node: ts.VariableStatement): readonly (readonly [string, Documented])[] {
	const pattern = node.declarationList.declarations[0]?.name;
	if (pattern === undefined || !ts.isArrayBindingPattern(pattern)) return [];
	const name = pattern.elements[0]?.getText() ?? "";
	return [[name, { comment: commentOf(node), members: {}, bases: [] }]];
}

/** Properties that a program sees. */
function isProperty(node: ts.Node): node is ts.PropertySignature | ts.PropertyDeclaration {
	if (ts.isPropertySignature(node)) return true;
	return ts.isPropertyDeclaration(node) && ts.isIdentifier(node.name) && !/@internal/.test(node.getFullText());
}

function commentOf(node: ts.Node): string {
	const [comment] = ts.getJSDocCommentsAndTags(node);
	return typeof comment?.comment === "string" ? comment.comment.replaceAll(/\s+/g, " ").trim() : "";
}
