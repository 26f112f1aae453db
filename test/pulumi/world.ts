/**
 * What the tests of the Pulumi room share: the emulator and organization of the command line's tests, and a stack of the
 * real engine whose program knows that emulator and alice's key.
 */
import { expect, onTestFinished } from "vitest";
import { clockEnvironment, clockOption } from "../clock.ts";
import { type Stack, type StackOptions, startStack } from "../engine/harness.ts";
import { keys, makeWorld, organizationId, type World } from "../world.ts";

export interface PulumiWorld {
	readonly world: World;
	readonly stack: Stack;
}

export type WorldOptions = Partial<StackOptions> & { readonly serves?: "all" | "documented" };

/** An emulator and a stack with this program, an ES module with `orgsync` and `pulumi` imported. */
export async function makePulumiWorld(program: string, options: WorldOptions = {}): Promise<PulumiWorld> {
	const { serves, ...rest } = options;
	const world = await makeWorld(undefined, serves === undefined ? {} : { reads: serves });
	const env = {
		ORGSYNC_URL: world.url,
		ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey,
		ORGSYNC_ORGANIZATION_ID: organizationId,
		NODE_OPTIONS: clockOption,
		...clockEnvironment(),
		...options.env,
	};
	const stack = await startStack({ files: { "index.mjs": withImports(program) }, ...rest, env });
	return { world, stack: withSilentPreviews(stack, world) };
}

/** The stack, whose previews fail the test if they submit anything to a service of the test. */
function withSilentPreviews(stack: Stack, world: World): Stack {
	watched.add(world);
	onTestFinished(() => void watched.delete(world));
	const pulumi: Stack["pulumi"] = async (words, options) => {
		const isPreview = words[0] === "preview" || words.includes("--preview-only");
		const before = countSubmits();
		const answer = await stack.pulumi(words, options);
		if (isPreview) expect(countSubmits(), `submits before and after ${words.join(" ")}`).toEqual(before);
		return answer;
	};
	return { ...stack, pulumi, preview: (words = [], options) => pulumi(["preview", ...words], options) };
}

/** The services of the running test. */
const watched = new Set<World>();

const countSubmits = (): readonly number[] => [...watched].map((world) => world.submits().length);

/** An emulator and a stack of a YAML program, whose resources the provider plugin serves. `body` is what follows the runtime. */
export async function makeYamlWorld(body: string, options: WorldOptions = {}): Promise<PulumiWorld> {
	const files = { "Pulumi.yaml": `name: probe\nruntime: yaml\n${body}\n` };
	return makePulumiWorld("", { orgsync: null, plugin: true, ...options, files: { ...files, ...options.files } });
}

/** The program as a whole ES module. */
function withImports(program: string): string {
	return `import * as pulumi from "@pulumi/pulumi";\nimport * as orgsync from "orgsync/pulumi";\n${program}\n`;
}
