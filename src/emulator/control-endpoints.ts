/**
 * /emulator/ over HTTP: the functions of control.ts as JSON, without a stamp, and not for web pages. docs/emulator.md describes
 * every endpoint.
 */
import type { ClockChange, Control } from "./control.ts";
import { checkRulesRequest, readStateQuery, rejectFields } from "./control-schema.ts";
import type { Fault } from "./faults.ts";
import type { JsonObject } from "./kinds/entity-kind.ts";
import type { RateLimit } from "./rate-limit.ts";
import { notFound, RequestError } from "./request-error.ts";
import type { OrganizationPatch } from "./seed-changes.ts";
import type { Seed } from "./seed-check.ts";
import { parseBody } from "./service.ts";
import type { Rules } from "./state.ts";
import type { Store } from "./store.ts";

interface ControlCall {
	readonly control: Control;
	readonly store: Store;
	readonly body: JsonObject;
	readonly query: URLSearchParams;
}

type Endpoint = (call: ControlCall) => unknown;

/** Returns an endpoint that takes no body and no query. */
function withoutBody(answer: (control: Control) => unknown): Endpoint {
	return ({ control, body, query }) => {
		rejectFields({ ...body, ...Object.fromEntries(query) });
		return answer(control);
	};
}

/** Returns an endpoint that takes a body and no query. */
function withBody(answer: (control: Control, body: JsonObject) => unknown): Endpoint {
	return ({ control, body, query }) => {
		rejectFields(Object.fromEntries(query));
		return answer(control, body);
	};
}

/** Every endpoint under /emulator/, by method and path. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
	"GET /emulator/state": ({ control, store, body, query }) => {
		rejectFields(body);
		const organizationId = readStateQuery(query);
		return organizationId === undefined ? { organizations: store.summaries() } : control.state(organizationId);
	},
	"POST /emulator/state": withBody(async (control, body) => {
		await control.changeState(body as unknown as Seed | OrganizationPatch);
		return { changed: true };
	}),
	"POST /emulator/rules": withBody(async (control, body) => {
		checkRulesRequest(body);
		await control.setRules(String(body.organizationId), body.rules as Rules);
		return { changed: true };
	}),
	"POST /emulator/clock": withBody((control, body) => {
		return { nowMs: control.setClock(body as unknown as ClockChange) };
	}),
	"GET /emulator/limits": withoutBody((control) => ({ limit: control.limit() ?? null })),
	"POST /emulator/limits": withBody((control, body) => {
		control.setLimit(Object.keys(body).length === 0 ? undefined : (body as unknown as RateLimit));
		return { limit: control.limit() ?? null };
	}),
	"DELETE /emulator/limits": withoutBody((control) => {
		control.setLimit(undefined);
		return { limit: null };
	}),
	"GET /emulator/requests": withoutBody((control) => ({
		requests: control.requests(),
		maxInFlight: control.maxInFlight(),
	})),
	"DELETE /emulator/requests": withoutBody((control) => {
		control.clearRequests();
		return { cleared: true };
	}),
	"GET /emulator/faults": withoutBody((control) => ({ faults: control.faults() })),
	"POST /emulator/faults": withBody((control, body) => {
		control.addFault(body as unknown as Fault);
		return { faults: control.faults() };
	}),
	"DELETE /emulator/faults": withoutBody((control) => {
		control.clearFaults();
		return { cleared: true };
	}),
};

/** A request under /emulator/, as it came. */
export interface ControlRequest {
	readonly method: string;
	readonly url: URL;
	readonly origin: string | undefined;
	/** The Host header, with its port. */
	readonly host: string | undefined;
	/** Reads the body. Called only for requests that may be answered. */
	readonly readBody: () => Promise<Buffer>;
}

type HostCheck = (header: string | undefined) => boolean;

function rejectWebPages({ origin, host }: ControlRequest, isKnownHost: HostCheck): void {
	if (origin !== undefined) throw new RequestError(403, 7, "requests of web pages are not allowed under /emulator/");
	if (isKnownHost(host)) return;
	throw new RequestError(403, 7, "this Host is not allowed under /emulator/; to allow a name: --allow-host NAME");
}

function findEndpoint({ method, url }: ControlRequest): Endpoint {
	const name = `${method} ${url.pathname}`;
	const endpoint = endpoints[name];
	if (endpoint !== undefined) return endpoint;
	const names = Object.keys(endpoints);
	const near = names.filter((one) => one.split(" ")[1] === url.pathname);
	throw notFound(`unknown endpoint: ${name}; known: ${(near.length === 0 ? names : near).join(", ")}`);
}

/** Returns the answer to a request under /emulator/. Requests of web pages are rejected before their body is read. */
export async function answerControl(
	control: Control,
	store: Store,
	isKnownHost: HostCheck,
	request: ControlRequest,
): Promise<{ readonly status: number; readonly body: unknown }> {
	try {
		rejectWebPages(request, isKnownHost);
		const endpoint = findEndpoint(request);
		const rawBody = await request.readBody();
		const body = rawBody.length === 0 ? {} : parseBody(rawBody);
		const answer = await endpoint({ control, store, body, query: request.url.searchParams });
		await store.committed();
		return { status: 200, body: answer };
	} catch (error) {
		if (!(error instanceof RequestError)) throw error;
		return { status: error.status, body: error.body() };
	}
}
