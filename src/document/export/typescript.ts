/** Writes an exported Pulumi program as the index.ts of a Node.js project. */
import { showText, writeJson } from "../../common/escape.ts";
import { type NamedId, type Program, type ProgramResource, type ProgramValue, writeEntry } from "./program.ts";
import { joinSections, programComments } from "./text.ts";

/** Returns the text of the file, with a final line ending. */
export function writeTypescript(program: Program): string {
	const { organizationId, project, tags, removals } = program;
	const sections = [
		[
			"// Live state of one organization, written by orgsync export: the first `pulumi up` submits nothing.",
			`// In its folder: a Pulumi.yaml with \`name: ${project}\` and \`runtime: nodejs\`, and`,
			"// `npm install @orgsync/pulumi @pulumi/pulumi`.",
			'import * as orgsync from "@orgsync/pulumi";',
		],
		[`const organizationId = ${writeJson(organizationId)};`],
		...tags.map(linesOf),
		removals.length === 0
			? []
			: [
					"// These exist and are unmanaged. Remove the // of a resource to delete its objects.",
					...removals.flatMap(linesOf).map((line) => `//${line}`),
				],
		...programComments(program).map((lines) => lines.map((line) => `//${line.slice(1)}`)),
	];
	return joinSections(sections);
}

function linesOf({ name, type, properties }: ProgramResource): readonly string[] {
	return [
		`new orgsync.${type}(${writeJson(name)}, {`,
		"\torganizationId,",
		...properties.flatMap(([key, value]) => propertyLines("\t", key, value)),
		"});",
	];
}

function propertyLines(indent: string, key: string, value: ProgramValue): readonly string[] {
	const begin = `${indent}${key}:`;
	if (typeof value === "string") return [`${begin} ${writeJson(value)},`];
	if ("id" in value) return [`${begin} ${writeJson(value.id)},${comment(value)}`];
	if (!("exactly" in value)) {
		const entries = value.map((one) => `${indent}\t${writeEntry(one, writeJson)},${comment(one)}`);
		return [`${begin} [`, ...entries, `${indent}],`];
	}
	const { exactly } = value;
	return exactly.length === 0
		? [`${begin} { exactly: [] },`]
		: [`${begin} {`, ...propertyLines(`${indent}\t`, "exactly", exactly), `${indent}},`];
}

function comment({ name }: NamedId): string {
	return name === "" ? "" : ` // ${showText(name)}`;
}
