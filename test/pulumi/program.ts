/**
 * A Pulumi program without a language: resources, providers, functions and outputs as data. It is written as an ES module
 * for `orgsync/pulumi`, and as a YAML program for the plugin, so that both can play the same story.
 */
import { stringify } from "yaml";

export interface Program {
	/** Configuration that the program reads, by name; see `configured`. */
	readonly config?: Readonly<Record<string, "plain" | "secret">>;
	/** Makes values of `unknown`: they are unknown in a preview that creates or changes the round. */
	readonly round?: number;
	/** By key, in an order in which each refers to earlier ones only. */
	readonly resources?: Readonly<Record<string, ProgramResource>>;
	/** By name, which has to be an identifier. */
	readonly outputs?: Readonly<Record<string, Value>>;
}

export interface ProgramResource {
	readonly type: ResourceType;
	/** The key of the resource when left out. */
	readonly name?: string;
	readonly properties?: Readonly<Record<string, Value>>;
	/** The id by which the resource is read instead of created. */
	readonly get?: string;
	readonly options?: ProgramOptions;
}

type ResourceType =
	| "UserTag"
	| "Policy"
	| "PolicyRemoval"
	| "OauthProviderRemoval"
	| "TvcAppRemoval"
	| "Organization"
	/** The provider itself, with settings as properties. */
	| "Provider";

/** Pulumi's options; resources are named by their key. */
export interface ProgramOptions {
	readonly provider?: string;
	readonly parent?: string;
	readonly dependsOn?: readonly string[];
	readonly deletedWith?: string;
	/** URNs, or what was different. */
	readonly aliases?: readonly (string | { readonly name?: string; readonly type?: string })[];
	readonly protect?: boolean;
	readonly retainOnDelete?: boolean;
	readonly ignoreChanges?: readonly string[];
	readonly replaceOnChanges?: readonly string[];
	readonly additionalSecretOutputs?: readonly string[];
	readonly deleteBeforeReplace?: boolean;
	readonly import?: string;
}

export type Value =
	| null
	| string
	| number
	| boolean
	| Expression
	| readonly Value[]
	| { readonly [name: string]: Value };

/** What an expression means; see the functions that make them. */
type Meaning =
	| { readonly kind: "output"; readonly key: string; readonly property: string }
	| { readonly kind: "secret" | "unknown"; readonly value: Value }
	| { readonly kind: "configured"; readonly name: string; readonly secret: boolean }
	| {
			readonly kind: "call";
			readonly name: string;
			readonly args: Readonly<Record<string, Value>>;
			readonly result: string;
	  };

/** A value that each language computes in its own words. */
export class Expression {
	readonly meaning: Meaning;
	readonly inModule: string;
	readonly inYaml: unknown;

	constructor(meaning: Meaning, inModule: string, inYaml: unknown) {
		this.meaning = meaning;
		this.inModule = inModule;
		this.inYaml = inYaml;
	}
}

/** An output of the resource with this key. */
export function outputOf(key: string, property: string): Expression {
	const meaning = { kind: "output", key, property } as const;
	return new Expression(meaning, `all[${JSON.stringify(key)}].${property}`, `\${${key}.${property}}`);
}

/** The value as a secret. */
export function secret(value: Value): Expression {
	return new Expression({ kind: "secret", value }, `pulumi.secret(${inModule(value)})`, {
		"fn::secret": inYaml(value),
	});
}

/** The text, which is unknown in some previews; see `round`. */
export function unknown(value: string): Expression {
	const joined = { "fn::join": [`\${${laterKey}.id}`, [inYaml(value)]] };
	return new Expression({ kind: "unknown", value }, `all.${laterKey}.id.apply(() => ${inModule(value)})`, joined);
}

/** A configuration value of the program, one of its `config`. */
export function configured(name: string, kind: "plain" | "secret" = "secret"): Expression {
	const method = kind === "secret" ? "requireSecret" : "require";
	const meaning = { kind: "configured", name, secret: kind === "secret" } as const;
	return new Expression(meaning, `new pulumi.Config().${method}(${JSON.stringify(name)})`, `\${${name}}`);
}

/** The answer of a function: in YAML the property `result` of what it returns. */
export function call(name: string, args: Readonly<Record<string, Value>>, result: string): Expression {
	const invoke = { function: `orgsync:index:${name}`, arguments: inYaml(args), return: result };
	const meaning = { kind: "call", name, args, result } as const;
	return new Expression(meaning, `orgsync.${name}Output(${inModule(args)})`, { "fn::invoke": invoke });
}

/** A resource of the engine itself, whose id is unknown until it is created. */
const laterKey = "later";

/** The program as an ES module of `orgsync/pulumi`. */
export function writeModule({ round, resources = {}, outputs = {} }: Program): string {
	const lines = [
		'import * as pulumi from "@pulumi/pulumi";',
		'import * as orgsync from "orgsync/pulumi";',
		"const all = {};",
		...(round === undefined
			? []
			: [`all.${laterKey} = new pulumi.Stash("${laterKey}", { input: ${round} }, { replaceOnChanges: ["input"] });`]),
		...Object.entries(resources).map(([key, resource]) => `all[${JSON.stringify(key)}] = ${create(key, resource)};`),
		...Object.entries(outputs).map(([name, value]) => `export const ${name} = ${inModule(value)};`),
	];
	return `${lines.join("\n")}\n`;
}

function create(key: string, { type, name = key, properties = {}, get, options = {} }: ProgramResource): string {
	const { provider, parent, dependsOn, deletedWith, ...rest } = options;
	const references = Object.entries({ provider, parent, deletedWith }).flatMap(([option, other]) =>
		other === undefined ? [] : [`${option}: all[${JSON.stringify(other)}]`],
	);
	if (dependsOn !== undefined) {
		references.push(`dependsOn: [${dependsOn.map((other) => `all[${JSON.stringify(other)}]`).join(", ")}]`);
	}
	const all = `{ ${[...references, `...${JSON.stringify(rest)}`].join(", ")} }`;
	return get === undefined
		? `new orgsync.${type}(${JSON.stringify(name)}, ${inModule(properties)}, ${all})`
		: `orgsync.${type}.get(${JSON.stringify(name)}, ${JSON.stringify(get)}, ${all})`;
}

function inModule(value: Value): string {
	if (value instanceof Expression) return value.inModule;
	if (Array.isArray(value)) return `[${value.map(inModule).join(", ")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${inModule(item)}`);
	return `{ ${entries.join(", ")} }`;
}

/** The program as a Pulumi.yaml. */
export function writeYaml({ config = {}, round, resources = {}, outputs = {} }: Program): string {
	const stash = { type: "pulumi:index:Stash", properties: { input: round }, options: { replaceOnChanges: ["input"] } };
	const declared = Object.entries(resources).map(([key, resource]) => [key, declare(resource)]);
	return stringify(
		{
			name: "probe",
			runtime: "yaml",
			config: Object.fromEntries(
				Object.entries(config).map(([name, kind]) => [name, { type: "string", secret: kind === "secret" }]),
			),
			resources: { ...(round === undefined ? {} : { [laterKey]: stash }), ...Object.fromEntries(declared) },
			outputs: inYaml(outputs),
		},
		{ aliasDuplicateObjects: false },
	);
}

function declare({ type, name, properties, get, options = {} }: ProgramResource): object {
	const { provider, parent, dependsOn, deletedWith, ...rest } = options;
	const references = Object.entries({ provider, parent, deletedWith }).flatMap(([option, other]) =>
		other === undefined ? [] : [[option, `\${${other}}`]],
	);
	return {
		type: type === "Provider" ? "pulumi:providers:orgsync" : `orgsync:index:${type}`,
		...(name === undefined ? {} : { name }),
		...(get === undefined ? { properties: inYaml(properties ?? {}) } : { get: { id: get } }),
		options: {
			...Object.fromEntries(references),
			...(dependsOn === undefined ? {} : { dependsOn: dependsOn.map((other) => `\${${other}}`) }),
			...rest,
		},
	};
}

function inYaml(value: Value): unknown {
	if (value instanceof Expression) return value.inYaml;
	if (Array.isArray(value)) return value.map(inYaml);
	if (typeof value === "string") return value.replaceAll("${", "$${");
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inYaml(item)]));
}
