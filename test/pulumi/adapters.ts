/**
 * The two ways to Pulumi: the dynamic resources of `orgsync/pulumi` from an ES module, and the plugin from YAML.
 *
 * What only a Node program can do (promises, mocks, classes, CommonJS) is tested with the dynamic resources alone.
 */
import type { Stack } from "../engine/harness.ts";
import type { RunningProcess } from "../engine/processes.ts";
import { type Program, writeModule, writeYaml } from "./program.ts";
import { makePulumiWorld, type PulumiWorld, type WorldOptions } from "./world.ts";

export interface Adapter {
	/** In the names of tests, for example `guards of $title`. */
	readonly title: string;
	/** An emulator and a stack with this program. */
	makeWorld(program: Program, options?: WorldOptions): Promise<PulumiWorld>;
	/** Replaces the program of a stack that `makeWorld` has made. */
	write(stack: Stack, program: Program): void;
	/** The type of a resource as the engine has it. */
	typeOf(type: string): string;
	/** The URN of a resource without a parent. */
	urnOf(type: string, name: string): string;
	/** Whether a process serves resources. */
	isProvider(process: RunningProcess): boolean;
}

function makeAdapter(
	type: (name: string) => string,
	files: (program: Program) => Readonly<Record<string, string>>,
	rest: Pick<Adapter, "title" | "isProvider"> & { readonly options: WorldOptions },
): Adapter {
	const { options: own, ...more } = rest;
	return {
		...more,
		makeWorld: (program, options = {}) =>
			makePulumiWorld("", { ...own, ...options, files: { ...files(program), ...options.files } }),
		write: (stack, program) => stack.write(files(program)),
		typeOf: type,
		urnOf: (name, resource) => `urn:pulumi:test::probe::${type(name)}::${resource}`,
	};
}

export const dynamicResources = makeAdapter(
	(name) => `pulumi-nodejs:dynamic/orgsync:${name}`,
	(program) => ({ "index.mjs": writeModule(program) }),
	{
		title: "the dynamic resources",
		isProvider: ({ command }) => command.includes("dynamic-provider"),
		options: {},
	},
);

export const plugin = makeAdapter(
	(name) => `orgsync:index:${name}`,
	(program) => ({ "Pulumi.yaml": writeYaml(program) }),
	{
		title: "the plugin",
		isProvider: ({ command }) => /pulumi-resource-orgsync|plugin\/main\.js/.test(command),
		options: { orgsync: null, plugin: true },
	},
);
