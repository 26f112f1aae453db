/**
 * The example of each language under the real engine with the language's own host, in one stack: one program brings the
 * organization in sync and prints what its README shows, and then the programs of the other languages change nothing.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
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
import { prepareOrSkip } from "../needs.ts";
import { expectNoSecretIn } from "../pulumi/checks.ts";
import { readScenes, type Scene } from "../transcript.ts";
import { keys } from "../world.ts";

interface Example {
	readonly language: string;
	makeRuntime(): Promise<Partial<Runtime>>;
}

const examples: readonly [Example, ...Example[]] = [
	{ language: "TypeScript", makeRuntime: typescriptRuntime },
	{ language: "YAML", makeRuntime: async () => ({}) },
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

/** A command of a README, which prints every line that it shows. Resources run side by side, so their order varies. */
async function runScene(stack: Stack, { command, output }: Scene): Promise<void> {
	const printed = expectSuccess(await stack.pulumi(command.split(" ").slice(1)));
	const lines = printed.split("\n").map((line) => line.trim());
	const missing = output
		.trim()
		.split("\n")
		.filter((line) => !lines.includes(line.trim()));
	expect(missing, `${command}\n${printed}`).toEqual([]);
}

const shownOf = ({ command, output }: Scene) => ({ command, output });

const scenesOf = (language: string): readonly Scene[] =>
	readScenes(readFileSync(join(folderOf(language), "README.md"), "utf8")).filter(({ block }) => block === "console");

// Building what a language needs takes minutes on a fresh machine; `npm run engine` has done that before.
describe("the example in", { timeout: 20 * 60_000 }, () => {
	const [first, ...others] = examples;
	let emulator: Emulator;
	let stack: Stack;

	prepareOrSkip(async () => {
		emulator = await startEmulator({ seed: parseSeed(localSeed(keys.alice.publicKey), "the seed") });
		const made = await Promise.allSettled(examples.map(({ makeRuntime }) => makeRuntime()));
		const runtimes = made.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
		stack = await startStack({
			files: filesOf(first.language, undefined),
			path: runtimes.flatMap(({ path = [] }) => path),
			packages: Object.assign({}, ...runtimes.map(({ packages }) => packages)),
			env: {
				ORGSYNC_URL: emulator.url,
				ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey,
				ORGSYNC_ORGANIZATION_ID: localOrganizationId,
				NODE_OPTIONS: clockOption,
				...clockEnvironment(),
				...Object.assign({}, ...runtimes.map(({ env }) => env)),
			},
			orgsync: null,
			plugin: true,
		});
	}, 20 * 60_000);

	afterAll(() => emulator.close());

	it(`${first.language} prints what its README shows`, async () => {
		const [up] = scenesOf(first.language);
		await runScene(stack, up as Scene);
		const paths = emulator.requests().filter(({ path }) => path.includes("/submit/"));
		const submits = paths.map(({ path, operation }) => operation ?? path).toSorted();
		expect(submits).toEqual(["delete_policies", "update_user_tag", "update_user_tag"]);
	});

	it.for(others)("$language shows the same and changes nothing after it", async ({
		language,
		makeRuntime,
	}, context) => {
		const { runtime } = await orSkip(context, makeRuntime);
		stack.write(filesOf(language, runtime));
		const [, preview] = scenesOf(language);
		await runScene(stack, preview as Scene);
		expect(scenesOf(language).map(shownOf)).toEqual(scenesOf(first.language).map(shownOf));
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
