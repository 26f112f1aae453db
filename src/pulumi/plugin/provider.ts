/** The provider of one process: its settings, its resources by type, and what the engine asks about the provider itself. */
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import { ResourceFailure } from "../failure.ts";
import { organizationRefusal } from "../import-id.ts";
import { ProviderProcess } from "../provider-process.ts";
import { resources } from "../resources.ts";
import { configurationNamespace, type GivenSettings, settingNames } from "../settings.ts";
import { construct } from "./component-call.ts";
import { ComponentParts } from "./component-parts.ts";
import { type EngineLog, openLog } from "./engine.ts";
import { invoke } from "./function-calls.ts";
import { ResourceCalls } from "./resource-calls.ts";
import { readProperties } from "./values.ts";

const { CheckResponse, ConfigureResponse, DiffResponse, ProviderHandshakeResponse } = providerMessages;

type Messages = typeof import("@pulumi/pulumi/proto/provider_pb.js");
type Message<Name extends keyof Messages> = InstanceType<Messages[Name]>;

/** The provider of an engine at this address; undefined if no engine started it. */
export class PluginProvider {
	readonly #process: ProviderProcess;
	readonly #configured = Promise.withResolvers<GivenSettings>();
	readonly #resources: ReadonlyMap<string, ResourceCalls>;
	/** What the components of this process registered. */
	readonly parts = new ComponentParts();
	readonly #log: EngineLog;
	/** `URN::ID`, by which the engine finds this provider; undefined for an engine that does not say. */
	#reference: string | undefined;

	constructor(engine: string | undefined) {
		const log = openLog(engine);
		this.#log = log;
		this.#process = new ProviderProcess({ engine, print: (line, urn) => log.print("info", line, urn) });
		// The engine asks some processes for the schema alone, which need no session.
		if (engine !== undefined) this.#process.endWithEngine();
		this.#resources = new Map(
			resources.map((definition) => [
				`${configurationNamespace}:index:${definition.name}`,
				new ResourceCalls(definition, this.#process, () => this.#configured.promise, this.parts),
			]),
		);
	}

	handshake(): Message<"ProviderHandshakeResponse"> {
		const response = new ProviderHandshakeResponse();
		response.setAcceptSecrets(true);
		return response;
	}

	checkConfig(request: Message<"CheckRequest">): Message<"CheckResponse"> {
		const response = new CheckResponse();
		response.setInputs(request.getNews());
		return response;
	}

	diffConfig(_request: Message<"DiffRequest">): Message<"DiffResponse"> {
		return new DiffResponse();
	}

	configure(request: Message<"ConfigureRequest">): Message<"ConfigureResponse"> {
		this.#reference = request.hasUrn() && request.hasId() ? `${request.getUrn()}::${request.getId()}` : undefined;
		const { properties } = readProperties(request.getArgs());
		const given = settingNames.flatMap((name) => {
			const value = properties[name];
			return typeof value === "string" && value !== "" ? [[name, value]] : [];
		});
		this.#configured.resolve(Object.fromEntries(given) as GivenSettings);
		const response = new ConfigureResponse();
		response.setAcceptsecrets(true);
		response.setSupportspreview(true);
		return response;
	}

	/** The calls about the resource with this URN. Throws an error that names an unknown type. */
	resourceOf(urn: string): ResourceCalls {
		const type = urn.split("::", 3)[2]?.split("$").at(-1) ?? "";
		// Only an import or a look-up calls a component as if it were a resource.
		if (type === `${configurationNamespace}:index:Organization`) throw new ResourceFailure(organizationRefusal);
		const found = this.#resources.get(type);
		if (found === undefined) throw new Error(`unknown resource type ${type}`);
		return found;
	}

	construct(request: Message<"ConstructRequest">): Promise<Message<"ConstructResponse">> {
		return construct(request, {
			process: this.#process,
			log: this.#log,
			settings: () => this.#configured.promise,
			provider: () => this.#reference,
			parts: this.parts,
		});
	}

	invoke(request: Message<"InvokeRequest">): Promise<Message<"InvokeResponse">> {
		return invoke(request, this.#process, () => this.#configured.promise);
	}

	cancel(): void {
		this.#process.interrupt();
	}
}
