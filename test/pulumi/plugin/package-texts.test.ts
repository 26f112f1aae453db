/** The package schema has the words of the TypeScript sources; docs/pulumi.md and schemas/document.json say the same. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nameOf, schema } from "../read-schema.ts";

const page = readFileSync("docs/pulumi.md", "utf8");
const names = (properties: object): readonly string[] => Object.keys(properties).sort();

/** The words of a description in one line, without its programs. */
function words(description: string): string {
	const [text = ""] = description.split("{{% examples %}}");
	return text.replaceAll(/\s+/g, " ").trim();
}

const resourceNames = Object.keys(schema.resources).map(nameOf);

interface DocumentSchema {
	readonly description?: string;
	readonly properties?: Readonly<Record<string, DocumentSchema>>;
	readonly $defs?: Readonly<Record<string, DocumentSchema>>;
}

const document = JSON.parse(readFileSync("schemas/document.json", "utf8")) as DocumentSchema;

/** What schemas/document.json says of a property; the path begins with a key of the document or of its `$defs`. */
function inDocument(path: string): string {
	const [start = "", ...rest] = path.split(".");
	const found = document.properties?.[start] ?? document.$defs?.[start];
	return rest.reduce((part, name) => part?.properties?.[name], found)?.description ?? path;
}

/** Properties of types, inputs and outputs that a document has too, by its path there: each for itself if the names are equal. */
const shared: Readonly<Record<string, Readonly<Record<string, string>> | readonly string[]>> = {
	"UserTag userTag": { name: "name", tagId: "id", previously: "previously", members: "members" },
	"Members userTag.members": ["exactly", "atLeast", "never"],
	"MemberWindow member": ["from", "until", "reason"],
	"UserTagLimits limits": ["memberRemovals", "expiries"],
	"PolicyRemovalLimits limits": ["policies"],
	"OauthProviderRemovalLimits limits": ["oauthProviders"],
	"TvcAppRemovalLimits limits": ["tvcApps"],
	"SessionProfile sessionProfile": { sessionProfileId: "id", sessionProfileName: "name", notes: "notes" },
	"AuthenticationMethod method": ["id"],
	"AuthenticationStep step": ["any"],
	"MfaPolicy mfaPolicy": {
		mfaPolicyName: "name",
		requiredAuthenticationMethods: "requiredAuthenticationMethods",
		order: "order",
		notes: "notes",
	},
	"MfaStatus mfaPolicy": { requiredMethods: "requiredAuthenticationMethods" },
	"BootProof bootProof": [
		"ephemeralPublicKeyHex",
		"cloudAttestationDocB64",
		"qosManifestB64",
		"qosManifestEnvelopeB64",
		"qosManifestVersion",
		"deploymentLabel",
		"enclaveApp",
		"owner",
	],
	"SupportedAsset asset": ["caip19", "symbol", "decimals", "logoUrl", "name", "stable", "earnProviders"],
};

describe("the comments of the TypeScript sources, which the package schema has", () => {
	it.each(Object.entries(shared))("of %s begin with the words of schemas/document.json", (place, properties) => {
		const [type, path] = place.split(" ");
		const { inputProperties } = schema.resources[`orgsync:index:${type}`] ?? {};
		const described = inputProperties ?? schema.types[`orgsync:index:${type}`]?.properties ?? {};
		const pairs = Array.isArray(properties) ? properties.map((one) => [one, one]) : Object.entries(properties);
		for (const [name, one] of pairs) {
			const words = inDocument(`${path}.${one}`);
			expect(described[name]?.description.slice(0, words.length), name).toBe(words);
		}
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
