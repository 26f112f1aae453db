/** The plugin's server in this process, asked as an engine asks it: a client of its protocol, with plain values. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { onTestFinished } from "vitest";
import { serve } from "../../../src/pulumi/plugin/server.ts";
import { keys, organizationId, type World } from "../../world.ts";

type Messages = typeof providerMessages;
type Values = Readonly<Record<string, unknown>>;
/** A property difference by its path: what the engine shows. */
type Details = Readonly<Record<string, string>>;

/** Pulumi's placeholder for an unknown value. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A secret as the engine sends it. */
export function secret(value: unknown): object {
	return { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value };
}

const urnOf = (type: string, name: string): string => `urn:pulumi:test::probe::orgsync:index:${type}::${name}`;

export interface Diff {
	readonly changes: boolean;
	readonly replaces: readonly string[];
	readonly stables: readonly string[];
	readonly names: readonly string[];
	readonly details: Details;
}

/** A resource of the program, as the engine knows it. `timeout` is that of its `customTimeouts`, in seconds. */
export interface PluginResource {
	check(news: Values, olds?: Values): Promise<{ inputs: Values; failures: readonly string[] }>;
	diff(id: string, olds: Values, news: Values, oldInputs?: Values): Promise<Diff>;
	create(inputs: Values, isPreview?: boolean, timeout?: number): Promise<{ id: string; outputs: Values }>;
	update(olds: Values, news: Values, isPreview?: boolean, timeout?: number): Promise<Values>;
	read(
		id: string,
		properties: Values,
		inputs?: Values,
		timeout?: number,
	): Promise<{ id: string; outputs: Values; inputs: Values }>;
	delete(id: string, properties: Values, timeout?: number): Promise<void>;
}

export interface Plugin {
	resource(type: string, name: string): PluginResource;
	readonly call: PluginCall;
}

/** A plugin that no one has configured. */
export async function startPlugin(engine?: string): Promise<Plugin> {
	const { port, close } = await serve(engine, "1.2.3");
	onTestFinished(removeClaims);
	onTestFinished(close);
	return connectPlugin(port);
}

/** Removes the claims of this process, which a plugin removes when its process ends. */
function removeClaims(): void {
	for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith("orgsync-claims-"))) {
		const file = join(tmpdir(), name);
		if (readFileSync(file, "utf8").includes(`"by":"${process.pid}.`)) rmSync(file, { force: true });
	}
}

/** Calls a method of the protocol; rejects with the status of a failure. */
export type PluginCall = <Response = unknown>(method: string, request: object) => Promise<Response>;

/** A plugin that serves this port. */
export function connectPlugin(port: number): Plugin {
	const { call, end } = connectTo(port);
	onTestFinished(end);
	return { call, resource: (type, name) => resourceAt(call, urnOf(type, name)) };
}

/** A connection to a provider that serves this port. */
export function connectTo(port: number): { readonly call: PluginCall; readonly end: () => void } {
	const client = new providerService.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
	const methods = client as unknown as Record<
		string,
		(request: object, done: (error: ServiceError | null, response: unknown) => void) => void
	>;
	const call = <Response>(method: string, request: object): Promise<Response> =>
		new Promise((resolve, reject) => {
			methods[method]?.call(client, request, (error, response) =>
				error === null ? resolve(response as Response) : reject(error),
			);
		});
	return { call, end: () => client.close() };
}

/** A plugin with alice's key for the world's organization. */
export async function configuredPlugin(world: World, settings: Values = {}, engine?: string): Promise<Plugin> {
	const plugin = await startPlugin(engine);
	await configureFor(plugin, world, settings);
	return plugin;
}

export async function configureFor(plugin: Plugin, world: Pick<World, "url">, settings: Values = {}): Promise<void> {
	const request = new providerMessages.ConfigureRequest();
	request.setUrn("urn:pulumi:test::probe::pulumi:providers:orgsync::default");
	request.setId("1");
	const defaults = {
		url: world.url,
		organizationId,
		apiPrivateKey: secret(keys.alice.privateKey),
		journal: ":memory:",
	};
	request.setArgs(write({ ...defaults, ...settings }));
	await plugin.call("configure", request);
}

export function write(values: Values): struct.Struct {
	return struct.Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));
}

export function readStruct(message: struct.Struct | undefined): Values {
	return (message?.toJavaScript() ?? {}) as Values;
}

/** The resource with this URN, of the provider behind the calls. */
export function resourceAt(call: PluginCall, urn: string): PluginResource {
	return {
		async check(news, olds = {}) {
			const request = new providerMessages.CheckRequest();
			request.setUrn(urn);
			request.setOlds(write(olds));
			request.setNews(write(news));
			const response = await call<InstanceType<Messages["CheckResponse"]>>("check", request);
			const failures = response.getFailuresList().map((one) => `${one.getProperty()}: ${one.getReason()}`);
			return { inputs: readStruct(response.getInputs()), failures };
		},
		async diff(id, olds, news, oldInputs = news) {
			const request = new providerMessages.DiffRequest();
			request.setId(id);
			request.setUrn(urn);
			request.setOlds(write(olds));
			request.setNews(write(news));
			request.setOldInputs(write(oldInputs));
			return readDiff(await call("diff", request));
		},
		async create(inputs, isPreview = false, timeout = 0) {
			const request = new providerMessages.CreateRequest();
			request.setUrn(urn);
			request.setProperties(write(inputs));
			request.setPreview(isPreview);
			request.setTimeout(timeout);
			const response = await call<InstanceType<Messages["CreateResponse"]>>("create", request);
			return { id: response.getId(), outputs: readStruct(response.getProperties()) };
		},
		async update(olds, news, isPreview = false, timeout = 0) {
			const request = new providerMessages.UpdateRequest();
			request.setUrn(urn);
			request.setOlds(write(olds));
			request.setNews(write(news));
			request.setPreview(isPreview);
			request.setTimeout(timeout);
			return readStruct((await call<InstanceType<Messages["UpdateResponse"]>>("update", request)).getProperties());
		},
		async read(id, properties, inputs, timeout = 0) {
			const request = new providerMessages.ReadRequest();
			request.setTimeout(timeout);
			request.setId(id);
			request.setUrn(urn);
			request.setProperties(write(properties));
			if (inputs !== undefined) request.setInputs(write(inputs));
			const response = await call<InstanceType<Messages["ReadResponse"]>>("read", request);
			return {
				id: response.getId(),
				outputs: readStruct(response.getProperties()),
				inputs: readStruct(response.getInputs()),
			};
		},
		async delete(id, properties, timeout = 0) {
			const request = new providerMessages.DeleteRequest();
			request.setTimeout(timeout);
			request.setId(id);
			request.setUrn(urn);
			request.setProperties(write(properties));
			await call("delete", request);
		},
	};
}

const kinds = ["ADD", "ADD_REPLACE", "DELETE", "DELETE_REPLACE", "UPDATE", "UPDATE_REPLACE"];

export function readDiff(response: InstanceType<Messages["DiffResponse"]>): Diff {
	const details: Record<string, string> = {};
	response.getDetaileddiffMap().forEach((found, path) => {
		details[path] = `${kinds[found.getKind()]}${found.getInputdiff() ? " of inputs" : ""}`;
	});
	return {
		changes: response.getChanges() === providerMessages.DiffResponse.DiffChanges.DIFF_SOME,
		replaces: response.getReplacesList(),
		stables: response.getStablesList(),
		names: response.getDiffsList(),
		details,
	};
}
