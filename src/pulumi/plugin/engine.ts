/** The engine that started the plugin, as far as the plugin calls it: its log. */
import { type Client, connectivityState, credentials, Metadata } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineMessages from "@pulumi/pulumi/proto/engine_pb.js";

const { LogRequest, LogSeverity } = engineMessages;

export type LogLevel = "info" | "warning";

export interface EngineLog {
	/** Shows a text, after those before it: beside the resource with this URN, if one is given. */
	print(level: LogLevel, text: string, resourceUrn?: string): void;
	/** Resolves once the engine has all texts, or cannot be reached. It shows no text of a resource that has ended. */
	flush(): Promise<void>;
	/** Resolves when the engine, which was there, is gone. */
	whenGone(): Promise<void>;
}

/** The largest message of the protocol: without a limit, as the engine has none. */
export const messageLimits = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

/** How long an engine may take to accept a new connection, in milliseconds. */
const reconnectMs = 2000;

/** An engine that does not answer must not hold up a resource. */
const logTimeoutMs = 5000;

/** The log of the engine at this address; without one, texts go to standard error. */
export function openLog(address: string | undefined): EngineLog {
	if (address === undefined) return noEngine;
	const client = new engineService.EngineClient(address, credentials.createInsecure(), messageLimits);
	let last: Promise<void> = Promise.resolve();
	/** Whether the engine answered. One that ends right after that must not be waited for. */
	let wasThere = false;
	const send = (request: InstanceType<typeof LogRequest>): Promise<void> =>
		new Promise((resolve) => {
			// What the log cannot show is no failure of a resource.
			client.log(request, new Metadata(), { deadline: Date.now() + logTimeoutMs }, (error) => {
				wasThere ||= error === null;
				resolve();
			});
		});
	return {
		print(level, text, resourceUrn = "") {
			const request = new LogRequest();
			request.setSeverity(level === "info" ? LogSeverity.INFO : LogSeverity.WARNING);
			request.setMessage(text);
			request.setUrn(resourceUrn);
			last = last.then(() => send(request));
		},
		flush: () => last,
		async whenGone() {
			if (!wasThere) await waitForReady(client, undefined);
			while (await leavesReady(client)) {
				if (!(await waitForReady(client, reconnectMs))) return;
			}
		},
	};
}

/** Texts go to standard error. */
export const noEngine: EngineLog = {
	print: (_level, text) => console.error(text),
	flush: async () => undefined,
	whenGone: () => new Promise(() => undefined),
};

/** Whether the client connects within this time; without one, it waits forever. */
function waitForReady(client: Client, timeoutMs: number | undefined): Promise<boolean> {
	const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
	return new Promise((resolve) => client.waitForReady(deadline, (error) => resolve(error === undefined)));
}

/** Resolves to true once the connection is closed, by the other side or because it was idle. */
function leavesReady(client: Client): Promise<boolean> {
	const { READY } = connectivityState;
	const channel = client.getChannel();
	// A watch sees only later changes.
	if (channel.getConnectivityState(false) !== READY) return Promise.resolve(true);
	return new Promise((resolve) => channel.watchConnectivityState(READY, Number.POSITIVE_INFINITY, () => resolve(true)));
}
