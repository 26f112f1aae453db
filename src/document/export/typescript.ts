/** Writes an exported Pulumi program as the index.ts of a Node.js project. */
import { showText, writeJson } from "../../common/escape.ts";
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
export function writeTypescript(program: Program): string {
	const { organizationId, project, tags, removals, readOnly } = program;
	const sections = [
		[
			"// Live state of one organization, written by orgsync export: the first `pulumi up` submits nothing.",
			`// In its folder: a Pulumi.yaml with \`name: ${project}\` and \`runtime: nodejs\`, and`,
			"// `npm install @orgsync/pulumi @pulumi/pulumi`.",
			'import * as orgsync from "@orgsync/pulumi";',
		],
		[`const organizationId = ${writeJson(organizationId)};`],
		...tags.map(tagLines),
		removals.length === 0
			? []
			: [
					"// These exist and are unmanaged. Remove the // of a resource to delete its objects.",
					...removals.flatMap(removalLines).map((line) => `//${line}`),
				],
		readOnly.length === 0
			? []
			: [
					`// Read-only, so not in this file: ${readOnly.join(", ")}. An Organization with a document reports how they differ.`,
				],
		...missingSections(program, "program").map((lines) => lines.map((line) => `//${line.slice(1)}`)),
	];
	return joinSections(sections);
}

function tagLines({ resource, name, id, members }: ProgramTag): readonly string[] {
	return [
		`new orgsync.UserTag(${writeJson(resource)}, {`,
		"\torganizationId,",
		`\tname: ${writeJson(name)},`,
		`\ttagId: ${writeJson(id)},`,
		...(members === undefined ? [] : memberLines(members)),
		"});",
	];
}

function memberLines(members: readonly ProgramMember[]): readonly string[] {
	if (members.length === 0) return ["\tmembers: { exactly: [] },"];
	return ["\tmembers: {", "\t\texactly: [", ...members.map(memberLine), "\t\t],", "\t},"];
}

function memberLine(member: ProgramMember): string {
	const { id, window } = member;
	if (window === undefined) return idLine("\t\t\t", member);
	const properties = propertiesOf(id, window).map(([key, value]) => `${key}: ${writeJson(value)}`);
	return `\t\t\t{ ${properties.join(", ")} },${comment(member)}`;
}

function removalLines({ resource, type, user, input, ids }: ProgramRemoval): readonly string[] {
	return [
		`new orgsync.${type}(${writeJson(resource)}, {`,
		"\torganizationId,",
		...(user === undefined ? [] : [`\tuserId: ${writeJson(user.id)},${comment(user)}`]),
		...("id" in ids
			? [`\t${input}: ${writeJson(ids.id)},${comment(ids)}`]
			: [`\t${input}: [`, ...ids.map((named) => idLine("\t\t", named)), "\t],"]),
		"});",
	];
}

function idLine(indent: string, named: NamedId): string {
	return `${indent}${writeJson(named.id)},${comment(named)}`;
}

function comment({ name }: NamedId): string {
	return name === "" ? "" : ` // ${showText(name)}`;
}
