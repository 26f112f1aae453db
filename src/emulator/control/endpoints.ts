/** /emulator/ over HTTP: control.ts as JSON, without a stamp, and not for web pages (docs/emulator.md). */
import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../kinds/entity-kind.ts";
import { notFound, RequestError } from "../request-error.ts";
import type { OrganizationPatch } from "../seed/changes.ts";
import type { Seed } from "../seed/check.ts";
import { parseBody } from "../service.ts";
import type { Rules } from "../state.ts";
import type { Store } from "../store.ts";
import type { ClockChange, Control } from "./control.ts";
import type { Fault } from "./faults.ts";
import type { RateLimit } from "./rate-limit.ts";
import { checkFields, readStateQuery, rulesFields } from "./schema.ts";

interface ControlParts {
	readonly control: Control;
	readonly store: Store;
	/** Whether a Host header, with its port, may reach /emulator/. */
	readonly isKnownHost: (header: string | undefined) => boolean;
}

/** `fields` are the body of a POST; of other methods, the query. */
type Endpoint = (control: Control, fields: JsonObject, store: Store) => unknown;

export const endpoints: Readonly<Record<string, Endpoint>> = {
	"GET /emulator/state": (control, query, store) => {
		const organizationId = readStateQuery(query);
		return organizationId === undefined ? { organizations: store.summaries() } : control.state(organizationId);
	},
	"POST /emulator/state": async (control, body) => {
		await control.changeState(body as unknown as Seed | OrganizationPatch);
		return { changed: true };
	},
	"POST /emulator/rules": async (control, body) => {
		checkFields(body, rulesFields);
		await control.setRules(String(body.organizationId), body.rules as Rules);
		return { changed: true };
	},
	"POST /emulator/clock": (control, body) => ({ nowMs: control.setClock(body as unknown as ClockChange) }),
	"GET /emulator/limits": (control) => ({ limit: control.limit() ?? null }),
	"POST /emulator/limits": (control, body) => {
		control.setLimit(Object.keys(body).length === 0 ? undefined : (body as unknown as RateLimit));
		return { limit: control.limit() ?? null };
	},
	"DELETE /emulator/limits": (control) => {
		control.setLimit(undefined);
		return { limit: null };
	},
	"GET /emulator/requests": (control) => ({ requests: control.requests(), maxInFlight: control.maxInFlight() }),
	"DELETE /emulator/requests": (control) => {
		control.clearRequests();
		return { cleared: true };
	},
	"GET /emulator/faults": (control) => ({ faults: control.faults() }),
	"POST /emulator/faults": (control, body) => {
		control.addFault(body as unknown as Fault);
		return { faults: control.faults() };
	},
	"DELETE /emulator/faults": (control) => {
		control.clearFaults();
		return { cleared: true };
	},
};

interface ControlRequest {
	readonly method: string;
	readonly url: URL;
	readonly headers: IncomingHttpHeaders;
	/** Reads the body. Called only for requests that may be answered. */
	readonly readBody: () => Promise<Buffer>;
}

function rejectWebPages({ origin, host }: IncomingHttpHeaders, isKnownHost: ControlParts["isKnownHost"]): void {
	if (origin !== undefined) throw new RequestError(403, 7, "requests of web pages are not allowed under /emulator/");
	if (isKnownHost(host)) return;
	throw new RequestError(403, 7, "this Host is not allowed under /emulator/; to allow a name: --allow-host NAME");
}

/** Returns what an endpoint answers. Requests of web pages are rejected before their body is read. Throws a RequestError. */
export async function answerControl({ control, store, isKnownHost }: ControlParts, request: ControlRequest) {
	rejectWebPages(request.headers, isKnownHost);
	const { pathname, searchParams } = request.url;
	const name = `${request.method} ${pathname}`;
	const endpoint = endpoints[name];
	if (endpoint === undefined) {
		const names = Object.keys(endpoints);
		const near = names.filter((one) => one.split(" ")[1] === pathname);
		throw notFound(`unknown endpoint: ${name}; known: ${(near.length === 0 ? names : near).join(", ")}`);
	}
	const rawBody = await request.readBody();
	const body = rawBody.length === 0 ? {} : parseBody(rawBody);
	const query = Object.fromEntries(searchParams);
	const takesBody = request.method === "POST";
	const takesQuery = name === "GET /emulator/state";
	checkFields({ ...(takesBody ? {} : body), ...(takesQuery ? {} : query) }, {});
	return endpoint(control, takesBody ? body : query, store);
}
