/** A plugin that serves orgsync's schema and does nothing: what Pulumi and its protocol cost with any plugin in Node. */
import { readFileSync } from "node:fs";
import { type handleUnaryCall, Server, ServerCredentials } from "@grpc/grpc-js";
import pluginMessages from "@pulumi/pulumi/proto/plugin_pb.js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

function answer<Request>(respond: (request: Request) => object): handleUnaryCall<Request, object> {
	return ({ request }, callback) => callback(null, respond(request));
}

type Message<Name extends keyof typeof messages> = InstanceType<(typeof messages)[Name]>;

/** The struct with what a check of a tag adds. */
function withDefaults(news: struct.Struct | undefined): struct.Struct {
	return struct.Struct.fromJavaScript({ ...news?.toJavaScript(), onDestroy: "keep", tagId: "0" });
}

const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
server.addService(providerService.ResourceProviderService, {
	handshake: answer(() => {
		const response = new messages.ProviderHandshakeResponse();
		response.setAcceptSecrets(true);
		return response;
	}),
	getPluginInfo: answer(() => {
		const response = new pluginMessages.PluginInfo();
		response.setVersion("0.1.0");
		return response;
	}),
	getSchema: answer(() => {
		const response = new messages.GetSchemaResponse();
		response.setSchema(readFileSync(new URL("pulumi.json", import.meta.url), "utf8"));
		return response;
	}),
	checkConfig: answer((request: Message<"CheckRequest">) => {
		const response = new messages.CheckResponse();
		response.setInputs(request.getNews());
		return response;
	}),
	diffConfig: answer(() => new messages.DiffResponse()),
	configure: answer(() => {
		const response = new messages.ConfigureResponse();
		response.setAcceptsecrets(true);
		response.setSupportspreview(true);
		return response;
	}),
	check: answer((request: Message<"CheckRequest">) => {
		const response = new messages.CheckResponse();
		response.setInputs(withDefaults(request.getNews()));
		return response;
	}),
	diff: answer(() => {
		const response = new messages.DiffResponse();
		response.setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE);
		return response;
	}),
	create: answer((request: Message<"CreateRequest">) => {
		const response = new messages.CreateResponse();
		if (!request.getPreview()) response.setId(request.getUrn());
		response.setProperties(withDefaults(request.getProperties()));
		return response;
	}),
	cancel: answer(() => new empty.Empty()),
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
	if (error !== null) throw error;
	process.stdout.write(`${port}\n`);
});
process.on("SIGINT", () => process.exit(0));
