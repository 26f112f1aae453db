/** The calls of the engine about one resource, as messages of its protocol. */

import { defined } from "../../common/defined.ts";
import { standInsIn } from "../../plan/stand-in.ts";
import { unknownProperty } from "../inputs/input-schema.ts";
import { type CheckFailure, type Properties, unknownValue, withoutMeta } from "../inputs/inputs.ts";
import type { PropertyChange } from "../inputs/property-changes.ts";
import { namesOfSecrets, seal } from "../inputs/secrets.ts";
import { outputNames, type ResourceDefinition } from "../resources/resource.ts";
import { makeOperations, type ResourceOperations } from "../resources/resource-operations.ts";
import type { ProviderProcess } from "../session/provider-process.ts";
import type { GivenSettings, SettingName } from "../settings/settings.ts";
import type { ResourceRequest } from "./resource-messages.ts";
import { sendInputs, sendOutputs, writeDiff, writeFailures } from "./responses.ts";
import { writeMessage } from "./structs.ts";
import type { PlainProperties } from "./values.ts";

/**
 * What the components of this process have registered, by URN. Construct compares the whole organization and registers the parts;
 * the engine checks and compares each of them later, in the same process. So what Construct found is neither an input nor in the
 * state, and a resource that a program puts below a component is no part of it.
 */
export type ComponentParts = Map<string, ComponentPart>;

interface ComponentPart {
	/** The name of the component, which shows the plan and checks the guards of all parts together. */
	readonly component: string;
	/** How the live object differs from the inputs of the part. Empty if it is in sync, or if that is not known. */
	readonly drift: readonly PropertyChange[];
}

const noProperties: PlainProperties = { properties: {}, secretNames: [], unusable: [] };

interface ResourceContext {
	/** Resolves once the engine has configured the provider. */
	readonly given: () => Promise<GivenSettings>;
	/** Whether it has. */
	readonly isConfigured: () => boolean;
	/** The settings that are secrets. Known with `given`. */
	readonly secretNames: () => readonly SettingName[];
	readonly parts: Pick<ComponentParts, "get">;
}

/** What the protocol asks about a resource of one type; each is called with a request and returns the bytes of the response. */
export class ResourceCalls {
	readonly #definition: ResourceDefinition;
	readonly #operations: ResourceOperations;
	readonly #process: ProviderProcess;
	readonly #context: ResourceContext;

	constructor(definition: ResourceDefinition, process: ProviderProcess, context: ResourceContext) {
		this.#definition = definition;
		this.#process = process;
		this.#context = context;
		this.#operations = makeOperations(definition, process, context.given);
	}

	async check({ urn, olds, news = noProperties }: ResourceRequest): Promise<Buffer> {
		const given = this.#read(urn, news);
		const before = olds === undefined ? {} : this.#read(urn, olds);
		const { inputs, failures } = await this.#operations.check(before, this.#withDefaultSecret(given));
		const messages = writeFailures([...this.#refuse(news), ...failures], given);
		return writeMessage([
			[1, sendInputs(inputs)],
			...messages.map((failure) => [2, failure.serializeBinary()] as const),
		]);
	}

	async diff({ id, urn, olds: before, news: after, oldInputs }: ResourceRequest): Promise<Buffer> {
		const olds = this.#read(urn, before, oldInputs);
		const news = this.#read(urn, after);
		// Older engines send no old inputs.
		const found = this.#operations.diff(id, olds, news, {
			...(oldInputs === undefined ? {} : { oldInputs: this.#read(urn, oldInputs) }),
			// A state of a dynamic resource is written again, although nothing else has changed.
			due: [
				...("__provider" in olds ? [{ path: ["__provider"], kind: "delete" } as const] : []),
				...(this.#context.parts.get(urn)?.drift ?? []),
			],
		});
		if (found.replaces.length === 0 && this.#context.isConfigured())
			await this.#operations.review(olds, news, found.changes);
		return Buffer.from(writeDiff(found, this.#definition.identity).serializeBinary());
	}

	async create({ urn, properties, preview, timeout }: ResourceRequest): Promise<Buffer> {
		const inputs = this.#read(urn, properties);
		if (preview) return writeMessage([[2, sendOutputs(previewOutputs(this.#definition, inputs))]]);
		const { id, outs } = await this.#process.timed("create", timeout, () => this.#operations.create(inputs));
		return writeMessage([
			[1, id],
			[2, sendOutputs(outs)],
		]);
	}

	async update({ urn, olds: before, news: after, oldInputs, preview, timeout }: ResourceRequest): Promise<Buffer> {
		const news = this.#read(urn, after);
		const olds = this.#read(urn, before, oldInputs);
		if (preview) return writeMessage([[1, sendOutputs(previewOutputs(this.#definition, news, olds))]]);
		const { outs } = await this.#process.timed("update", timeout, () => this.#operations.update(olds, news));
		return writeMessage([[1, sendOutputs(outs)]]);
	}

	async read({ id, urn, properties: sent, inputs: sentInputs, timeout }: ResourceRequest): Promise<Buffer> {
		const inputsOfState = sentInputs ?? sent ?? noProperties;
		const state = this.#read(urn, sent, inputsOfState);
		// Limits are in no output, and a refresh keeps them.
		const { limits } = inputsOfState.properties;
		const properties = defined({ limits, ...state });
		const read = operationOfRead(this.#definition, sentInputs, withoutMeta(properties));
		const found = await this.#process.timed("read", timeout, () =>
			this.#operations[read](id, this.#withDefaultSecret(properties)),
		);
		return writeMessage([
			[1, found.id ?? ""],
			[2, sendOutputs(found.props ?? {})],
			[3, sendInputs(found.inputs ?? {})],
		]);
	}

	async delete({ urn, properties: sent, oldInputs, timeout }: ResourceRequest): Promise<Buffer> {
		const properties = this.#read(urn, sent, oldInputs);
		await this.#process.timed("delete", timeout, () => this.#operations.delete(properties));
		return writeMessage([]);
	}

	/** Failures for inputs with the names of meta inputs, which a program has not, and for values of other types than JSON has. */
	#refuse({ properties, unusable }: PlainProperties): readonly CheckFailure[] {
		const known = withoutMeta(properties);
		const { fields } = this.#definition.schema;
		const reason = unknownProperty(Object.keys(fields));
		return [
			...Object.keys(properties).flatMap((property) => (property in known ? [] : [{ property, reason }])),
			...unusable.map(({ name, what }) => ({ property: name, reason: `must not be or contain ${what}` })),
		];
	}

	/** The properties with what dynamic resources get from their class. `inputs` of the same state say what options make secret. */
	#read(urn: string, sent = noProperties, inputs = sent): Properties {
		const component = this.#context.parts.get(urn)?.component;
		return {
			...withoutMeta(sent.properties),
			...defined({
				resource: urn.split("::").slice(3).join("::"),
				resourceUrn: urn,
				partOf: component,
				secretInputs: this.#secretsIn(inputs),
			}),
		};
	}

	/** The inputs, whose organization is a secret if it is the default one and that is a secret. */
	#withDefaultSecret(inputs: Properties): Properties {
		const isDefault = inputs.organizationId === undefined && this.#context.secretNames().includes("organizationId");
		return isDefault ? { ...inputs, secretInputs: [...namesOfSecrets(inputs), "organizationId"].sort() } : inputs;
	}

	#secretsIn({ properties, secretNames }: PlainProperties): readonly string[] | undefined {
		// The inputs of a dynamic resource list them.
		const names = [...secretNames, ...namesOfSecrets(properties)];
		const found = Object.keys(this.#definition.schema.fields).filter((field) => names.includes(field));
		return found.length === 0 ? undefined : found.sort();
	}
}

/** Each output, from checked inputs: known, null if left out, or unknown, which only is what the service makes and nothing has yet. */
function previewOutputs(
	{ computed = [], identity, ...definition }: ResourceDefinition,
	inputs: Properties,
	olds: Properties = {},
): Properties {
	const made = [...identity, ...computed];
	const ofState = (name: string): unknown => (standInsIn(String(olds[name])).length > 0 ? undefined : olds[name]);
	const outputOf = (name: string): unknown => {
		if (!made.includes(name)) return inputs[name] ?? null;
		return inputs[name] ?? ofState(name) ?? unknownValue;
	};
	const outputs = outputNames({ ...definition, computed }).map((name) => [name, outputOf(name)]);
	return seal({ ...Object.fromEntries(outputs), secretInputs: inputs.secretInputs });
}

/**
 * The operation of a read with this state, as it was sent. An import sends nothing. A look-up (`.get`) sends what the program
 * knows of the object; a state has everything that identifies it, or says that it was looked up.
 */
function operationOfRead(
	{ schema, identity }: Pick<ResourceDefinition, "schema" | "identity">,
	inputs: object | undefined,
	state: Properties,
): keyof Pick<ResourceOperations, "read" | "lookUp" | "import"> {
	if (inputs === undefined && Object.keys(state).length === 0) return "import";
	const isState = "lookUp" in state || [...schema.required, ...identity].every((name) => name in state);
	return isState ? "read" : "lookUp";
}
