/**
 * Traces of one command by OpenTelemetry, as its standard environment variables say. Loaded only where they ask for it.
 *
 * A collector that is down or slow changes no exit code, and delays the end of a command by at most `maxFlushMs`. Errors of
 * collectors are shown in words of orgsync: theirs could repeat a header.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { TracingChannel, TracingChannelSubscribers } from "node:diagnostics_channel";
import type { Agent } from "node:http";
import { setTimeout } from "node:timers/promises";
import {
	type Attributes,
	type Context,
	defaultTextMapGetter,
	ROOT_CONTEXT,
	type Span,
	SpanKind,
	SpanStatusCode,
	type Tracer,
	trace,
} from "@opentelemetry/api";
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { type ExitCode, exitCodes, OrgsyncError } from "../../common/errors.ts";
import {
	type AttemptTrace,
	attemptChannel,
	organizationChannel,
	type RequestOutcome,
	requestChannel,
	type StepOutcome,
	stepChannel,
} from "../../common/tracing.ts";
import { version } from "../../common/version.ts";
import { onSignals } from "./terminal.ts";
import type { TraceTarget } from "./trace-target.ts";

/** Max milliseconds that sending the last spans delays the end of a command. */
const maxFlushMs = 3000;

/** Max objects of a step that its span names. */
const maxObjects = 10;

export interface Traces {
	/** Runs the command in its span, sends what is left, and returns the exit code. */
	follow(name: string, run: () => Promise<ExitCode>): Promise<ExitCode>;
	/** Ends all open spans and sends them, for at most `maxFlushMs`. */
	end(exitCode: ExitCode): Promise<void>;
	/** Whether requests to the collector were left behind; they would keep the process alive. */
	readonly isUnfinished: boolean;
}

/** Returns the traces of this process. `warn` shows one line at the end if spans were lost. */
export function startTraces(
	target: TraceTarget,
	environment: Readonly<Record<string, string | undefined>>,
	warn: (text: string) => void,
): Traces {
	const exporter = new WatchedExporter(target);
	const provider = new BasicTracerProvider({
		resource: findResource(environment),
		spanProcessors: [new BatchSpanProcessor(exporter)],
	});
	const spans = new Spans(provider.getTracer("orgsync", version), findParent(environment));
	followChannels(spans);
	let ended: Promise<void> | undefined;
	let isUnfinished = false;
	const finish = async (exitCode: ExitCode): Promise<void> => {
		spans.endAll(exitCode);
		const isSent = await within(maxFlushMs, provider.shutdown());
		isUnfinished = !isSent;
		const loss = exporter.describeLoss(isSent);
		if (loss !== undefined) warn(loss);
	};
	const traces: Traces = {
		follow: async (name, run) => {
			const unlisten = endOnSignals((signalled) => traces.end(signalled));
			const code = await spans.command(name, run);
			await traces.end(code);
			unlisten();
			return code;
		},
		end: (exitCode) => {
			ended ??= finish(exitCode);
			return ended;
		},
		get isUnfinished() {
			return isUnfinished;
		},
	};
	return traces;
}

/** Precedence: OTEL_SERVICE_NAME, then OTEL_RESOURCE_ATTRIBUTES. Arguments and the machine are no part of it. */
function findResource({ OTEL_SERVICE_NAME: name }: Readonly<Record<string, string | undefined>>) {
	return resourceFromAttributes({ "service.name": "orgsync", "service.version": version })
		.merge(detectResources({ detectors: [envDetector] }))
		.merge(resourceFromAttributes(name === undefined || name === "" ? {} : { "service.name": name }));
}

/** The span that started this process, by TRACEPARENT and TRACESTATE. */
function findParent({ TRACEPARENT, TRACESTATE }: Readonly<Record<string, string | undefined>>): Context {
	const carrier = { traceparent: TRACEPARENT, tracestate: TRACESTATE };
	return new W3CTraceContextPropagator().extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

/** Open spans, and which of them is the parent of what is started now. */
class Spans {
	readonly current = new AsyncLocalStorage<Context>();
	readonly #open = new Set<Span>();
	readonly #tracer: Tracer;
	readonly #parent: Context;

	constructor(tracer: Tracer, parent: Context) {
		this.#tracer = tracer;
		this.#parent = parent;
	}

	/** Starts a span below the current one and returns the context with it. */
	start(name: string, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL): Context {
		const parent = this.current.getStore() ?? this.#parent;
		const span = this.#tracer.startSpan(name, { attributes, kind }, parent);
		this.#open.add(span);
		return trace.setSpan(parent, span);
	}

	end(span: Span, attributes: Attributes, errorType: string | undefined): void {
		if (!this.#open.delete(span)) return;
		span.setAttributes(attributes);
		if (errorType !== undefined) {
			span.setAttribute("error.type", errorType);
			span.setStatus({ code: SpanStatusCode.ERROR });
		}
		span.end();
	}

	/** Runs the command in its span, which `endAll` ends. */
	command(name: string, run: () => Promise<ExitCode>): Promise<ExitCode> {
		return this.current.run(this.start(`orgsync ${name}`, { "orgsync.command": name }), run);
	}

	/** Ends all spans, the innermost first. Open ones besides that of the command were interrupted. */
	endAll(exitCode: ExitCode): void {
		const [command, ...inner] = this.#open;
		for (const span of inner.reverse()) this.end(span, {}, "interrupted");
		if (command === undefined) return;
		const isFailure = !expectedCodes.includes(exitCode);
		this.end(command, { "process.exit.code": exitCode }, isFailure ? String(exitCode) : undefined);
	}
}

/** Exit codes that report something and no failure. */
const expectedCodes: readonly ExitCode[] = [exitCodes.inSync, exitCodes.changes, exitCodes.pendingApproval];

function followChannels(spans: Spans): void {
	followChannel(spans, organizationChannel, {
		start: ({ organizationId, work }) =>
			spans.start(`${work} organization`, { "orgsync.organization.id": organizationId }),
		end: () => ({}),
	});
	followChannel(spans, requestChannel, {
		start: ({ operation, family, organizationId, url }) => {
			const { hostname, port } = new URL(url);
			const attributes = {
				"orgsync.operation": operation,
				"orgsync.organization.id": organizationId,
				"http.request.method": "POST",
				"server.address": hostname,
				...(port === "" ? {} : { "server.port": Number(port) }),
			};
			return spans.start(`${family} ${operation}`, attributes, SpanKind.CLIENT);
		},
		end: ({ requests }: RequestOutcome) => ({
			"orgsync.attempts": requests,
			"http.request.resend_count": Math.max(0, requests - 1),
		}),
		errorType: ({ answer }: RequestOutcome) =>
			answer.kind === "valid" ? undefined : String(answer.httpStatus ?? "no-answer"),
	});
	followChannel(spans, stepChannel, {
		start: ({ organizationId, step }) =>
			spans.start(`step ${step.operation}`, {
				"orgsync.organization.id": organizationId,
				"orgsync.operation": step.operation,
				"orgsync.step.id": step.id,
				"orgsync.step.objects": step.covers.slice(0, maxObjects).map(({ address }) => address),
				"orgsync.step.object_count": step.covers.length,
			}),
		end: ({ result }: StepOutcome) => ({
			"orgsync.step.outcome": result.outcome,
			"orgsync.attempts": result.requests,
			...(result.fingerprint === null ? {} : { "orgsync.activity.fingerprint": result.fingerprint }),
			...(result.activityId === null ? {} : { "orgsync.activity.id": result.activityId }),
		}),
		errorType: ({ result }: StepOutcome) => (goodOutcomes.has(result.outcome) ? undefined : result.outcome),
	});
	attemptChannel.subscribe((message) => {
		const { attempt, result, durationMs } = message as AttemptTrace;
		const span = trace.getSpan(spans.current.getStore() ?? ROOT_CONTEXT);
		const about = typeof result === "number" ? { "http.response.status_code": result } : { "error.type": result };
		span?.addEvent("attempt", { "orgsync.attempt": attempt, "orgsync.attempt.duration_ms": durationMs, ...about });
		// That of the last attempt stays.
		if (typeof result === "number") span?.setAttribute("http.response.status_code", result);
	});
}

const goodOutcomes: ReadonlySet<string> = new Set(["completed", "awaiting-approval", "awaiting-authenticator"]);

interface ChannelSpans<Message, Outcome> {
	readonly start: (message: Message) => Context;
	readonly end: (outcome: Outcome) => Attributes;
	readonly errorType?: (outcome: Outcome) => string | undefined;
}

function followChannel<Message extends object, Outcome>(
	spans: Spans,
	channel: TracingChannel<unknown, Message>,
	{ start, end, errorType }: ChannelSpans<Message, Outcome>,
): void {
	const contexts = new WeakMap<object, Context>();
	channel.start.bindStore(spans.current as AsyncLocalStorage<unknown>, (message) => {
		const context = start(message as Message);
		contexts.set(message as object, context);
		return context;
	});
	const ignore = (): void => {};
	channel.subscribe({
		...{ start: ignore, end: ignore, asyncStart: ignore, error: ignore },
		asyncEnd: (message: { readonly result?: unknown; readonly error?: unknown }) => {
			const context = contexts.get(message);
			const span = context === undefined ? undefined : trace.getSpan(context);
			if (span === undefined) return;
			if (message.error !== undefined) spans.end(span, {}, errorCode(message.error));
			else spans.end(span, end(message.result as Outcome), errorType?.(message.result as Outcome));
		},
	} as TracingChannelSubscribers<Message>);
}

/** Messages of errors can hold names and paths; their codes are stable and few. */
function errorCode(error: unknown): string {
	return error instanceof OrgsyncError ? error.code : "unforeseen";
}

/** Sends spans, and knows how many were lost and why. */
class WatchedExporter extends OTLPTraceExporter {
	readonly #host: string;
	#lost = 0;
	#open = 0;
	#reason = "";

	constructor({ host }: TraceTarget) {
		super({ httpAgentOptions: makeAgent });
		this.#host = host;
	}

	override export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
		this.#open += spans.length;
		super.export(spans, (result) => {
			this.#open -= spans.length;
			if (result.code !== ExportResultCode.SUCCESS) {
				this.#lost += spans.length;
				this.#reason = describeCause(result.error);
			}
			done(result);
		});
	}

	/** Returns what was not sent and why; undefined if nothing is missing. */
	describeLoss(isSent: boolean): string | undefined {
		const lost = this.#lost + (isSent ? 0 : this.#open);
		if (lost === 0 && isSent) return undefined;
		const reason = this.#reason === "" ? `no answer within ${maxFlushMs / 1000} s` : this.#reason;
		return `${lost === 1 ? "1 span was" : `${lost} spans were`} not sent to the collector at ${this.#host}: ${reason}`;
	}
}

/** The exporter keeps each piece of an answer until its end, so that an answer of one-byte chunks takes a hundred times its size. */
const maxCollectorBytes = 1024 * 1024;

/** Returns the agent of the exporter. A connection on which a collector sends too much is cut. */
async function makeAgent(protocol: string): Promise<Agent> {
	const { Agent } = await (protocol === "http:" ? import("node:http") : import("node:https"));
	const agent: Agent = new Agent({ keepAlive: true });
	const connect = agent.createConnection.bind(agent);
	agent.createConnection = (options, done) => {
		const socket = connect(options, done);
		let size = 0;
		socket?.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size > maxCollectorBytes) socket.destroy(new Error("the collector sends too much"));
		});
		return socket;
	};
	return agent;
}

const causes: Readonly<Record<string, string>> = {
	ECONNREFUSED: "connection refused",
	ECONNRESET: "connection reset",
	ENOTFOUND: "host not found",
	EAI_AGAIN: "host not found",
	ETIMEDOUT: "no answer in time",
};

function describeCause(error: (Error & { readonly code?: unknown }) | undefined): string {
	const code = error?.code;
	if (typeof code === "number") return `it answered ${code}`;
	return causes[String(code)] ?? "the request failed";
}

/** Returns whether the promise settled in this time. Its errors count as settled. */
function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
	const end = new AbortController();
	const settled = promise.catch(() => undefined).then(() => true);
	const late = setTimeout(ms, false, end).catch(() => false);
	return Promise.race([settled, late]).finally(() => end.abort());
}

/** On a signal that the command does not handle, sends the spans first, then ends as the signal would; a second one ends at once. */
function endOnSignals(end: (exitCode: ExitCode) => Promise<void>): () => void {
	const unlisten = onSignals((signal) => {
		if (process.listenerCount(signal) > 1) return;
		unlisten();
		void end(exitCodes.interrupted).then(() => process.kill(process.pid, signal));
	});
	return unlisten;
}
