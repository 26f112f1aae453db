/** The calls of the engine about one resource, as messages of its protocol. */
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import type struct from "google-protobuf/google/protobuf/struct_pb.js";
import { hasUnknown, type Properties, withoutMeta } from "../inputs.ts";
import type { ProviderProcess } from "../provider-process.ts";
import type { ResourceDefinition } from "../resource.ts";
import { makeOperations, type ResourceOperations } from "../resource-operations.ts";
import type { GivenSettings } from "../settings.ts";
import type { DriftedParts } from "./drifted-parts.ts";
import { operationOfRead } from "./read-purpose.ts";
import { type PlainProperties, readProperties, writeProperties } from "./values.ts";

const { CheckFailure, CheckResponse, CreateResponse, DiffResponse, ReadResponse, UpdateResponse } = providerMessages;

type Messages = typeof import("@pulumi/pulumi/proto/provider_pb.js");
type Message<Name extends keyof Messages> = InstanceType<Messages[Name]>;

/** What the protocol asks about a resource of one type; each is called with a request and returns the response. */
export class ResourceCalls {
	readonly #definition: ResourceDefinition;
	readonly #operations: ResourceOperations;
	readonly #drifted: DriftedParts;

	constructor(
		definition: ResourceDefinition,
		process: ProviderProcess,
		settings: () => Promise<GivenSettings>,
		drifted: DriftedParts,
	) {
		this.#definition = definition;
		this.#drifted = drifted;
		this.#operations = makeOperations(definition, process, settings);
	}

	async check(request: Message<"CheckRequest">): Promise<Message<"CheckResponse">> {
		const urn = request.getUrn();
		const olds = request.getOlds() === undefined ? {} : this.#read(urn, request.getOlds());
		const { inputs, failures } = await this.#operations.check(olds, this.#read(urn, request.getNews()));
		const response = new CheckResponse();
		response.setInputs(this.#write(inputs));
		response.setFailuresList(
			failures.map(({ property, reason }) => {
				const failure = new CheckFailure();
				failure.setProperty(property);
				failure.setReason(reason);
				return failure;
			}),
		);
		return response;
	}

	async diff(request: Message<"DiffRequest">): Promise<Message<"DiffResponse">> {
		const urn = request.getUrn();
		const olds = this.#read(urn, request.getOlds());
		const drift = this.#drifted.find(urn);
		const news = { ...this.#read(urn, request.getNews()), ...(drift === undefined ? {} : { outOfSync: true }) };
		const { changes, replaces } = this.#operations.diff(request.getId(), olds, news);
		const response = new DiffResponse();
		response.setChanges(changes ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE);
		response.setReplacesList([...replaces]);
		return response;
	}

	async create(request: Message<"CreateRequest">): Promise<Message<"CreateResponse">> {
		const inputs = this.#read(request.getUrn(), request.getProperties());
		const response = new CreateResponse();
		if (request.getPreview()) {
			response.setProperties(this.#write(inputs));
			return response;
		}
		const { id, outs } = await this.#operations.create(inputs);
		response.setId(id);
		response.setProperties(this.#write(outs));
		return response;
	}

	async update(request: Message<"UpdateRequest">): Promise<Message<"UpdateResponse">> {
		const urn = request.getUrn();
		const news = this.#read(urn, request.getNews());
		const response = new UpdateResponse();
		if (request.getPreview()) {
			response.setProperties(this.#write(news));
			return response;
		}
		const { outs } = await this.#operations.update(this.#read(urn, request.getOlds()), news);
		response.setProperties(this.#write(outs));
		return response;
	}

	async read(request: Message<"ReadRequest">): Promise<Message<"ReadResponse">> {
		const properties = this.#read(request.getUrn(), request.getProperties());
		const read = operationOfRead(this.#definition, request.getInputs(), withoutMeta(properties));
		const { id = "", props = {}, inputs = {} } = await this.#operations[read](request.getId(), properties);
		const response = new ReadResponse();
		response.setId(id);
		response.setProperties(this.#write(props));
		response.setInputs(this.#write(inputs));
		return response;
	}

	async delete(request: Message<"DeleteRequest">): Promise<void> {
		await this.#operations.delete(this.#read(request.getUrn(), request.getProperties()));
	}

	/** The properties with what the dynamic resources get from their class. */
	#read(urn: string, message: struct.Struct | undefined): Properties {
		return withMeta(urn, readProperties(message), Object.keys(this.#definition.schema.fields));
	}

	#write(properties: object): struct.Struct {
		return writeProperties(withoutMeta({ ...properties }));
	}
}

const component = "orgsync:index:Organization";

function withMeta(urn: string, { properties, secretNames }: PlainProperties, fields: readonly string[]): Properties {
	const [, , types = "", ...name] = urn.split("::");
	const secretInputs = secretNames.filter((one) => fields.includes(one) && !hasUnknown(properties[one]));
	const isPart = types.split("$").at(-2) === component;
	return {
		...properties,
		resource: name.join("::"),
		resourceUrn: urn,
		...(isPart ? { partOf: component } : {}),
		...(secretInputs.length === 0 ? {} : { secretInputs }),
	};
}
