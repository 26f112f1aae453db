/** The plugin as a server of Pulumi's provider protocol, on loopback only. */
import { type handleUnaryCall, Server, ServerCredentials, type ServiceDefinition, status } from "@grpc/grpc-js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { messageLimits } from "./engine.ts";
import type { PluginProvider } from "./provider.ts";
import { readRequest, resourceCalls } from "./resource-messages.ts";

/** Serves a provider for the engine at this address. What answers is loaded when the engine has the port: it connects meanwhile. */
export async function serve(engine: string | undefined, version: string) {
	const server = new Server(messageLimits);
	let provider: PluginProvider | undefined;
	const load = async () => {
		const { PluginProvider } = await import("./provider.ts");
		const { handlersOf } = await import("./handlers.ts");
		provider = new PluginProvider(engine);
		const handlers = new Map<string, handleUnaryCall<never, object>>(Object.entries(handlersOf(provider, version)));
		return { provider, handlers };
	};
	let loading: ReturnType<typeof load> | undefined;
	const loaded = () => (loading ??= load());
	const service = serviceOf(providerService.ResourceProviderService);
	const unary = Object.keys(service).filter((name) => service[name]?.responseStream === false);
	const handlerOf =
		(name: string): handleUnaryCall<object, object> =>
		async (call, callback) => {
			const handler = (await loaded()).handlers.get(name);
			if (handler !== undefined) handler(call as never, callback);
			else callback({ code: status.UNIMPLEMENTED, details: `orgsync does not implement ${name}` });
		};
	server.addService(service, Object.fromEntries(unary.map((name) => [name, handlerOf(name)])));
	const port = await new Promise<number>((resolve, reject) => {
		server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
			error === null ? resolve(bound) : reject(error),
		);
	});
	return {
		port,
		/** Ends the calls in progress and closes the port. */
		close: (): void => {
			server.forceShutdown();
			provider?.close();
		},
		/** Ends the process with its engine, once what answers is loaded. */
		endWithEngine: async () => (await loaded()).provider.endWithEngine(),
		/** Returns the text without the secrets of the program and its configuration. */
		redact: (text: string): string => provider?.redact(text) ?? text,
	};
}

/** The service with calls about a resource whose messages are plain values and bytes. */
function serviceOf(service: ServiceDefinition): ServiceDefinition {
	const calls = resourceCalls.map((call) => {
		const requestDeserialize = (bytes: Buffer) => readRequest(call, bytes);
		return [call, { ...service[call], requestDeserialize, responseSerialize: (bytes: Buffer) => bytes }];
	});
	return { ...service, ...Object.fromEntries(calls) };
}
