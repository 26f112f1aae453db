/**
 * The base class of the resources. It adds to the inputs of a program the text by which the engine finds the provider, and
 * what the provider cannot know. None of it is a secret, and none of it is sent to the service.
 */
import * as pulumi from "@pulumi/pulumi";
import { withoutMeta } from "../inputs/inputs.ts";
import type { ResourceDefinition } from "../resources/resource.ts";
import { isMocked, isSecretSetting, programError, refusePlainKey } from "./configuration.ts";
import { Provider } from "./provider-resource.ts";

type ResourceType = Pick<ResourceDefinition, "name" | "finder">;

/** A resource of a program. Nothing is captured, so no secret reaches the state, and an upgrade needs no migration. */
export abstract class OrgsyncResource extends pulumi.CustomResource {
	/** The organization, in lower case. */
	declare readonly organizationId: pulumi.Output<string>;

	constructor(type: ResourceType, name: string, inputs: pulumi.Inputs, options?: pulumi.CustomResourceOptions) {
		const { all, complete } = addMetaInputs(type, name, { organizationId: undefined, ...inputs }, options);
		super(typeToken(type.name), name, all, options);
		complete(this);
	}
}

export function typeToken(name: string): string {
	return `pulumi-nodejs:dynamic/orgsync:${name}`;
}

/**
 * What the engine's dynamic provider evaluates. It must be the same in every release: it is in the state of every
 * resource, and changing it would change every resource. The package is resolved from the program's folder.
 */
function providerText(name: string): string {
	return `exports.handler=()=>require("module").createRequire(process.cwd()+"/")("orgsync/pulumi/provider").providerOf("${name}")`;
}

/**
 * Returns all inputs, with the meta inputs except for mocks, and what to call with the resource: only it knows its Provider.
 * Throws RunError for an option that the resource cannot have.
 */
function addMetaInputs(
	type: ResourceType,
	name: string,
	inputs: pulumi.Inputs,
	options: pulumi.CustomResourceOptions = {},
): { readonly all: pulumi.Inputs; readonly complete: (resource: pulumi.Resource) => void } {
	refuseOptions(type, name, options);
	if (isMocked()) return { all: withoutMeta(inputs), complete: () => undefined };
	refusePlainKey();
	const made = Promise.withResolvers<pulumi.Resource>();
	const token = typeToken(type.name);
	// A resource that is read by an id has it as its `tagId`.
	const found = options.id === undefined ? {} : { tagId: options.id };
	return {
		all: {
			...inputs,
			resource: name,
			resourceUrn: promiseOf(pulumi.createUrn(name, token, options.parent)),
			secretInputs: made.promise.then((resource) => findSecrets({ ...inputs, ...found }, resource, token)),
			...(options.id === undefined ? {} : { lookUp: "requested" }),
			__provider: providerText(type.name),
		},
		complete: made.resolve,
	};
}

/** Throws RunError for timeouts: the engine does not pass them on to a dynamic provider. */
export function refuseTimeouts(name: string, { customTimeouts }: pulumi.ResourceOptions): void {
	if (customTimeouts === undefined) return;
	throw programError(
		`${name}: customTimeouts have no effect on a dynamic resource, because the engine does not pass them on; remove the option, and use the settings \`timeout\` and \`wait\``,
	);
}

function refuseOptions(type: ResourceType, name: string, options: pulumi.CustomResourceOptions): void {
	refuseTimeouts(name, options);
	if (options.import !== undefined) {
		throw programError(
			`${name}: a ${type.name} cannot be imported, because it is a dynamic resource; remove the option \`import\`: creating the resource adopts the live object`,
		);
	}
	if (options.id !== undefined && type.finder === undefined) {
		throw programError(
			`${name}: a ${type.name} cannot be read by an id, because it lists what must not exist; remove the option \`id\``,
		);
	}
}

/** The plain value: as an output, it would make the resource depend on its parent, which waits for its children. */
function promiseOf<T>(output: pulumi.Output<T>): Promise<T> {
	return new Promise((resolve) => output.apply((value) => resolve(value as T)));
}

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

/** Whether a value is or contains a secret. False for a value that fails: the resource fails with it anyway. */
async function isSecretInput(value: unknown): Promise<boolean> {
	try {
		return await pulumi.isSecret(pulumi.output(value));
	} catch {
		return false;
	}
}

async function isSecretOrganization(resource: pulumi.Resource, type: string): Promise<boolean> {
	const provider = resource.getProvider(type);
	if (provider instanceof Provider) return (await provider.secretSettings).includes("organizationId");
	return isSecretSetting("organizationId");
}
