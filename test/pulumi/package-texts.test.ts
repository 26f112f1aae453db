/**
 * The package schema, the TypeScript sources of `orgsync/pulumi` and docs/pulumi.md have the same resources, properties and
 * functions, and describe them with the same words.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Documented, readComments } from "./doc-comments.ts";
import { nameOf, type Properties, schema } from "./read-schema.ts";

const page = readFileSync("docs/pulumi.md", "utf8");
const names = (properties: object): readonly string[] => Object.keys(properties).sort();

/** The words of a description in one line, without its programs. */
function words(description: string): string {
	const [text = ""] = description.split("{{% examples %}}");
	return text.replaceAll(/\s+/g, " ").trim();
}

const wordsOf = (properties: Properties): Readonly<Record<string, string>> =>
	Object.fromEntries(Object.entries(properties).map(([name, { description }]) => [name, words(description)]));

const sources = readComments([
	"src/pulumi/user-tag/members.ts",
	"src/pulumi/organization/component.ts",
	"src/pulumi/organization/organization-fields.ts",
	"src/pulumi/organization/get-plan.ts",
	"src/pulumi/dynamic/classes.ts",
	"src/pulumi/dynamic/resource-class.ts",
	"src/pulumi/dynamic/organization.ts",
	"src/pulumi/dynamic/provider-resource.ts",
	"src/pulumi/dynamic/functions.ts",
	"src/pulumi/dynamic/plan-function.ts",
]);

/** The interface or class of this name, with the members that it inherits, and its comment without links to docs/. */
function source(name: string): Documented {
	const own = sources.get(name);
	if (own === undefined) throw new Error(`no source has ${name}`);
	const inherited = own.bases.filter((base) => sources.has(base)).map((base) => source(base).members);
	const members = Object.assign({}, ...inherited, own.members);
	return { ...own, members, comment: own.comment.replaceAll(/ \(docs\/[^)]+\)/g, "") };
}

const resourceNames = Object.keys(schema.resources).map(nameOf);

describe("the comments of the TypeScript sources", () => {
	it.each(Object.entries(schema.resources))("of %s say what the package schema says", (token, resource) => {
		const name = nameOf(token);
		expect(source(`${name}Args`).members).toEqual(wordsOf(resource.inputProperties));
		expect(source(name).members).toEqual(wordsOf(resource.properties));
		expect(source(name).comment).toBe(words(resource.description));
	});

	const objects = Object.entries(schema.types).filter(([, type]) => type.enum === undefined);
	it.each(objects)("of %s say what the package schema says", (token, { description, properties }) => {
		const { comment, members } = source(nameOf(token));
		expect({ comment, members }).toEqual({ comment: words(description), members: wordsOf(properties) });
	});

	it.each(Object.entries(schema.functions))("of %s say what the package schema says", (token, { description }) => {
		expect(source(nameOf(token)).comment).toBe(words(description));
	});

	it("of the Provider say what the package schema says", () => {
		expect(source("ProviderArgs").members).toEqual(wordsOf(schema.provider.inputProperties));
	});

	it("of the plan of a document say what the package schema says", () => {
		const { outputs } = schema.functions["orgsync:index:getPlan"] ?? { outputs: { properties: {} } };
		expect(source("DocumentPlan").members).toEqual(wordsOf(outputs.properties));
	});
});

describe("the package schema", () => {
	it.each(Object.entries(schema.resources))("says of each input of %s what a change of it does", (_token, resource) => {
		for (const [name, { description }] of Object.entries(resource.inputProperties)) {
			expect(description, name).toMatch(/ Changing it [^.]+\.$/);
		}
	});

	it("says of each time in which format it is", () => {
		const results = Object.values(schema.functions).map(({ outputs }) => outputs.properties);
		const objects = [...Object.values(schema.types).map(({ properties = {} }) => properties), ...results];
		const times = objects.flatMap((properties) =>
			Object.entries(properties).filter(([name]) => /^(from|until)$|(At|Until|Time)$/.test(name)),
		);
		expect(times.map(([name]) => name)).toEqual(expect.arrayContaining(["from", "until", "createdAt", "validUntil"]));
		for (const [name, { description }] of times) {
			expect(description, name).toMatch(/RFC 3339|ISO 8601 in UTC|seconds and nanoseconds since 1970/);
		}
	});
});

/** The cells of each row of the table below a heading, without code marks and links. */
function tableBelow(heading: string): readonly (readonly string[])[] {
	const [, rest = ""] = page.split(`\n${heading}\n`);
	const [section = ""] = rest.split(/\n#{1,3} /);
	const rows = section.split("\n").filter((line) => line.startsWith("| `"));
	return rows.map((row) =>
		row
			.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
			.slice(1, -1)
			.split("|")
			.map((cell) => cell.trim()),
	);
}

/** The description as a cell of a table: it begins in lower case, and has no full stop at its end. */
function cell(description: string): string {
	return words(description)
		.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())
		.replace(/\.$/, "");
}

const unmark = (code: string | undefined): string => (code ?? "").replaceAll("`", "");

describe("docs/pulumi.md", () => {
	it.each(resourceNames)("lists the inputs of %s with the words of the package schema", (name) => {
		const { inputProperties = {} } = schema.resources[`orgsync:index:${name}`] ?? {};
		const listed = tableBelow(`### ${name}`).map(([input, description, onChange = ""]) => {
			return [unmark(input), `${description}. Changing it ${onChange}`];
		});
		expect(Object.fromEntries(listed)).toEqual(
			Object.fromEntries(Object.entries(inputProperties).map(([input, { description }]) => [input, cell(description)])),
		);
	});

	it.each(resourceNames)("names the outputs of %s that the package schema has", (name) => {
		const [, section = ""] = page.split(`\n### ${name}\n`);
		const [, line = ""] = /\nOutputs: ([^.]+)\./.exec(section) ?? [];
		const { properties = {} } = schema.resources[`orgsync:index:${name}`] ?? {};
		expect(line.split(", ").map(unmark).sort()).toEqual(names(properties));
	});

	it("lists the settings with the words of the package schema", () => {
		const listed = tableBelow("## Provider and settings").map((row) => [unmark(row[0]), row.at(-1)]);
		const { inputProperties } = schema.provider;
		expect(Object.fromEntries(listed)).toEqual(
			Object.fromEntries(Object.entries(inputProperties).map(([name, { description }]) => [name, cell(description)])),
		);
	});

	it("lists the functions with the arguments and results of the package schema", () => {
		const rows = tableBelow("## Functions").map(([name, given = "", result]) => {
			const listed = [...given.matchAll(/`(\w+)`/g)].map(([, one]) => one).sort();
			return [unmark(name), { arguments: listed, result }];
		});
		const described = Object.entries(schema.functions).map(([token, { description, inputs }]) => {
			const given = names(inputs.properties).filter((name) => name !== "organizationId");
			const [result = ""] = description.split("\n\n");
			return [nameOf(token), { arguments: given, result: cell(result.replace(/^Returns /, "")) }];
		});
		expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(described));
	});
});
