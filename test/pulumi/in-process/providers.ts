/** The providers that an engine starts, in this process: the plugin behind its protocol, and the dynamic provider's class. */
import type { ServiceError } from "@grpc/grpc-js";
import type { dynamic } from "@pulumi/pulumi";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import statusMessages from "@pulumi/pulumi/proto/status_pb.js";
import { serve } from "../../../src/pulumi/plugin/server.ts";
import { connectTo, type PluginCall, readStruct, resourceAt, write } from "../plugin/plugin-client.ts";
import { type Values, withoutSecrets, withSecretsOf } from "./values.ts";

/** What a failed create or update leaves in the state. */
export class PartFailure extends Error {
	readonly id: string;
	readonly properties: Values;

	constructor(message: string, id: string, properties: Values) {
		super(message);
		this.id = id;
		this.properties = properties;
	}
}

export interface CheckFailure {
	readonly property: string;
	readonly reason: string;
}

export interface ProviderDiff {
	readonly changes: boolean;
	readonly replaces: readonly string[];
	/** The names or paths of what differs; empty where the provider does not say. */
	readonly names: readonly string[];
}

/** A provider as the engine asks it; each method is about the resource with the URN. */
export interface EngineProvider {
	/** Whether a preview asks it for the outputs of a create or update. */
	readonly supportsPreview: boolean;
	check(urn: string, olds: Values, news: Values): Promise<{ inputs: Values; failures: readonly CheckFailure[] }>;
	diff(urn: string, id: string, olds: Values, news: Values, oldInputs: Values): Promise<ProviderDiff>;
	create(urn: string, inputs: Values, isPreview: boolean): Promise<{ id: string; outputs: Values }>;
	update(urn: string, id: string, olds: Values, news: Values, isPreview: boolean): Promise<Values>;
	/** Undefined for an object that is gone. */
	read(
		urn: string,
		id: string,
		outputs: Values,
		inputs: Values,
	): Promise<{ outputs: Values; inputs: Values | undefined } | undefined>;
	delete(urn: string, id: string, outputs: Values): Promise<void>;
	construct(request: InstanceType<typeof providerMessages.ConstructRequest>): Promise<{ urn: string; outputs: Values }>;
	invoke(token: string, args: Values): Promise<{ result: Values; failures: readonly CheckFailure[] }>;
	/** As the engine does at its end, and at Ctrl-C. */
	close(): void;
}

export interface ProviderOptions {
	/** Where the engine listens. */
	readonly engine: string;
	readonly settings: Values;
	/** `URN::ID` of the provider's resource. */
	readonly urn: string;
	readonly id: string;
}

/** The plugin as in a process of its own. */
export async function startPluginProvider({ engine, settings, urn, id }: ProviderOptions): Promise<EngineProvider> {
	const { port, close } = await serve(engine, "1.2.3");
	const { call, end } = connectTo(port);
	const configure = new providerMessages.ConfigureRequest();
	configure.setUrn(urn);
	configure.setId(id);
	configure.setArgs(write(settings));
	await call("configure", configure);
	const at = (resource: string) => resourceAt(call, resource);
	return {
		supportsPreview: true,
		check: async (resource, olds, news) => {
			const { inputs, failures } = await at(resource).check(news, olds);
			return { inputs, failures: failures.map(readFailure) };
		},
		diff: async (resource, own, olds, news, oldInputs) => {
			const { changes, replaces, details, names } = await at(resource).diff(own, olds, news, oldInputs);
			return { changes, replaces, names: Object.keys(details).length > 0 ? Object.keys(details) : names };
		},
		create: (resource, inputs, isPreview) => withParts(at(resource).create(inputs, isPreview)),
		update: (resource, _own, olds, news, isPreview) => withParts(at(resource).update(olds, news, isPreview)),
		read: async (resource, own, outputs, inputs) => {
			const found = await withParts(at(resource).read(own, outputs, inputs));
			return found.id === "" ? undefined : { outputs: found.outputs, inputs: found.inputs };
		},
		delete: (resource, own, outputs) => withParts(at(resource).delete(own, outputs)),
		construct: (request) => construct(call, request),
		invoke: (token, args) => invoke(call, token, args),
		close() {
			end();
			close();
		},
	};
}

async function construct(
	call: PluginCall,
	request: InstanceType<typeof providerMessages.ConstructRequest>,
): Promise<{ urn: string; outputs: Values }> {
	const response = await withParts(call<InstanceType<typeof providerMessages.ConstructResponse>>("construct", request));
	return { urn: response.getUrn(), outputs: readStruct(response.getState()) };
}

async function invoke(call: PluginCall, token: string, args: Values) {
	const request = new providerMessages.InvokeRequest();
	request.setTok(token);
	request.setArgs(write(args));
	const response = await withParts(call<InstanceType<typeof providerMessages.InvokeResponse>>("invoke", request));
	const failures = response.getFailuresList().map((one) => ({
		property: one.getProperty(),
		reason: one.getReason(),
	}));
	return { result: readStruct(response.getReturn()), failures };
}

function readFailure(text: string): CheckFailure {
	const [property = ""] = text.split(": ", 1);
	return { property, reason: text.slice(property.length + 2) };
}

/** The result of a call; a failure as what the engine makes of it. */
async function withParts<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		const { details, metadata } = error as ServiceError;
		const [bytes] = metadata?.get("grpc-status-details-bin") ?? [];
		if (!(bytes instanceof Uint8Array)) throw new Error(details);
		const [detail] = statusMessages.Status.deserializeBinary(bytes).getDetailsList();
		if (detail === undefined) throw new Error(details);
		const failed = providerMessages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
		throw new PartFailure(
			failed.getReasonsList().join("\n") || details,
			failed.getId(),
			readStruct(failed.getProperties()),
		);
	}
}

/** A dynamic provider with the class of each resource: it gets plain values, and its outputs are secret where inputs are. */
export async function startDynamicProvider(
	providerOf: (name: string) => dynamic.ResourceProvider,
	{ settings }: Pick<ProviderOptions, "settings">,
): Promise<EngineProvider> {
	const plain = withoutSecrets(settings) as Values;
	const made = new Map<string, Promise<Required<dynamic.ResourceProvider>>>();
	const of = (urn: string): Promise<Required<dynamic.ResourceProvider>> => {
		const name = /dynamic\/orgsync:(\w+)::/.exec(urn)?.[1] ?? "";
		const known = made.get(name) ?? configured(name);
		made.set(name, known);
		return known;
	};
	const configured = async (name: string) => {
		const provider = providerOf(name) as Required<dynamic.ResourceProvider>;
		await provider.configure({ config: { get: (key: string) => plain[key] } } as unknown as dynamic.ConfigureRequest);
		return provider;
	};
	const keeping = (result: object | undefined, props: Values): Values => ({ ...result, __provider: props.__provider });
	return {
		supportsPreview: false,
		async check(urn, olds, news) {
			const { inputs, failures } = await (await of(urn)).check(plainOf(olds), plainOf(news));
			return { inputs: withSecretsOf(keeping(inputs, plainOf(news)), news), failures: failures ?? [] };
		},
		async diff(urn, id, olds, news) {
			const { changes, replaces } = await (await of(urn)).diff(id, plainOf(olds), plainOf(news));
			return { changes: changes === true, replaces: replaces ?? [], names: [] };
		},
		async create(urn, inputs) {
			const provider = await of(urn);
			const { id, outs } = await withKept(provider.create(plainOf(inputs)));
			return { id, outputs: withSecretsOf(keeping(outs, inputs), inputs) };
		},
		async update(urn, id, olds, news) {
			const provider = await of(urn);
			const { outs } = await withKept(provider.update(id, plainOf(olds), plainOf(news)));
			return withSecretsOf(keeping(outs, news), news);
		},
		async read(urn, id, outputs) {
			const {
				id: found,
				props,
				inputs,
			} = (await (await of(urn)).read(id, plainOf(outputs))) as dynamic.ReadResult & {
				readonly inputs?: Values;
			};
			if (found === undefined || found === "") return undefined;
			return {
				outputs: withSecretsOf(keeping(props, outputs), outputs),
				inputs: inputs === undefined ? undefined : keeping(inputs, outputs),
			};
		},
		delete: async (urn, id, outputs) => (await of(urn)).delete(id, plainOf(outputs)),
		construct: () => Promise.reject(new Error("a dynamic provider has no components")),
		invoke: () => Promise.reject(new Error("a dynamic provider has no functions")),
		close: () => undefined,
	};
}

const plainOf = (values: Values): Values => withoutSecrets(values) as Values;

async function withKept<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		const { message, id, properties } = error as { message: string; id?: string; properties?: Values };
		if (properties === undefined) throw error;
		throw new PartFailure(message, id ?? "", properties);
	}
}
