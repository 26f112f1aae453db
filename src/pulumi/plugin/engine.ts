/** The engine that started the plugin, as far as the plugin calls it: its log. */
import { setTimeout } from "node:timers/promises";
import { type ChannelInterface, type Client, connectivityState, credentials } from "@grpc/grpc-js";
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

/** How long an engine may take to accept a connection, in milliseconds. */
const connectMs = 2000;

/** How long a change of the connection is waited for before its state is read again, in milliseconds. */
const watchMs = 2000;

/** How long an engine that does not answer may hold up a resource, in milliseconds. */
const maxWaitMs = 5000;

/** In how many parts a wait is counted: while the machine lets nothing of this process run, at most one of them passes. */
const waitParts = 50;

/** The log of the engine at this address; without one, texts go to standard error. */
export function openLog(address: string | undefined, waitMs = maxWaitMs): EngineLog {
	if (address === undefined) return noEngine;
	const client = new engineService.EngineClient(address, credentials.createInsecure(), messageLimits);
	let last: Promise<void> = Promise.resolve();
	const send = async (request: InstanceType<typeof LogRequest>): Promise<void> => {
		const { promise, resolve } = Promise.withResolvers<true>();
		// What the log cannot show is no failure of a resource. A deadline would drop a text that a busy machine has not sent yet.
		client.log(request, () => resolve(true));
		for (let part = 0; part < waitParts; part += 1) {
			if (await Promise.race([promise, setTimeout(waitMs / waitParts, false, { ref: false })])) return;
		}
	};
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
			// A connection can end because it was idle, so its end is not the engine's.
			while (await connects(client)) await leavesReady(client);
		},
	};
}

/** Texts go to standard error. */
export const noEngine: EngineLog = {
	print: (_level, text) => console.error(text),
	flush: async () => undefined,
	whenGone: () => new Promise(() => undefined),
};

/** Whether the first attempt connects. A refused one is not tried again: later another program may have the engine's port. */
async function connects(client: Client): Promise<boolean> {
	const { READY, TRANSIENT_FAILURE } = connectivityState;
	const channel = client.getChannel();
	const deadline = Date.now() + connectMs;
	for (;;) {
		const state = channel.getConnectivityState(true);
		if (state === READY || state === TRANSIENT_FAILURE) return state === READY;
		if (!(await changes(channel, state, deadline))) return false;
	}
}

/** Resolves once the connection is closed, by the other side or because it was idle. */
async function leavesReady(client: Client): Promise<void> {
	const { READY } = connectivityState;
	const channel = client.getChannel();
	// The state is read each time, as a watch sees only later changes.
	while (channel.getConnectivityState(false) === READY) await changes(channel, READY, Date.now() + watchMs);
}

/** Resolves to true once the channel's state is another one, and to false at the deadline. */
function changes(channel: ChannelInterface, state: connectivityState, deadline: number): Promise<boolean> {
	return new Promise((resolve) =>
		channel.watchConnectivityState(state, deadline, (error) => resolve(error === undefined)),
	);
}
