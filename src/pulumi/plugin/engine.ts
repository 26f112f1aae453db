/** The engine that started the plugin, as far as the plugin calls it: its log. */
import { credentials } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineMessages from "@pulumi/pulumi/proto/engine_pb.js";

const { LogRequest, LogSeverity } = engineMessages;

export type LogLevel = "info" | "warning";

export interface EngineLog {
	/** Shows a text: beside the resource with this URN, if one is given. A failed call is ignored. */
	print(level: LogLevel, text: string, resourceUrn?: string): void;
}

/** The largest message of the protocol: without a limit, as the engine has none. */
export const messageLimits = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

/** The log of the engine at this address; without one, lines go to standard error. */
export function openLog(address: string | undefined): EngineLog {
	if (address === undefined) return { print: (_level, text) => console.error(text) };
	const client = new engineService.EngineClient(address, credentials.createInsecure(), messageLimits);
	return {
		print(level, text, resourceUrn = "") {
			const request = new LogRequest();
			request.setSeverity(level === "info" ? LogSeverity.INFO : LogSeverity.WARNING);
			request.setMessage(text);
			request.setUrn(resourceUrn);
			client.log(request, () => undefined);
		},
	};
}
