/** The calls of Pulumi's provider protocol that the plugin answers. */

import { type handleUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import pluginMessages from "@pulumi/pulumi/proto/plugin_pb.js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { pulumiSchemaFile, readSchemaText } from "../../schema/files.ts";
import { checkConfiguration, diffConfiguration } from "./configuration-calls.ts";
import type { PluginProvider } from "./provider.ts";
import type { ResourceCall, ResourceRequest } from "./resource-messages.ts";
import { Refusal, statusOf } from "./responses.ts";

export function handlersOf(provider: PluginProvider, version: string) {
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
