/** The Pulumi package schema: what is committed, its structure, and that the engine reads all of it. */
import { readFileSync } from "node:fs";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it } from "vitest";
import { packageSchemaText, schemaFiles } from "../../../scripts/package-schema.ts";
import { resources } from "../../../src/pulumi/resources/resources.ts";
import { environmentName, settingNames } from "../../../src/pulumi/settings/settings.ts";
import { expectSuccess } from "../../engine/answer.ts";
import { startStack } from "../../engine/harness.ts";
import { type ObjectType, type Properties, schema, type Type } from "../read-schema.ts";
import { startPlugin } from "./plugin-client.ts";

/** Every object with properties, by what to call it in a message. */
const objects: readonly (readonly [string, Pick<ObjectType, "properties" | "required">])[] = [
	["the configuration", { properties: schema.config.variables }],
	["the Provider", { properties: schema.provider.inputProperties }],
	...Object.entries(schema.types).filter(([, type]) => type.enum === undefined),
	...Object.entries(schema.resources).flatMap(([token, resource]) => [
		[`the inputs of ${token}`, { properties: resource.inputProperties, required: resource.requiredInputs }] as const,
		[`the outputs of ${token}`, resource] as const,
	]),
	...Object.entries(schema.functions).flatMap(([token, { inputs, outputs }]) => [
		[`the arguments of ${token}`, inputs] as const,
		[`the result of ${token}`, outputs] as const,
	]),
];

/** What a type refers to. */
function refsIn({ $ref, items, additionalProperties, oneOf = [] }: Type): readonly string[] {
	const inner = [items, additionalProperties, ...oneOf].flatMap((one) => (one === undefined ? [] : refsIn(one)));
	return $ref === undefined ? inner : [$ref, ...inner];
}

/** What is wrong with a description: none, no full stop at its end, or a sentence of more than 40 words. */
function findFaults(place: string, description: string | undefined): readonly string[] {
	const [text = ""] = (description ?? "").split("{{% examples %}}");
	if (!/^[A-Z`].*\.$/s.test(text.trim())) return [`${place}: ${text}`];
	const sentences = text.split(/(?<=\.)\s+(?=[A-Z`])/);
	return sentences.filter((one) => one.split(/\s+/).length > 40).map((one) => `${place}: ${one}`);
}

function findFaultsIn(place: string, properties: Properties): readonly string[] {
	return Object.entries(properties).flatMap(([name, { description }]) => findFaults(`${place}: ${name}`, description));
}

describe("the package schema", () => {
	it.each(schemaFiles)("in %s is what the definitions say; `npm run sdk` writes it", (file) => {
		expect(readFileSync(file, "utf8")).toBe(packageSchemaText());
	});

	it("is what the plugin answers, byte for byte", async () => {
		const plugin = await startPlugin();
		const request = new providerMessages.GetSchemaRequest();
		const answer = await plugin.call<InstanceType<typeof providerMessages.GetSchemaResponse>>("getSchema", request);
		expect(answer.getSchema()).toBe(packageSchemaText());
	});

	it("is one that the engine checks, and of which it drops nothing", { timeout: 60_000 }, async () => {
		const stack = await startStack({ files: { "Pulumi.yaml": "name: probe\nruntime: yaml\n" }, orgsync: null });
		// The engine validates what a plugin answers, and prints what it has understood.
		const path = `${process.cwd()}/schemas/pulumi.json`;
		const printed = expectSuccess(await stack.pulumi(["package", "get-schema", path]));
		expect(JSON.parse(printed)).toEqual(JSON.parse(packageSchemaText()));
	});

	it.each(objects)("refers to types that it has: %s", (_place, { properties }) => {
		const refs = Object.values(properties).flatMap(refsIn);
		const own = refs.filter((ref) => ref !== "pulumi.json#/Any").map((ref) => ref.replace("#/types/", ""));
		expect(own.filter((token) => schema.types[token] === undefined)).toEqual([]);
	});

	it.each(objects)("requires properties that exist: %s", (_place, { properties, required = [] }) => {
		expect(required.filter((name) => properties[name] === undefined)).toEqual([]);
	});

	it("uses every type that it has", () => {
		const used = objects.flatMap(([, { properties }]) => Object.values(properties).flatMap(refsIn));
		const tokens = Object.keys(schema.types).filter((token) => !used.includes(`#/types/${token}`));
		expect(tokens).toEqual([]);
	});

	it("has well-formed tokens", () => {
		const tokens = [schema.types, schema.resources, schema.functions].flatMap(Object.keys);
		expect(tokens.filter((token) => !/^orgsync:index:[A-Za-z]+$/.test(token))).toEqual([]);
	});

	it("describes everything in whole sentences", () => {
		const described = [schema.types, schema.resources, schema.functions].flatMap(Object.entries);
		const values = Object.entries(schema.types).flatMap(([token, type]) =>
			(type.enum ?? []).flatMap(({ value, description }) => findFaults(`${token} ${value}`, description)),
		);
		expect([
			...findFaults("the Provider", schema.provider.description),
			...described.flatMap(([token, { description }]) => findFaults(token, description)),
			...values,
			...objects.flatMap(([place, { properties }]) => findFaultsIn(place, properties)),
		]).toEqual([]);
	});

	it("begins each description of a resource and a function with a paragraph of one sentence, which lists show", () => {
		const described = [schema.resources, schema.functions].flatMap(Object.entries);
		const first = described.map(([, { description }]) => String(description.split("\n\n")[0]));
		expect(first.filter((text) => !/^[^.]+\.$/.test(text) || text.length > 90)).toEqual([]);
	});
});

describe("the resources of the package schema", () => {
	it.each(resources)("$name has the inputs of its definition, and is replaced by what identifies it", (definition) => {
		const { name, schema: shape, identity } = definition;
		const { inputProperties = {}, requiredInputs, aliases } = schema.resources[`orgsync:index:${name}`] ?? {};
		expect(Object.keys(inputProperties).sort()).toEqual(Object.keys(shape.fields).sort());
		expect(requiredInputs).toEqual(shape.required);
		const replacing = Object.keys(inputProperties).filter((input) => inputProperties[input]?.willReplaceOnChanges);
		expect(replacing.sort()).toEqual([...identity].sort());
		expect(aliases).toEqual([{ type: `pulumi-nodejs:dynamic/orgsync:${name}` }]);
	});
});

describe("the settings of the package schema", () => {
	const { variables } = schema.config;
	const { inputProperties } = schema.provider;

	it("are those of the code, in the configuration and as arguments of a Provider", () => {
		expect(Object.keys(variables)).toEqual([...settingNames]);
		expect(Object.keys(inputProperties)).toEqual([...settingNames]);
	});

	it("default to the environment in the configuration only: a Provider would store a key of the environment", () => {
		const defaults = settingNames.map((name) => variables[name]?.defaultInfo?.environment);
		expect(defaults).toEqual(settingNames.map((name) => [environmentName(name)]));
		expect(JSON.stringify(inputProperties)).not.toContain("ORGSYNC_");
	});

	it("keep the private key secret, and nothing else", () => {
		for (const settings of [variables, inputProperties]) {
			expect(settingNames.filter((name) => settings[name]?.secret)).toEqual(["apiPrivateKey"]);
		}
	});
});
