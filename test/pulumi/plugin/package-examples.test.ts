/**
 * The programs in the package schema: each example is there in five languages, and uses only what the package has. What `orgsync
 * export` writes in TypeScript fits the same SDK.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { exportProgram } from "../../../src/document/export/export-program.ts";
import { id, known, liveOf, liveTag } from "../../plan/support-organizations.ts";
import { nameOf, type ObjectType, schema, type Type } from "../read-schema.ts";

const languages = ["typescript", "python", "csharp", "go", "yaml"] as const;
type Language = (typeof languages)[number];

interface Example {
	/** The resource or function that it belongs to, and its heading. */
	readonly name: string;
	readonly token: string;
	/** Each language with its program, in their order. */
	readonly programs: readonly (readonly [string, string])[];
}

const described = [...Object.entries(schema.resources), ...Object.entries(schema.functions)];

const examples = described.flatMap(([token, { description }]): readonly Example[] =>
	[...description.matchAll(/\{\{% example %\}\}\n### (.+)\n([\s\S]*?)\{\{% \/example %\}\}/g)].map(
		([, title, content = ""]) => ({
			name: `${nameOf(token)}: ${title}`,
			token,
			programs: [...content.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, word = "", code = ""]) => [word, code]),
		}),
	),
);

function programOf({ programs }: Example, language: Language): string {
	return programs.find(([name]) => name === language)?.[1] ?? "";
}

interface YamlProgram {
	readonly variables?: Readonly<Record<string, unknown>>;
	readonly resources?: Readonly<Record<string, { readonly type: string; readonly properties?: object }>>;
	readonly outputs?: Readonly<Record<string, string>>;
}

interface Invocation {
	readonly "fn::invoke": { readonly function: string; readonly arguments?: object };
}

function isInvocation(value: unknown): value is Invocation {
	return typeof value === "object" && value !== null && "fn::invoke" in value;
}

/** What is wrong with a value that should have this type. */
function findMistakes(value: unknown, type: Type, place: string): readonly string[] {
	if (type.oneOf !== undefined) {
		const all = type.oneOf.map((one) => findMistakes(value, one, place));
		return all.find((mistakes) => mistakes.length === 0) ?? all[0] ?? [];
	}
	if (type.$ref === "pulumi.json#/Any") return [];
	if (type.$ref !== undefined) return findNamedMistakes(value, type.$ref, place);
	if (type.type === "array") {
		if (!Array.isArray(value)) return [`${place} is no list`];
		return value.flatMap((item, index) => findMistakes(item, type.items ?? {}, `${place}[${index}]`));
	}
	const expected = type.type === "integer" ? "number" : type.type;
	return typeof value === expected ? [] : [`${place} is no ${expected}`];
}

function findNamedMistakes(value: unknown, ref: string, place: string): readonly string[] {
	const named = schema.types[ref.replace("#/types/", "")];
	if (named?.enum === undefined) {
		return typeof value === "object" ? findObjectMistakes(value as object, named, place) : [`${place} is no object`];
	}
	return named.enum.some((one) => one.value === value) ? [] : [`${place} is none of the values`];
}

function findObjectMistakes(
	given: object,
	object: Pick<ObjectType, "properties" | "required"> | undefined,
	place: string,
): readonly string[] {
	const missing = (object?.required ?? []).filter((name) => !(name in given));
	const mistakes = Object.entries(given).flatMap(([name, value]) => {
		const type = object?.properties[name];
		return type === undefined ? [`${place}.${name} does not exist`] : findMistakes(value, type, `${place}.${name}`);
	});
	return [...missing.map((name) => `${place}.${name} is missing`), ...mistakes];
}

/** The names in a value, in lower case: what a program of any language has to write too. */
function namesIn(value: unknown): readonly string[] {
	if (Array.isArray(value)) return value.flatMap(namesIn);
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]) => [name.toLowerCase(), ...namesIn(inner)]);
}

/** The names that a program gives values to, in lower case and without underscores. */
const assignments: Readonly<Record<"python" | "csharp" | "go", RegExp>> = {
	python: /(\w+)=(?!=)|"(\w+)":/g,
	csharp: /(?<!var )\b([A-Z]\w*) =(?!=)|\["(\w+)"\] =/g,
	go: /\b([A-Z]\w*):\s|"(\w+)":\s/g,
};

describe.each(examples)("the example $name", (example) => {
	const yaml = parse(programOf(example, "yaml")) as YamlProgram;
	const resources = Object.entries(yaml.resources ?? {});
	const invocations = Object.entries(yaml.variables ?? {}).flatMap(([name, value]) =>
		isInvocation(value) ? [[name, value["fn::invoke"]] as const] : [],
	);

	it("is there in every language", () => {
		expect(example.programs.map(([language]) => language)).toEqual(languages);
	});

	it("uses in YAML what the schema has", () => {
		const used = [...resources.map(([, { type }]) => type), ...invocations.map(([, call]) => call.function)];
		expect(used.at(-1)).toBe(example.token);
		const mistakes = [
			...resources.flatMap(([name, { type, properties = {} }]) => {
				const { inputProperties = {}, requiredInputs = [] } = schema.resources[type] ?? {};
				return findObjectMistakes(properties, { properties: inputProperties, required: requiredInputs }, name);
			}),
			...invocations.flatMap(([name, call]) =>
				findObjectMistakes(call.arguments ?? {}, schema.functions[call.function]?.inputs, name),
			),
		];
		expect(mistakes).toEqual([]);
	});

	it("prints outputs that the schema has", () => {
		const known = schema.resources[example.token]?.properties ?? schema.functions[example.token]?.outputs.properties;
		for (const text of Object.values(yaml.outputs ?? {})) {
			const [, name = "", output = "", field] = /^\$\{(\w+)\.(\w+)(?:\[\d+\]\.(\w+))?\}$/.exec(text) ?? [];
			expect([...resources, ...invocations].map(([one]) => one)).toContain(name);
			expect(Object.keys(known ?? {})).toContain(output);
			const item = schema.types[known?.[output]?.items?.$ref?.replace("#/types/", "") ?? ""];
			if (field !== undefined) expect(Object.keys(item?.properties ?? {})).toContain(field);
		}
	});

	it.each(["python", "csharp", "go"] as const)("sets the same properties in %s", (language) => {
		const code = programOf(example, language).replace(/return new Dictionary[\s\S]*/, "");
		const found = [...code.matchAll(assignments[language])].map(([, name, other]) => name ?? other ?? "");
		const given = [
			...resources.map(([, { properties }]) => properties),
			...invocations.map(([, call]) => call.arguments),
		].flatMap(namesIn);
		const plain = found.map((name) => name.replaceAll("_", "").toLowerCase());
		expect([...new Set(plain)].sort()).toEqual([...new Set(given)].sort());
	});

	it("names the same objects in every language", () => {
		const ids = (code: string) => new Set(code.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g));
		for (const [language, code] of example.programs)
			expect(ids(code), language).toEqual(ids(programOf(example, "yaml")));
	});

	it("imports the SDK that is generated", () => {
		expect(programOf(example, "typescript")).toContain('from "@orgsync/pulumi"');
		expect(programOf(example, "python")).toContain("import pulumi_orgsync as orgsync");
		expect(programOf(example, "go")).toContain(`"${schema.language.go.importBasePath}"`);
		expect(programOf(example, "csharp")).toContain("using Orgsync.Pulumi;");
	});
});

/** What is exported of a live organization, its removals not in comments. */
function exportedProgram(): string {
	const live = liveOf({
		userTags: known([liveTag(1, '${x} */ `y` "\\', { members: known([id("user", 1)]) }), liveTag(2, "auditors")]),
		policies: known([{ id: id("policy", 1), name: "a\n*/" }]),
		oauthProviders: known([{ userId: id("user", 1), id: id("provider", 1), name: "" }]),
		tvcApps: known([{ id: id("app", 1), name: "signer" }]),
	});
	const users = known([{ id: id("user", 1), name: "alice */\n// bob" }]);
	const { text } = exportProgram({ live, users, sessionProfilesKnown: known(null) }, "pulumi-typescript");
	return text.replaceAll(/^\/\/(?=new |\t|\}\);)/gm, "");
}

describe("the examples", () => {
	it("are there for every resource, and for the functions that most programs call", () => {
		const names = new Set(examples.map(({ token }) => nameOf(token)));
		expect([...names].sort()).toEqual(
			[...Object.keys(schema.resources).map(nameOf), "getMfaPolicies", "getPlan", "listUserTags"].sort(),
		);
	});

	it("compile in TypeScript with the generated SDK, as do the projects of examples/ and an exported program", {
		timeout: 60_000,
	}, () => {
		const folder = mkdtempSync(join(tmpdir(), "orgsync-examples-"));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		mkdirSync(join(folder, "programs"));
		const projects = ["pulumi-typescript", "policies-pulumi/typescript"].map((name) =>
			readFileSync(`examples/${name}/index.ts`, "utf8"),
		);
		const exported = exportedProgram();
		expect(exported.match(/^new orgsync\./gm)).toHaveLength(5);
		// One mistake shows that the compiler looks at all of it.
		const wrong = 'new orgsync.TvcAppRemoval("wrong", { organizationId, app: "" });';
		const texts = [...examples.map((example) => programOf(example, "typescript")), ...projects, `${exported}${wrong}`];
		const files = texts.map((text, index) => {
			const file = join(folder, "programs", `${index}.ts`);
			writeFileSync(file, text);
			return file;
		});
		const program = ts.createProgram(files, {
			strict: true,
			noEmit: true,
			skipLibCheck: true,
			module: ts.ModuleKind.NodeNext,
			moduleResolution: ts.ModuleResolutionKind.NodeNext,
			target: ts.ScriptTarget.ES2022,
			types: ["node"],
			typeRoots: [resolve("node_modules/@types")],
			paths: {
				"@orgsync/pulumi": [resolve("sdk/nodejs/index.ts")],
				"@pulumi/pulumi": [resolve("node_modules/@pulumi/pulumi/index.d.ts")],
			},
		});
		const problems = files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)));
		expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([
			expect.stringContaining("'app' does not exist in type 'TvcAppRemovalArgs'"),
		]);
	});
});
