/** The plugin as a server of Pulumi's provider protocol, on loopback only. */
import {
	type handleUnaryCall,
	Server,
	ServerCredentials,
	type ServiceDefinition,
	type sendUnaryData,
	status,
} from "@grpc/grpc-js";
import pluginMessages from "@pulumi/pulumi/proto/plugin_pb.js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { pulumiSchemaFile, readSchemaText } from "../../schema/files.ts";
import { checkConfiguration, diffConfiguration } from "./configuration-calls.ts";
import { messageLimits } from "./engine.ts";
import { Refusal, statusOf } from "./failure-status.ts";
import { PluginProvider } from "./provider.ts";
import { type ResourceCall, type ResourceRequest, readRequest, resourceCalls } from "./resource-messages.ts";

export interface Serving {
	readonly port: number;
	/** Ends the process with its engine. */
	endWithEngine(): void;
	/** Returns the text without the secrets of the program and its configuration. */
	redact(text: string): string;
	/** Ends the calls in progress and closes the port. */
	close(): void;
}

/** Serves a provider for the engine at this address. */
export function serve(engine: string | undefined, version: string): Promise<Serving> {
	const provider = new PluginProvider(engine);
	const server = new Server(messageLimits);
	server.addService(serviceOf(providerService.ResourceProviderService), handlersOf(provider, version));
	return new Promise((resolve, reject) => {
		server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
			error === null
				? resolve({
						port,
						close: () => {
							server.forceShutdown();
							provider.close();
						},
						endWithEngine: () => provider.endWithEngine(),
						redact: (text) => provider.redact(text),
					})
				: reject(error),
		);
	});
}

/** The service with calls about a resource whose messages are plain values and bytes. */
function serviceOf(service: ServiceDefinition): ServiceDefinition {
	const calls = resourceCalls.map((call) => {
		const requestDeserialize = (bytes: Buffer) => readRequest(call, bytes);
		return [call, { ...service[call], requestDeserialize, responseSerialize: (bytes: Buffer) => bytes }];
	});
	return { ...service, ...Object.fromEntries(calls) };
}

/** The server refuses a call without a handler with the status `UNIMPLEMENTED`. */
function handlersOf(provider: PluginProvider, version: string) {
	const answer = answering(provider);
	const ofResource = (call: ResourceCall) =>
		answer((request: ResourceRequest) => provider.about(request.urn, (resource) => resource[call](request)));
	const refuse = (message: string) =>
		answer(() => {
			throw new Refusal(status.UNIMPLEMENTED, message);
		});
	return {
		handshake: answer((request: Parameters<PluginProvider["handshake"]>[0]) => provider.handshake(request)),
		attach: answer((request: { getAddress(): string }) => {
			provider.attach(request.getAddress());
			return new empty.Empty();
		}),
		getPluginInfo: answer(() => {
			const info = new pluginMessages.PluginInfo();
			info.setVersion(version);
			return info;
		}),
		getSchema: answer(() => {
			const response = new providerMessages.GetSchemaResponse();
			response.setSchema(readSchemaText(pulumiSchemaFile));
			return response;
		}),
		checkConfig: answer(checkConfiguration),
		diffConfig: answer(diffConfiguration),
		configure: answer((request: Parameters<PluginProvider["configure"]>[0]) => provider.configure(request)),
		check: ofResource("check"),
		diff: ofResource("diff"),
		create: ofResource("create"),
		update: ofResource("update"),
		read: ofResource("read"),
		delete: ofResource("delete"),
		construct: answer((request: Parameters<PluginProvider["construct"]>[0]) => provider.construct(request)),
		invoke: answer((request: Parameters<PluginProvider["invoke"]>[0]) => provider.invoke(request)),
		call: refuse("the resources of orgsync have no methods"),
		parameterize: refuse("the orgsync plugin has no parameters"),
		getMapping: answer(() => new providerMessages.GetMappingResponse()),
		getMappings: answer(() => new providerMessages.GetMappingsResponse()),
		cancel: answer(() => {
			provider.cancel();
			return new empty.Empty();
		}),
	};
}

/** A handler of the protocol. It responds after what was printed: the engine shows no text of a resource that has ended. */
function answering(provider: PluginProvider) {
	return <Request>(respond: (request: Request) => object | Promise<object>): handleUnaryCall<Request, object> =>
		async ({ request }, callback: sendUnaryData<object>) => {
			try {
				const response = await respond(request);
				await provider.flush();
				callback(null, response);
			} catch (error) {
				await provider.flush();
				callback(statusOf(error, (text) => provider.redact(text)));
			}
		};
}
