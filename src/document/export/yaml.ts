/** Writes an exported Pulumi program as a Pulumi.yaml. */
import { showText } from "../../common/escape.ts";
import { writeKey } from "../write-yaml.ts";
import {
	type NamedId,
	type Program,
	type ProgramMember,
	type ProgramRemoval,
	type ProgramTag,
	propertiesOf,
} from "./program.ts";
import { joinSections, missingSections } from "./text.ts";

/** Returns the text of the file, with a final line ending. */
export function writePulumiYaml(program: Program): string {
	const { organizationId, project, tags, removals } = program;
	const sections = [
		[
			"# Live state of one organization, written by orgsync export: the first `pulumi up` submits nothing.",
			`name: ${project}`,
			"runtime: yaml",
		],
		tags.length === 0 ? [] : ["resources:", ...tags.flatMap((tag) => tagLines(organizationId, tag))],
		removals.length === 0
			? []
			: [
					"# These exist and are unmanaged. Remove the # of a resource to delete its objects.",
					...(tags.length === 0 ? ["#resources:"] : []),
					...removals.flatMap((removal) => removalLines(organizationId, removal)).map((line) => `#${line}`),
				],
		readOnlyLines(program),
		...missingSections(program, "program"),
	];
	return joinSections(sections);
}

function tagLines(organizationId: string, { resource, name, id, members }: ProgramTag): readonly string[] {
	const last =
		members === undefined
			? []
			: members.length === 0
				? ["      members: { exactly: [] }"]
				: ["      members:", "        exactly:", ...members.map(memberLine)];
	return [
		`  ${writeKey(resource)}:`,
		"    type: orgsync:index:UserTag",
		"    properties:",
		`      organizationId: ${write(organizationId)}`,
		`      name: ${write(name)}`,
		`      tagId: ${write(id)}`,
		...last,
	];
}

function memberLine(member: ProgramMember): string {
	const { id, window } = member;
	if (window === undefined) return idLine("          ", member);
	const properties = propertiesOf(id, window).map(([key, value]) => `${key}: ${write(value)}`);
	return `          - { ${properties.join(", ")} }${comment(member)}`;
}

function removalLines(organizationId: string, removal: ProgramRemoval): readonly string[] {
	const { resource, type, user, input, ids } = removal;
	return [
		`  ${writeKey(resource)}:`,
		`    type: orgsync:index:${type}`,
		"    properties:",
		`      organizationId: ${write(organizationId)}`,
		...(user === undefined ? [] : [`      userId: ${write(user.id)}${comment(user)}`]),
		...("id" in ids
			? [`      ${input}: ${write(ids.id)}${comment(ids)}`]
			: [`      ${input}:`, ...ids.map((named) => idLine("        ", named))]),
	];
}

function idLine(indent: string, named: NamedId): string {
	return `${indent}- ${write(named.id)}${comment(named)}`;
}

function comment({ name }: NamedId): string {
	return name === "" ? "" : `  # ${showText(name)}`;
}

/** The line about read-only objects, if there are any. */
function readOnlyLines({ readOnly }: Program): readonly string[] {
	if (readOnly.length === 0) return [];
	return [
		`# Read-only, so not in this file: ${readOnly.join(", ")}. An Organization with a document reports how they differ.`,
	];
}

/** Returns the text as a value. In a YAML program, `$$` is a dollar sign, and `${` begins a reference. */
function write(text: string): string {
	return writeKey(text.replaceAll("$", () => "$$"));
}
