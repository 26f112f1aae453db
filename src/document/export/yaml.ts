/** Writes an exported Pulumi program as a Pulumi.yaml. */
import { showText } from "../../common/escape.ts";
import { writeKey } from "../write-yaml.ts";
import { type NamedId, type Program, type ProgramResource, type ProgramValue, writeEntry } from "./program.ts";
import { joinSections, programComments } from "./text.ts";

/** Returns the text of the file, with a final line ending. */
export function writePulumiYaml(program: Program): string {
	const { organizationId, project, tags, removals } = program;
	const linesOf = ({ name, type, properties }: ProgramResource): readonly string[] => [
		`  ${writeKey(name)}:`,
		`    type: orgsync:index:${type}`,
		"    properties:",
		...[["organizationId", organizationId] as const, ...properties].flatMap(([key, value]) =>
			propertyLines("      ", key, value),
		),
	];
	const sections = [
		[
			"# Live state of one organization, written by orgsync export: the first `pulumi up` submits nothing.",
			`name: ${project}`,
			"runtime: yaml",
		],
		tags.length === 0 ? [] : ["resources:", ...tags.flatMap(linesOf)],
		removals.length === 0
			? []
			: [
					"# These exist and are unmanaged. Remove the # of a resource to delete its objects.",
					...(tags.length === 0 ? ["#resources:"] : []),
					...removals.flatMap(linesOf).map((line) => `#${line}`),
				],
		...programComments(program),
	];
	return joinSections(sections);
}

function propertyLines(indent: string, key: string, value: ProgramValue): readonly string[] {
	const begin = `${indent}${key}:`;
	if (typeof value === "string") return [`${begin} ${write(value)}`];
	if ("id" in value) return [`${begin} ${write(value.id)}${comment(value)}`];
	if (!("exactly" in value)) {
		return [begin, ...value.map((one) => `${indent}  - ${writeEntry(one, write)}${comment(one)}`)];
	}
	const { exactly } = value;
	return exactly.length === 0
		? [`${begin} { exactly: [] }`]
		: [begin, ...propertyLines(`${indent}  `, "exactly", exactly)];
}

function comment({ name }: NamedId): string {
	return name === "" ? "" : `  # ${showText(name)}`;
}

/** Returns the text as a value. In a YAML program, `$$` is a dollar sign, and `${` begins a reference. */
function write(text: string): string {
	return writeKey(text.replaceAll("$", () => "$$"));
}
