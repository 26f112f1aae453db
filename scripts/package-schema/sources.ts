/**
 * The types of `orgsync/pulumi` with their comments, read from the sources: what a Node program reads in its editor is what the
 * package schema says in every language.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { defined, nonEmpty } from "../../src/common/defined.ts";
import { listOf, namedType, type ObjectSpec, type TypeSpec, text, tokenOf } from "./specs.ts";

interface Member {
	readonly comment: string;
	readonly type: ts.TypeNode;
	/** Whether a value may leave it out. */
	readonly isOptional: boolean;
}

/** An interface, a class or a pair of functions: its comment without links to docs/, and its members with inherited ones. */
interface Documented {
	readonly comment: string;
	readonly members: Readonly<Record<string, Member>>;
}

const files = [
	"user-tag/members.ts",
	"organization/component.ts",
	"organization/organization-fields.ts",
	"organization/get-plan.ts",
	"dynamic/resource-class.ts",
	"dynamic/classes.ts",
	"dynamic/removal-classes.ts",
	"dynamic/organization.ts",
	"dynamic/provider-resource.ts",
	"dynamic/functions.ts",
];

const documented = new Map<string, Documented>();
/** Names of types for other types, for example `Member`. */
const aliases = new Map<string, ts.TypeNode>();

for (const file of files) {
	const path = fileURLToPath(new URL(`../../src/pulumi/${file}`, import.meta.url));
	ts.createSourceFile(file, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true).statements.forEach(readStatement);
}

/** Returns the interface, class or pair of functions of this name. */
export function sourceOf(name: string): Documented {
	const found = documented.get(name);
	if (found === undefined) throw new Error(`no source has ${name}`);
	return found;
}

/** Returns the comment of a member. */
export function commentOfMember(owner: string, name: string): string {
	const { comment = "" } = sourceOf(owner).members[name] ?? {};
	if (comment === "") throw new Error(`${owner}.${name} has no comment`);
	return comment;
}

function readStatement(node: ts.Statement): void {
	const comment = commentOf(node);
	if (ts.isTypeAliasDeclaration(node)) aliases.set(node.name.text, node.type);
	if (ts.isVariableStatement(node)) {
		// A pair of functions, `const [get, getOutput]`, has the name of the first one.
		const pattern = node.declarationList.declarations[0]?.name;
		if (pattern === undefined || !ts.isArrayBindingPattern(pattern)) return;
		documented.set(pattern.elements[0]?.getText() ?? "", { comment, members: {} });
	}
	if (!ts.isInterfaceDeclaration(node) && !ts.isClassDeclaration(node)) return;
	const bases = node.heritageClauses?.flatMap(({ types }) => types.map((one) => one.expression.getText())) ?? [];
	const inherited = bases.map((base) => documented.get(base)?.members);
	const own = [...node.members].filter(isProperty).map((one) => [one.name.getText(), memberOf(one)]);
	const members = Object.assign({}, ...inherited, Object.fromEntries(own));
	documented.set(node.name?.text ?? "", { comment, members });
}

type Property = (ts.PropertySignature | ts.PropertyDeclaration) & { readonly type: ts.TypeNode };

/** Whether a node is a property that a program sees. */
function isProperty(node: ts.Node): node is Property {
	if (!ts.isPropertySignature(node) && !ts.isPropertyDeclaration(node)) return false;
	return ts.isIdentifier(node.name) && node.type !== undefined && !node.getFullText().includes("@internal");
}

function memberOf(node: Property): Member {
	const isOptional = node.questionToken !== undefined || /\| undefined\b/.test(node.type.getText());
	return { comment: commentOf(node), type: node.type, isOptional };
}

/** The comment with each paragraph in one line. */
function commentOf(node: ts.Node): string {
	const [doc] = ts.getJSDocCommentsAndTags(node);
	if (typeof doc?.comment !== "string") return "";
	const paragraphs = doc.comment.split(/\n\s*\n/).map((one) => one.replaceAll(/\s+/g, " ").trim());
	return paragraphs.join("\n\n").replaceAll(/ \(docs\/[^)]+\)/g, "");
}

/** The type of a value; an input or an output is what it holds. */
function specOf(node: ts.TypeNode): TypeSpec {
	if (ts.isTypeOperatorNode(node)) return specOf(node.type);
	if (ts.isArrayTypeNode(node)) return listOf(specOf(node.elementType));
	if (ts.isUnionTypeNode(node)) {
		const types = node.types.filter((one) => !["null", "undefined"].includes(one.getText()) && !isWord(one));
		if (types.length < 2) return types[0] === undefined ? text : specOf(types[0]);
		return { oneOf: types.map(specOf) };
	}
	// All numbers are counts and positions.
	if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: "integer" };
	if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: "boolean" };
	if (!ts.isTypeReferenceNode(node)) return text;
	const [inner] = node.typeArguments ?? [];
	if (inner !== undefined) return specOf(inner);
	const name = node.typeName.getText();
	const alias = aliases.get(name);
	if (alias !== undefined) return specOf(alias);
	return documented.has(name) ? namedType(name) : text;
}

function isWord(node: ts.TypeNode): boolean {
	return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal);
}

/** The members of an interface or a class as properties of an object. */
export function objectSpec(name: string): ObjectSpec {
	const members = Object.entries(sourceOf(name).members);
	const required = members.flatMap(([member, { isOptional }]) => (isOptional ? [] : [member]));
	return {
		type: "object",
		properties: Object.fromEntries(
			members.map(([member, { type }]) => [member, { ...specOf(type), description: commentOfMember(name, member) }]),
		),
		...defined({ required: nonEmpty(required) }),
	};
}

/** The interfaces to which the members of this one refer, also those of their members, by token. */
export function typesIn(name: string): Readonly<Record<string, ObjectSpec>> {
	const names = Object.values(sourceOf(name).members).flatMap(({ type }) => referencesIn(specOf(type)));
	return Object.assign({}, ...names.map(typesFrom));
}

/** The interface of this name, and those to which it refers, by token. */
export function typesFrom(name: string): Readonly<Record<string, ObjectSpec>> {
	return { [tokenOf(name)]: { description: sourceOf(name).comment, ...objectSpec(name) }, ...typesIn(name) };
}

function referencesIn({ $ref, items, oneOf = [] }: TypeSpec): readonly string[] {
	if ($ref !== undefined) return [$ref.split(":").at(-1) ?? ""];
	return [...(items === undefined ? [] : [items]), ...oneOf].flatMap(referencesIn);
}
