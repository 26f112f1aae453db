/**
 * The example of each language under the real engine with the language's own host: it prints what its README shows. All say the
 * same, and run on the organization of the local emulator.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { localOrganizationId, localSeed } from "../../src/cli/local-seed.ts";
import { type Emulator, parseSeed, startEmulator } from "../../src/emulator/server.ts";
import { clockEnvironment, clockOption } from "../clock.ts";
import { expectSuccess } from "../engine/answer.ts";
import { goProgram } from "../engine/go-program.ts";
import { type Stack, startStack } from "../engine/harness.ts";
import { goRuntime, pythonRuntime, type Runtime, typescriptRuntime } from "../engine/languages.ts";
import { shareNodeSdk } from "../engine/node-sdk.ts";
import { sharePythonSdk } from "../engine/python.ts";
import { orSkip } from "../left-out.ts";
import { expectNoSecretIn } from "../pulumi/checks.ts";
import { readScenes } from "../transcript.ts";
import { keys } from "../world.ts";

interface Example {
	readonly language: string;
	makeRuntime(): Promise<Partial<Runtime>>;
}

const examples: readonly Example[] = [
	{ language: "YAML", makeRuntime: async () => ({}) },
	{ language: "TypeScript", makeRuntime: typescriptRuntime },
	{ language: "Python", makeRuntime: pythonRuntime },
	{ language: "Go", makeRuntime: () => goRuntime(goProgram) },
];

const folderOf = (language: string): string => `examples/pulumi-${language.toLowerCase()}`;

/** The files of an example that Pulumi or a host reads. Go's program is already built, so its project names the built one. */
function filesOf(language: string, runtime: string | undefined): Readonly<Record<string, string>> {
	const folder = folderOf(language);
	const names = readdirSync(folder).filter((name) => !/\.(md|go|mod|sum)$/.test(name));
	const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
	const project = files["Pulumi.yaml"] ?? "";
	if (language === "Go") files["Pulumi.yaml"] = project.replace("runtime: go", `runtime: ${runtime}`);
	return files;
}

/** A stack of the example and its service. */
async function play(language: string, { runtime, ...options }: Partial<Runtime>): Promise<[Stack, Emulator]> {
	const emulator = await startEmulator({ seed: parseSeed(localSeed(keys.alice.publicKey), "the seed") });
	onTestFinished(() => emulator.close());
	const env = {
		ORGSYNC_URL: emulator.url,
		ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey,
		ORGSYNC_ORGANIZATION_ID: localOrganizationId,
		NODE_OPTIONS: clockOption,
		...clockEnvironment(),
		...options.env,
	};
	const files = filesOf(language, runtime);
	return [await startStack({ ...options, files, env, orgsync: null, plugin: true }), emulator];
}

/** Runs the commands of the page, which print every line that it shows. Resources run side by side, so their order varies. */
async function runPage(stack: Stack, page: string): Promise<void> {
	for (const { command, output } of readScenes(page).filter(({ block }) => block === "console")) {
		const printed = expectSuccess(await stack.pulumi(command.split(" ").slice(1)));
		const lines = printed.split("\n").map((line) => line.trim());
		const missing = output
			.trim()
			.split("\n")
			.filter((line) => !lines.includes(line.trim()));
		expect(missing, `${command}\n${printed}`).toEqual([]);
	}
}

const submits = (emulator: Emulator): readonly string[] =>
	emulator.requests().flatMap(({ path, operation }) => (path.includes("/submit/") ? [operation ?? path] : []));

// Building what a language needs takes minutes on a fresh machine; `npm run engine` has done that before.
describe("the example in", { timeout: 20 * 60_000 }, () => {
	it.for(examples)("$language prints what its README shows", async (example, context) => {
		const { language, makeRuntime } = example;
		const [stack, emulator] = await play(language, await orSkip(context, makeRuntime));
		await runPage(stack, readFileSync(join(folderOf(language), "README.md"), "utf8"));
		expect(submits(emulator).toSorted()).toEqual(["delete_policies", "update_user_tag", "update_user_tag"]);
		expectNoSecretIn(stack);
	});
});

describe("the package", { timeout: 20 * 60_000 }, () => {
	it("for Node is compiled to what npm gets, and names the plugin", async () => {
		const folder = await shareNodeSdk(inject("sharedFolder"));
		const { name, pulumi } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		expect({ name, pulumi }).toMatchObject({ name: "@orgsync/pulumi", pulumi: { resource: true, name: "orgsync" } });
		expect(readdirSync(folder)).toEqual(expect.arrayContaining(["index.js", "index.d.ts", "README.md"]));
	});

	it("for Python is a wheel with its types, and names the plugin", async (context) => {
		const folder = await orSkip(context, () => sharePythonSdk(inject("sharedFolder")));
		expect(readdirSync(folder)).toContain("pulumi_orgsync-0.1.0-py3-none-any.whl");
		expect(readdirSync(join(folder, "pulumi_orgsync"))).toEqual(
			expect.arrayContaining(["py.typed", "pulumi-plugin.json", "user_tag.py"]),
		);
	});
});
