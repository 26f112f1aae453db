/** The calls of the engine about one resource, as messages of its protocol. */
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import type struct from "google-protobuf/google/protobuf/struct_pb.js";
import { unknownProperty } from "../inputs/input-schema.ts";
import { type CheckFailure, type Properties, withoutMeta, withoutUndefined } from "../inputs/inputs.ts";
import type { PropertyChange } from "../inputs/property-changes.ts";
import { namesOfSecrets } from "../inputs/secrets.ts";
import type { ResourceDefinition } from "../resources/resource.ts";
import { makeOperations, type ResourceOperations } from "../resources/resource-operations.ts";
import type { ProviderProcess } from "../session/provider-process.ts";
import type { GivenSettings, SettingName } from "../settings/settings.ts";
import { writeFailures } from "./check-failures.ts";
import type { ComponentParts } from "./component-parts.ts";
import { writeDiff } from "./diff-response.ts";
import { writeInputs, writeOutputs } from "./outputs.ts";
import { previewOutputs } from "./preview-outputs.ts";
import { operationOfRead } from "./read-purpose.ts";
import { readProperties } from "./values.ts";

const { CheckResponse, CreateResponse, ReadResponse, UpdateResponse } = providerMessages;

type Messages = typeof import("@pulumi/pulumi/proto/provider_pb.js");
type Message<Name extends keyof Messages> = InstanceType<Messages[Name]>;

/** What the resources get from their provider. */
interface ResourceContext {
	/** Resolves once the engine has configured the provider. */
	readonly given: () => Promise<GivenSettings>;
	/** Whether it has. */
	readonly isConfigured: () => boolean;
	/** The settings that are secrets. Known with `given`. */
	readonly secretNames: () => readonly SettingName[];
	readonly parts: ComponentParts;
}

/** What the protocol asks about a resource of one type; each is called with a request and returns the response. */
export class ResourceCalls {
	readonly #definition: ResourceDefinition;
	readonly #operations: ResourceOperations;
	readonly #process: ProviderProcess;
	readonly #parts: ComponentParts;

	readonly #secretSettings: () => readonly SettingName[];
	readonly #isConfigured: () => boolean;

	constructor(definition: ResourceDefinition, process: ProviderProcess, context: ResourceContext) {
		this.#definition = definition;
		this.#process = process;
		this.#parts = context.parts;
		this.#secretSettings = context.secretNames;
		this.#isConfigured = context.isConfigured;
		this.#operations = makeOperations(definition, process, context.given);
	}

	async check(request: Message<"CheckRequest">): Promise<Message<"CheckResponse">> {
		const urn = request.getUrn();
		const olds = request.getOlds() === undefined ? {} : this.#read(urn, request.getOlds());
		const news = this.#read(urn, request.getNews());
		const { inputs, failures } = await this.#operations.check(olds, this.#withDefaultSecret(news));
		const response = new CheckResponse();
		response.setInputs(writeInputs(inputs));
		response.setFailuresList(writeFailures([...this.#refuse(request.getNews()), ...failures], news));
		return response;
	}

	async diff(request: Message<"DiffRequest">): Promise<Message<"DiffResponse">> {
		const urn = request.getUrn();
		const olds = this.#read(urn, request.getOlds(), request.getOldInputs());
		const news = this.#read(urn, request.getNews());
		// Older engines send no old inputs.
		const oldInputs = request.getOldInputs();
		const found = this.#operations.diff(request.getId(), olds, news, {
			...(oldInputs === undefined ? {} : { oldInputs: this.#read(urn, oldInputs) }),
			due: [...adoptionOf(olds), ...this.#parts.driftOf(urn)],
		});
		if (found.replaces.length === 0 && this.#isConfigured()) await this.#operations.showUnfinished(olds, news);
		return writeDiff(found, this.#definition.identity);
	}

	async create(request: Message<"CreateRequest">): Promise<Message<"CreateResponse">> {
		const inputs = this.#read(request.getUrn(), request.getProperties());
		const response = new CreateResponse();
		if (request.getPreview()) {
			response.setProperties(writeOutputs(previewOutputs(this.#definition, inputs)));
			return response;
		}
		const create = () => this.#operations.create(inputs);
		const { id, outs } = await this.#process.timed("create", request.getTimeout(), create);
		response.setId(id);
		response.setProperties(writeOutputs(outs));
		return response;
	}

	async update(request: Message<"UpdateRequest">): Promise<Message<"UpdateResponse">> {
		const urn = request.getUrn();
		const news = this.#read(urn, request.getNews());
		const response = new UpdateResponse();
		if (request.getPreview()) {
			response.setProperties(writeOutputs(previewOutputs(this.#definition, news)));
			return response;
		}
		const olds = this.#read(urn, request.getOlds(), request.getOldInputs());
		const update = () => this.#operations.update(olds, news);
		const { outs } = await this.#process.timed("update", request.getTimeout(), update);
		response.setProperties(writeOutputs(outs));
		return response;
	}

	async read(request: Message<"ReadRequest">): Promise<Message<"ReadResponse">> {
		const inputsOfState = request.getInputs() ?? request.getProperties();
		const state = this.#read(request.getUrn(), request.getProperties(), inputsOfState);
		// Limits are in no output, and a refresh keeps them.
		const { limits } = readProperties(inputsOfState).properties;
		const properties = withoutUndefined({ limits, ...state });
		const read = operationOfRead(this.#definition, request.getInputs(), withoutMeta(properties));
		const {
			id = "",
			props = {},
			inputs = {},
		} = await this.#process.timed("read", request.getTimeout(), () =>
			this.#operations[read](request.getId(), this.#withDefaultSecret(properties)),
		);
		const response = new ReadResponse();
		response.setId(id);
		response.setProperties(writeOutputs(props));
		response.setInputs(writeInputs(inputs));
		return response;
	}

	async delete(request: Message<"DeleteRequest">): Promise<void> {
		const properties = this.#read(request.getUrn(), request.getProperties(), request.getOldInputs());
		await this.#process.timed("delete", request.getTimeout(), () => this.#operations.delete(properties));
	}

	/** Failures for inputs with the names of meta inputs, which a program has not, and for values of other types than JSON has. */
	#refuse(news: struct.Struct | undefined): readonly CheckFailure[] {
		const { properties, unusable } = readProperties(news);
		const known = withoutMeta(properties);
		const { fields } = this.#definition.schema;
		const reason = unknownProperty(Object.keys(fields));
		return [
			...Object.keys(properties).flatMap((property) => (property in known ? [] : [{ property, reason }])),
			...unusable.map(({ name, what }) => ({ property: name, reason: `must not be or contain ${what}` })),
		];
	}

	/**
	 * The properties with what the dynamic resources get from their class. `inputs` are those of the same state: its outputs also
	 * have secrets that only the options of the resource make secret.
	 */
	#read(urn: string, message: struct.Struct | undefined, inputs = message): Properties {
		const { properties } = readProperties(message);
		const component = this.#parts.componentOf(urn);
		return {
			...withoutMeta(properties),
			...withoutUndefined({
				resource: urn.split("::").slice(3).join("::"),
				resourceUrn: urn,
				partOf: component,
				secretInputs: this.#secretsIn(inputs),
			}),
		};
	}

	/** The inputs, whose organization is a secret if it is the default one and that is a secret. */
	#withDefaultSecret(inputs: Properties): Properties {
		const isDefault = inputs.organizationId === undefined && this.#secretSettings().includes("organizationId");
		return isDefault ? { ...inputs, secretInputs: [...namesOfSecrets(inputs), "organizationId"].sort() } : inputs;
	}

	#secretsIn(inputs: struct.Struct | undefined): readonly string[] | undefined {
		const { properties, secretNames } = readProperties(inputs);
		// The inputs of a dynamic resource list them.
		const names = [...secretNames, ...namesOfSecrets(properties)];
		const found = Object.keys(this.#definition.schema.fields).filter((field) => names.includes(field));
		return found.length === 0 ? undefined : found.sort();
	}
}

/** A state of a dynamic resource is written again, although nothing else has changed. */
function adoptionOf(olds: Properties): readonly PropertyChange[] {
	return "__provider" in olds ? [{ path: ["__provider"], kind: "delete" }] : [];
}
