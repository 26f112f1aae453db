/** The plugin as a server of Pulumi's provider protocol, on loopback only. */
import { type handleUnaryCall, Server, ServerCredentials, type sendUnaryData, status } from "@grpc/grpc-js";
import pluginMessages from "@pulumi/pulumi/proto/plugin_pb.js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { pulumiSchemaFile, readSchemaText } from "../../schema.ts";
import { ResourceFailure } from "../failure.ts";
import { messageLimits } from "./engine.ts";
import { toStatus } from "./failure-status.ts";
import { PluginProvider } from "./provider.ts";

export interface Serving {
	readonly port: number;
	/** Ends the calls in progress and closes the port. */
	close(): void;
}

/** Serves a provider for the engine at this address. */
export function serve(engine: string | undefined, version: string): Promise<Serving> {
	const provider = new PluginProvider(engine);
	const server = new Server(messageLimits);
	server.addService(providerService.ResourceProviderService, handlersOf(provider, version));
	return new Promise((resolve, reject) => {
		server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
			error === null ? resolve({ port, close: () => server.forceShutdown() }) : reject(error),
		);
	});
}

function handlersOf(provider: PluginProvider, version: string) {
	return {
		handshake: answer(() => provider.handshake()),
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
		checkConfig: answer((request: Parameters<PluginProvider["checkConfig"]>[0]) => provider.checkConfig(request)),
		diffConfig: answer((request: Parameters<PluginProvider["diffConfig"]>[0]) => provider.diffConfig(request)),
		configure: answer((request: Parameters<PluginProvider["configure"]>[0]) => provider.configure(request)),
		check: ofResource(provider, "check"),
		diff: ofResource(provider, "diff"),
		create: ofResource(provider, "create"),
		update: ofResource(provider, "update"),
		read: ofResource(provider, "read"),
		delete: answer(async (request: { getUrn(): string }) => {
			await provider.resourceOf(request.getUrn()).delete(request as never);
			return new empty.Empty();
		}),
		construct: answer((request: Parameters<PluginProvider["construct"]>[0]) => provider.construct(request)),
		invoke: answer((request: Parameters<PluginProvider["invoke"]>[0]) => provider.invoke(request)),
		cancel: answer(() => {
			provider.cancel();
			return new empty.Empty();
		}),
	};
}

type ResourceCall = "check" | "diff" | "create" | "update" | "read";

function ofResource(provider: PluginProvider, call: ResourceCall) {
	return answer(
		(request: { getUrn(): string }) => provider.resourceOf(request.getUrn())[call](request as never) as Promise<object>,
	);
}

/** A handler of the protocol. A failure that is thrown on purpose becomes a message; a defect keeps its stack. */
function answer<Request>(respond: (request: Request) => object | Promise<object>): handleUnaryCall<Request, object> {
	return ({ request }, callback: sendUnaryData<object>) => {
		Promise.resolve()
			.then(() => respond(request))
			.then(
				(response) => callback(null, response),
				(error: unknown) => {
					if (error instanceof ResourceFailure) return callback(toStatus(error));
					const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
					return callback({ code: status.INTERNAL, details });
				},
			);
	};
}
