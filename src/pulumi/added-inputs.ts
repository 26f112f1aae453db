/**
 * What the resource classes add to the inputs of a program: the text by which the engine finds the provider, and what the
 * provider cannot know by itself. None of it is a secret, and none of it is an input of the service.
 */
import * as pulumi from "@pulumi/pulumi";
import { isSecretSetting, programError, refusePlainKey } from "./configuration.ts";
import { withoutMeta } from "./inputs.ts";
import { isMocked } from "./mocks.ts";
import { Provider } from "./provider-resource.ts";

/** What the engine knows of a kind of resource. */
export interface ResourceKind {
	/** For messages, for example `UserTag`. */
	readonly name: string;
	/** What provider.ts exports for it. */
	readonly provider: string;
	/** Whether the id is that of a live object, so that a program can read it without managing it. */
	readonly isLive: boolean;
}

/** The type token of a kind. */
export function typeOf({ name }: ResourceKind): string {
	return `pulumi-nodejs:dynamic/orgsync:${name}`;
}

/**
 * What the engine's dynamic provider evaluates. It must be the same in every release: it is in the state of every resource,
 * and a change of it would be a change of every resource. The package is looked up from the program's folder.
 */
function providerText(name: string): string {
	return `exports.handler=()=>require("module").createRequire(process.cwd()+"/")("orgsync/pulumi/provider").${name}()`;
}

/** Inputs for the engine, and what to call once the resource is made. */
export interface AddedInputs {
	readonly inputs: pulumi.Inputs;
	readonly complete: (resource: pulumi.Resource) => void;
}

/**
 * The inputs with those that are added. `complete` has to be called with the resource: which Provider it has, only it
 * knows. Throws RunError for an option that the resource cannot have. With mocks nothing is added, and nothing asked.
 */
export function addInputs(
	kind: ResourceKind,
	name: string,
	inputs: pulumi.Inputs,
	options: pulumi.CustomResourceOptions = {},
): AddedInputs {
	refuseOptions(kind, name, options);
	if (isMocked()) return { inputs: withoutMeta(inputs), complete: () => undefined };
	refusePlainKey();
	const made = Promise.withResolvers<pulumi.Resource>();
	// What is read by an id has it as its `tagId`.
	const found = options.id === undefined ? {} : { tagId: options.id };
	return {
		inputs: {
			...inputs,
			resource: name,
			resourceUrn: promiseOf(pulumi.createUrn(name, typeOf(kind), options.parent)),
			secretInputs: made.promise.then((resource) => findSecrets({ ...inputs, ...found }, resource, typeOf(kind))),
			...(options.id === undefined ? {} : { lookUp: "requested" }),
			__provider: providerText(kind.provider),
		},
		complete: made.resolve,
	};
}

function refuseOptions(kind: ResourceKind, name: string, options: pulumi.CustomResourceOptions): void {
	if (options.import !== undefined) {
		throw programError(
			`${name}: a ${kind.name} cannot be imported, because it is a dynamic resource; leave \`import\` out: creating it adopts what is live`,
		);
	}
	if (options.id !== undefined && !kind.isLive) {
		throw programError(
			`${name}: a ${kind.name} cannot be read by an id, because it says what must not exist; leave \`id\` out`,
		);
	}
}

/** The value alone: as an output it would make the resource depend on its parent, which waits for its children. */
function promiseOf<T>(output: pulumi.Output<T>): Promise<T> {
	return new Promise((resolve) => output.apply((value) => resolve(value as T)));
}

/** The names of the inputs that are secret, sorted; undefined for none, so that a state without secrets has no such input. */
async function findSecrets(
	inputs: pulumi.Inputs,
	resource: pulumi.Resource,
	type: string,
): Promise<readonly string[] | undefined> {
	const found = await Promise.all(
		Object.entries(inputs).map(async ([name, value]) => {
			const isGiven = value !== undefined;
			const isSecret = isGiven
				? await isSecretInput(value)
				: name === "organizationId" && (await isSecretOrganization(resource, type));
			return isSecret ? [name] : [];
		}),
	);
	const names = found.flat().sort();
	return names.length === 0 ? undefined : names;
}

/** Whether a value is or contains a secret. A value that fails is none: the resource fails with it anyway. */
async function isSecretInput(value: unknown): Promise<boolean> {
	try {
		return await pulumi.isSecret(pulumi.output(value));
	} catch {
		return false;
	}
}

/** Whether the default organization is a secret. */
async function isSecretOrganization(resource: pulumi.Resource, type: string): Promise<boolean> {
	const provider = resource.getProvider(type);
	if (provider instanceof Provider) return (await provider.secretSettings).includes("organizationId");
	return isSecretSetting("organizationId");
}
