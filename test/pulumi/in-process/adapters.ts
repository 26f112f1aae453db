/** The two ways to Pulumi, without the engine: each with the same programs, commands and facts as in ../adapters.ts. */
import { expect, onTestFinished } from "vitest";
import { clockEnvironment } from "../../clock.ts";
import { keys, makeWorld, organizationId, type World } from "../../world.ts";
import type { Program } from "../program.ts";
import { type InProcessOptions, type InProcessStack, makeInProcessStack } from "./stack.ts";

export interface InProcessWorld {
	readonly world: World;
	readonly stack: InProcessStack;
}

type WorldOptions = Partial<Pick<InProcessOptions, "config" | "env" | "files">> & {
	readonly serves?: "all" | "documented";
};

export interface Adapter {
	/** In the names of tests, for example `guards of $title`. */
	readonly title: string;
	/** An emulator and a stack with this program. */
	makeWorld(program: Program, options?: WorldOptions): Promise<InProcessWorld>;
	/** Replaces the program of a stack. */
	write(stack: InProcessStack, program: Program): void;
	/** The type of a resource as the engine has it. */
	typeOf(type: string): string;
	/** The URN of a resource without a parent. */
	urnOf(type: string, name: string): string;
}

function makeAdapter(adapter: InProcessOptions["adapter"], title: string, typeOf: Adapter["typeOf"]): Adapter {
	return {
		title,
		async makeWorld(program, { serves, env, ...rest } = {}) {
			const world = await makeWorld(undefined, serves === undefined ? {} : { reads: serves });
			const settings = {
				ORGSYNC_URL: world.url,
				ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey,
				ORGSYNC_ORGANIZATION_ID: organizationId,
				...clockEnvironment(),
			};
			const stack = makeInProcessStack({ program, adapter, env: { ...settings, ...env }, ...rest });
			return { world, stack: withSilentPreviews(stack, world) };
		},
		write: (stack, program) => stack.setProgram(program),
		typeOf,
		urnOf: (type, name) => `urn:pulumi:test::probe::${typeOf(type)}::${name}`,
	};
}

/** The services of the running test. */
const watched = new Set<World>();

const countSubmits = (): readonly number[] => [...watched].map((world) => world.submits().length);

/** The stack, whose previews fail the test if they submit anything to a service of the test. */
function withSilentPreviews(stack: InProcessStack, world: World): InProcessStack {
	watched.add(world);
	onTestFinished(() => void watched.delete(world));
	const pulumi: InProcessStack["pulumi"] = async (words, options) => {
		const before = countSubmits();
		const answer = await stack.pulumi(words, options);
		if (words[0] === "preview") expect(countSubmits(), `submits before and after ${words.join(" ")}`).toEqual(before);
		return answer;
	};
	return { ...stack, pulumi, preview: (words = [], options) => pulumi(["preview", ...words], options) };
}

export const dynamicResources = makeAdapter(
	"dynamic",
	"the dynamic resources",
	(name) => `pulumi-nodejs:dynamic/orgsync:${name}`,
);

export const plugin = makeAdapter("plugin", "the plugin", (name) => `orgsync:index:${name}`);

export const adapters = [dynamicResources, plugin];
