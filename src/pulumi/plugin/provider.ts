/** The provider of one process: its settings, its resources by type, and what the engine asks about the provider itself. */

import { AsyncLocalStorage } from "node:async_hooks";
import { status } from "@grpc/grpc-js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import { showText } from "../../common/escape.ts";
import { callFunction } from "../functions/queries.ts";
import { organizationRefusal } from "../inputs/import-id.ts";
import { markSecret, namesOfSecrets } from "../inputs/secrets.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { withoutSecrets } from "../resources/resource-operations.ts";
import { resources } from "../resources/resources.ts";
import { ProviderProcess } from "../session/provider-process.ts";
import { configurationNamespace, type GivenSettings, type SettingName } from "../settings/settings.ts";
import { construct } from "./component-call.ts";
import { readConfiguration } from "./configuration-calls.ts";
import { type EngineLog, noEngine, openLog } from "./engine.ts";
import { type ComponentParts, ResourceCalls } from "./resource-calls.ts";
import { Refusal } from "./responses.ts";
import { readArguments, writeProperties } from "./values.ts";

const { ConfigureResponse, ProviderHandshakeResponse } = providerMessages;

type Messages = typeof import("@pulumi/pulumi/proto/provider_pb.js");
type Message<Name extends keyof Messages> = InstanceType<Messages[Name]>;

/** The provider of an engine at this address; undefined if no engine started it. */
export class PluginProvider {
	readonly #process: ProviderProcess;
	readonly #configured = Promise.withResolvers<GivenSettings>();
	#isConfigured = false;
	readonly #resources: ReadonlyMap<string, ResourceCalls>;
	readonly #parts: ComponentParts = new Map();
	/** The URN of the resource that a call is about. */
	readonly #current = new AsyncLocalStorage<string>();
	#log: EngineLog;
	#secretSettings: readonly SettingName[] = [];
	/** `URN::ID`, by which the engine finds this provider; undefined for an engine that does not say. */
	#reference: string | undefined;

	constructor(engine: string | undefined) {
		this.#log = openLog(engine);
		this.#process = new ProviderProcess({ engine, print: (line, urn) => this.#print(line, urn) });
		this.#resources = new Map(
			resources.map((definition) => [
				`${configurationNamespace}:index:${definition.name}`,
				new ResourceCalls(definition, this.#process, {
					given: () => this.#configured.promise,
					isConfigured: () => this.#isConfigured,
					secretNames: () => this.#secretSettings,
					parts: this.#parts,
				}),
			]),
		);
	}

	handshake(request: Message<"ProviderHandshakeRequest">): Message<"ProviderHandshakeResponse"> {
		this.attach(request.getEngineAddress());
		const response = new ProviderHandshakeResponse();
		response.setAcceptSecrets(true);
		return response;
	}

	/** Uses the log of the engine at this address, if no engine started this process: a person did, to debug it. */
	attach(engine: string): void {
		if (this.#log === noEngine && engine !== "") this.#log = openLog(engine);
	}

	configure(request: Message<"ConfigureRequest">): Message<"ConfigureResponse"> {
		this.#reference = request.hasUrn() && request.hasId() ? `${request.getUrn()}::${request.getId()}` : undefined;
		const { given, secretNames } = readConfiguration(request);
		this.#process.secrets.add(secretNames.flatMap((name) => given[name] ?? []));
		this.#secretSettings = secretNames;
		this.#configured.resolve(given);
		this.#isConfigured = true;
		const response = new ConfigureResponse();
		response.setAcceptsecrets(true);
		response.setSupportspreview(true);
		return response;
	}

	/** Returns the result of a call about the resource with this URN; what the call prints is shown beside the resource. */
	async about<T>(urn: string, call: (resource: ResourceCalls) => T): Promise<Awaited<T>> {
		const resource = this.resourceOf(urn);
		return await this.#current.run(urn, () => call(resource));
	}

	/** Withdraws the claims of this process. */
	close(): void {
		this.#process.close();
	}

	/** Ends this process with its engine. */
	endWithEngine(): void {
		this.#process.endWithEngine(() => this.#log.whenGone());
	}

	/** Resolves once the engine has what was printed. */
	flush(): Promise<void> {
		return this.#log.flush();
	}

	redact(text: string): string {
		return this.#process.secrets.redact(text);
	}

	#print(line: string, urn: string | undefined): void {
		const text = line.replace(/^warning: /, "");
		this.#log.print(text === line ? "info" : "warning", text, urn ?? this.#current.getStore());
	}

	/** The calls about the resource with this URN. Throws Refusal for an unknown type. */
	resourceOf(urn: string): ResourceCalls {
		const type = urn.split("::", 3)[2]?.split("$").at(-1) ?? "";
		// Only an import or a look-up calls a component as if it were a resource.
		if (type === `${configurationNamespace}:index:Organization`) throw new ResourceFailure(organizationRefusal);
		const found = this.#resources.get(type);
		if (found === undefined) throw new Refusal(status.NOT_FOUND, `orgsync has no resource type \`${showText(type)}\``);
		return found;
	}

	construct(request: Message<"ConstructRequest">): Promise<Message<"ConstructResponse">> {
		return construct(request, {
			process: this.#process,
			log: this.#log,
			settings: () => this.#configured.promise,
			provider: () => this.#reference,
			parts: this.#parts,
		});
	}

	invoke(request: Message<"InvokeRequest">): Promise<Message<"InvokeResponse">> {
		return invoke(request, this.#process, () => this.#configured.promise);
	}

	cancel(): void {
		this.#process.interrupt();
	}
}

/** Calls the function. The result is a secret if an argument is. Throws ResourceFailure. */
function invoke(
	request: Message<"InvokeRequest">,
	process: ProviderProcess,
	settings: () => Promise<GivenSettings>,
): Promise<Message<"InvokeResponse">> {
	return withoutSecrets(process, async () => {
		const args = readArguments(request.getArgs(), process);
		const isSecret = namesOfSecrets(args).length > 0;
		const name = request.getTok().replace(`${configurationNamespace}:index:`, "");
		const answer = await callFunction(name, args, process.sessionFor(await settings()));
		if (answer === undefined) throw new ResourceFailure(`unknown function ${request.getTok()}`);
		const response = new providerMessages.InvokeResponse();
		if ("result" in answer) {
			const result = Object.entries(answer.result).filter(([, value]) => value !== undefined);
			const sealed = result.map(([field, value]) => [field, isSecret ? markSecret(value) : value]);
			response.setReturn(writeProperties(Object.fromEntries(sealed)));
			return response;
		}
		for (const { property, reason } of answer.failures) {
			const failure = new providerMessages.CheckFailure();
			failure.setProperty(property);
			failure.setReason(process.secrets.redact(reason));
			response.addFailures(failure);
		}
		return response;
	});
}
