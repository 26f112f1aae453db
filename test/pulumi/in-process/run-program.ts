/** Runs a program with Pulumi's SDK in this process, as its language host does: with the classes of orgsync/pulumi or as plain resources of the plugin. */
import * as pulumi from "@pulumi/pulumi";
import state from "@pulumi/pulumi/runtime/state.js";
import type { Program, ProgramOptions, ProgramResource, Value } from "../program.ts";
import { Expression } from "../program.ts";

// The SDK keeps what belongs to a run of a program in a store of its own, and has this without a type.
const { withLocalStorage } = state as unknown as { withLocalStorage<T>(work: () => Promise<T>): Promise<T> };

type Classes = Readonly<Record<string, unknown>>;

/** A program of its own in Node, as its outputs. */
export type NodeProgram = () => Promise<pulumi.Inputs>;

export interface ProgramRun {
	readonly program: Program | NodeProgram;
	/** The exports of `orgsync/pulumi`; undefined for a program whose resources the plugin serves. */
	readonly classes: Classes | undefined;
	/** The address of the engine and its monitor. */
	readonly engine: string;
	readonly isPreview: boolean;
	readonly config: Readonly<Record<string, string>>;
	readonly secretKeys: readonly string[];
	/** Resolves when the engine has ended the run. */
	readonly ended: Promise<void>;
}

/** Runs it to its end. Returns the errors that nothing in the program caught. */
export async function runProgram(run: ProgramRun): Promise<readonly Error[]> {
	const errors = new Set<Error>();
	const restore = takeErrors((error) => errors.add(error));
	try {
		const running = withLocalStorage(async () => {
			pulumi.runtime.resetOptions("probe", "test", 16, run.engine, run.engine, run.isPreview, "organization");
			pulumi.runtime.setAllConfig({ ...run.config }, [...run.secretKeys]);
			try {
				const { program } = run;
				await pulumi.runtime.runInPulumiStack(async () =>
					typeof program === "function" ? await program() : evaluateProgram(program, run),
				);
				await pulumi.runtime.disconnect(false);
			} catch (error) {
				errors.add(error as Error);
				// What it printed meanwhile reaches the engine before that is gone.
				await Promise.race([pulumi.runtime.disconnect(false), run.ended]).catch(() => undefined);
			}
		});
		// A program that waits for what the engine no longer makes is ended with it.
		await Promise.race([running, run.ended]);
		// Rejections are reported in later turns of the loop.
		for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
	} finally {
		restore();
	}
	return [...errors];
}

/** Catches what the program leaves uncaught, in place of the test runner. */
function takeErrors(take: (error: Error) => void): () => void {
	const events = ["uncaughtException", "unhandledRejection"] as const;
	const others = events.map((event) => process.listeners(event as never));
	for (const event of events) process.removeAllListeners(event).on(event, take as never);
	return () => {
		for (const [index, event] of events.entries()) {
			process.removeAllListeners(event);
			for (const listener of others[index] ?? []) process.on(event, listener as never);
		}
	};
}

/** What the values of a program refer to. */
interface Scope {
	readonly all: Map<string, pulumi.Resource>;
	readonly classes: Classes | undefined;
}

/** Makes the resources, and returns the outputs. */
function evaluateProgram(
	{ round, resources = {}, outputs = {} }: Program,
	{ classes }: Pick<ProgramRun, "classes">,
): pulumi.Inputs {
	const scope: Scope = { all: new Map(), classes };
	if (round !== undefined) {
		scope.all.set("later", new pulumi.Stash("later", { input: round }, { replaceOnChanges: ["input"] }));
	}
	for (const [key, resource] of Object.entries(resources)) scope.all.set(key, make(key, resource, scope));
	return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, evaluateValue(value, scope)]));
}

function make(key: string, resource: ProgramResource, scope: Scope): pulumi.Resource {
	const { type, name = key, properties = {}, get } = resource;
	const options = optionsOf(resource.options ?? {}, scope);
	const given = evaluateValue(properties, scope) as pulumi.Inputs;
	if (scope.classes !== undefined) {
		// biome-ignore lint/suspicious/noExplicitAny: each class has arguments of its own.
		const Class = scope.classes[type] as any;
		return get === undefined ? new Class(name, given, options) : Class.get(name, get, options);
	}
	if (type === "Provider") return new PluginProvider("orgsync", name, given, options);
	const outputs = Object.fromEntries(outputNames.map((output) => [output, undefined]));
	const all = { ...outputs, ...given };
	const token = `orgsync:index:${type}`;
	if (type === "Organization") return new Remote(token, name, all, options);
	return new Managed(token, name, all, get === undefined ? options : { ...options, id: get });
}

/** What programs of tests use of any resource; an output that a resource does not have is not there. */
const outputNames = [
	"name",
	"tagId",
	"policyId",
	"createdAt",
	"members",
	"organizationId",
	"userId",
	"summary",
	"changes",
	"activities",
	"impact",
	"approvals",
];

class PluginProvider extends pulumi.ProviderResource {}

/** A resource of the plugin. */
class Managed extends pulumi.CustomResource {}

/** A component that the plugin makes. */
class Remote extends pulumi.ComponentResource {
	constructor(type: string, name: string, inputs: pulumi.Inputs, options: pulumi.ComponentResourceOptions) {
		super(type, name, inputs, options, true);
	}
}

function optionsOf(options: ProgramOptions, { all }: Scope): pulumi.CustomResourceOptions {
	const { provider, parent, dependsOn, deletedWith, ...rest } = options;
	const other = (key: string | undefined) => (key === undefined ? undefined : all.get(key));
	const references = { provider: other(provider), parent: other(parent), deletedWith: other(deletedWith) };
	const given = Object.entries(references).filter(([, one]) => one !== undefined);
	return {
		...(rest as pulumi.CustomResourceOptions),
		...Object.fromEntries(given),
		...(dependsOn === undefined ? {} : { dependsOn: dependsOn.flatMap((key) => all.get(key) ?? []) }),
	};
}

function evaluateValue(value: Value, scope: Scope): unknown {
	if (value instanceof Expression) return expressionOf(value, scope);
	if (Array.isArray(value)) return value.map((item) => evaluateValue(item, scope));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, evaluateValue(item, scope)]));
}

function expressionOf({ meaning }: Expression, scope: Scope): unknown {
	const { all, classes } = scope;
	switch (meaning.kind) {
		case "output":
			return (all.get(meaning.key) as unknown as Readonly<Record<string, unknown>>)[meaning.property];
		case "secret":
			return pulumi.secret(evaluateValue(meaning.value, scope));
		case "unknown": {
			const later = all.get("later") as pulumi.CustomResource;
			return later.id.apply(() => evaluateValue(meaning.value, scope));
		}
		case "configured": {
			const config = new pulumi.Config();
			return meaning.secret ? config.requireSecret(meaning.name) : config.require(meaning.name);
		}
		case "call": {
			const args = evaluateValue(meaning.args, scope) as pulumi.Inputs;
			if (classes !== undefined) return (classes[`${meaning.name}Output`] as (given: object) => unknown)(args);
			const found = pulumi.runtime.invokeOutput(`orgsync:index:${meaning.name}`, args, {});
			return found.apply((result) => (result as Readonly<Record<string, unknown>>)[meaning.result]);
		}
	}
}
