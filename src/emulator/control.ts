/**
 * What a test may do to the emulator while it runs: look at state and the request log, change state and rules, set the
 * clock, order faults. The same functions in process and, as JSON without a stamp, under /emulator/.
 */
import { ConfigurationError } from "../errors.ts";
import { checkSchema } from "../schema.ts";
import { describeActivity } from "./activities.ts";
import { loopbackHosts } from "./choices.ts";
import { type Fault, type Faults, faultKinds } from "./faults.ts";
import { isUuid } from "./identifiers.ts";
import type { Limit, Limits } from "./limits.ts";
import type { RequestLog, RequestLogEntry } from "./log.ts";
import { invalid, notFound, Refusal } from "./refusals.ts";
import { findSeedMistakes, formatPath, type Seed, type SeedOrganization } from "./seed.ts";
import { changesToMerge, changesToReplace, mergePatch, type OrganizationPatch, toSeed } from "./seeding.ts";
import { makeWorld, parseBody, type Sources, settleDue } from "./service.ts";
import { entityKinds, type Rules } from "./state.ts";
import type { Store } from "./store.ts";

/** An order to the clock: set it (it goes on from there), move it, or let it follow the real one again. */
export type ClockOrder = { readonly nowMs: number } | { readonly advanceMs: number } | { readonly reset: true };

/** One organization as the emulator holds it, in the shape of a seed, and its activities, oldest first. */
export interface OrganizationView {
	readonly organization: SeedOrganization;
	readonly activities: readonly Readonly<Record<string, unknown>>[];
}

/**
 * What the emulator lets its owner do; each is also an endpoint under /emulator/. What cannot be done throws (or rejects
 * with) a Refusal, whose `status` is what the endpoint answers.
 */
export interface Control {
	/** One organization. Throws when there is none of that id. */
	state(organizationId: string): OrganizationView;
	/**
	 * Resolves when the change is durable. A seed creates its organizations or replaces them, activities and all; a patch
	 * merges entities into one organization by id, or takes them away. Rejects, changing nothing, when the outcome would
	 * not be a seed without mistakes.
	 */
	changeState(change: Seed | OrganizationPatch): Promise<void>;
	/** Replaces the rules of an organization; activities that wait already keep the rules they met. */
	setRules(organizationId: string, rules: Rules): Promise<void>;
	/** The emulator's time after the order, in milliseconds. */
	setClock(order: ClockOrder): number;
	addFault(fault: Fault): void;
	/** Faults that wait, with what is left of their counts. */
	faults(): readonly Fault[];
	clearFaults(): void;
	/** Lets only so many requests pass, with full buckets from now on; undefined lifts the limit. */
	setLimit(limit: Limit | undefined): void;
	/** The limit in force; undefined when there is none. */
	limit(): Limit | undefined;
	/** The request log, oldest first; it never holds stamps or bodies. */
	requests(): readonly RequestLogEntry[];
	/** The greatest number of requests under way at once since the log was cleared; those under /emulator/ do not count. */
	mostInFlight(): number;
	clearRequests(): void;
}

/** The emulator's time: the given one, moved by orders. */
export interface Clock {
	now(): number;
	order(order: ClockOrder): number;
}

/** A clock that follows `base` until it is ordered otherwise. */
export function makeClock(base: () => number): Clock {
	let offsetMs = 0;
	const now = (): number => base() + offsetMs;
	return {
		now,
		order(order) {
			if ("nowMs" in order) offsetMs = order.nowMs - base();
			else if ("advanceMs" in order) offsetMs += order.advanceMs;
			else offsetMs = 0;
			return now();
		},
	};
}

function rejectMistakes(seed: unknown): void {
	const mistakes = findSeedMistakes(seed);
	if (mistakes.length === 0) return;
	throw invalid(mistakes.map(({ path, message }) => `${formatPath(path)}: ${message}`).join("; "));
}

/** Writes organizations of a seed that the store does not have. Throws a ConfigurationError when the seed has mistakes. */
export function seedStore(store: Store, seed: Seed, nowMs: number): void {
	const mistakes = findSeedMistakes(seed);
	const [first] = mistakes;
	if (first !== undefined) {
		const others = mistakes.length === 1 ? "" : ` (and ${mistakes.length - 1} more mistakes)`;
		throw new ConfigurationError(`the seed is wrong at ${formatPath(first.path)}: ${first.message}${others}`);
	}
	const known = new Set(store.summaries().map(({ organizationId }) => organizationId));
	for (const organization of seed.organizations) {
		const organizationId = organization.organizationId.toLowerCase();
		if (!known.has(organizationId)) store.write(organizationId, changesToReplace(organization, nowMs));
	}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Refuses a patch that could not be merged; whether the outcome is right is seen after merging. */
function checkPatch(patch: OrganizationPatch): void {
	for (const kind of entityKinds) {
		const section = patch[kind];
		if (section === undefined) continue;
		const fits = kind === "supportedAssets" ? isObject(section) : Array.isArray(section) && section.every(isObject);
		if (!fits) throw invalid(`${kind} is not of the shape that a seed has`);
	}
	const { remove = {} } = patch;
	if (!isObject(remove)) throw invalid("remove is not an object with lists of ids");
	for (const [kind, ids] of Object.entries(remove)) {
		if (!(entityKinds as readonly string[]).includes(kind))
			throw invalid(`remove.${kind} is not one of ${entityKinds}`);
		if (!Array.isArray(ids)) throw invalid(`remove.${kind} is not a list of ids`);
	}
}

export interface ControlParts {
	readonly store: Store;
	readonly sources: Sources;
	readonly faults: Faults;
	readonly log: RequestLog;
	readonly limits: Limits;
	readonly clock: Clock;
}

/** The control of an emulator made of these parts. */
export function makeControl({ store, sources, faults, log, limits, clock }: ControlParts): Control {
	const settledWorld = (organizationId: string) => {
		const world = makeWorld(store, sources, organizationId.toLowerCase(), clock.now());
		settleDue(store, world);
		return world;
	};
	return {
		state(organizationId) {
			const { organization } = settledWorld(organizationId);
			const activities = store.activities(organization.organizationId);
			return {
				organization: toSeed(organization),
				activities: activities.map((one) => describeActivity(one, "", true)),
			};
		},
		async changeState(change) {
			if ("organizations" in change) {
				rejectMistakes(change);
				for (const seed of (change as Seed).organizations) {
					store.write(seed.organizationId.toLowerCase(), changesToReplace(seed, clock.now()));
				}
			} else {
				checkPatch(change);
				const { organization } = settledWorld(change.organizationId);
				const merged = mergePatch(organization, change);
				rejectMistakes(merged);
				const [seed] = merged.organizations;
				if (seed === undefined) return;
				store.write(organization.organizationId, changesToMerge(organization, seed, clock.now()));
			}
			await store.committed();
		},
		async setRules(organizationId, rules) {
			const [error] = checkSchema("seed.json", rules, "#/$defs/rules");
			if (error !== undefined) throw invalid(`rules${error.instancePath}: ${error.message ?? "do not fit"}`);
			const { organization } = settledWorld(organizationId);
			const merged = mergePatch(organization, { organizationId, rules });
			const [seed] = merged.organizations;
			if (seed === undefined) return;
			store.write(organization.organizationId, changesToMerge(organization, seed, clock.now()));
			await store.committed();
		},
		setClock: clock.order,
		addFault: faults.add,
		faults: faults.list,
		clearFaults: faults.clear,
		setLimit: limits.set,
		limit: limits.get,
		requests: log.entries,
		mostInFlight: log.mostInFlight,
		clearRequests: log.clear,
	};
}

type JsonObject = Readonly<Record<string, unknown>>;

function readFault(body: JsonObject): Fault {
	const { operation, count, fault, headers, delayMs, status, acted } = body;
	const countFits = count === undefined || (Number.isInteger(count) && Number(count) > 0);
	if (typeof operation !== "string") throw invalid("operation: the name of an operation, or *");
	if (!(faultKinds as readonly unknown[]).includes(fault)) throw invalid(`fault: one of ${faultKinds.join(", ")}`);
	if (!countFits) throw invalid("count: a positive integer");
	if (delayMs !== undefined && !(Number(delayMs) >= 0)) throw invalid("delayMs: milliseconds");
	const statusFits = Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599;
	if (status !== undefined && !statusFits) throw invalid("status: an HTTP status from 200 to 599");
	const texts = typeof headers === "object" && headers !== null ? Object.values(headers) : [];
	if (headers !== undefined && (texts.length === 0 || !texts.every((text) => typeof text === "string"))) {
		throw invalid("headers: an object of strings");
	}
	if (acted !== undefined && typeof acted !== "boolean") throw invalid("acted: true or false");
	return body as unknown as Fault;
}

/** The limit that a body orders; undefined for the empty body, which lifts it. */
function readLimit(body: JsonObject): Limit | undefined {
	if (Object.keys(body).length === 0) return undefined;
	const known = ["requestsPerSecond", "burst", "retryAfter", "per"];
	const unknown = Object.keys(body).find((name) => !known.includes(name));
	if (unknown !== undefined) throw invalid(`${unknown}: not known here; known are ${known.join(", ")}`);
	const { requestsPerSecond, burst, retryAfter, per } = body;
	if (typeof requestsPerSecond !== "number" || !(requestsPerSecond > 0)) {
		throw invalid("requestsPerSecond: a number above 0");
	}
	if (burst !== undefined && !(Number.isInteger(burst) && Number(burst) > 0)) {
		throw invalid("burst: a positive integer");
	}
	if (retryAfter !== undefined && typeof retryAfter !== "boolean") throw invalid("retryAfter: true or false");
	if (per !== undefined && per !== "server" && per !== "organization") throw invalid("per: server or organization");
	return body as unknown as Limit;
}

function readClockOrder(body: JsonObject): ClockOrder {
	const { nowMs, advanceMs, reset } = body;
	if (Number.isFinite(nowMs)) return { nowMs: Number(nowMs) };
	if (Number.isFinite(advanceMs)) return { advanceMs: Number(advanceMs) };
	if (reset === true) return { reset: true };
	throw invalid("one of {nowMs: milliseconds}, {advanceMs: milliseconds}, {reset: true}");
}

function readId(value: unknown): string {
	const id = typeof value === "string" ? value.toLowerCase() : "";
	if (!isUuid(id)) throw invalid("organizationId: a UUID");
	return id;
}

type Endpoint = (control: Control, store: Store, body: JsonObject, query: URLSearchParams) => unknown;

/** Every endpoint under /emulator/, by method and path. */
const endpoints: Readonly<Record<string, Endpoint>> = {
	"GET /emulator/state": (control, store, _body, query) => {
		const asked = query.get("organizationId");
		if (asked !== null) return control.state(readId(asked));
		return { organizations: store.summaries() };
	},
	"POST /emulator/state": async (control, _store, body) => {
		if (!("organizations" in body)) readId(body.organizationId);
		await control.changeState(body as unknown as Seed | OrganizationPatch);
		return { changed: true };
	},
	"POST /emulator/rules": async (control, _store, body) => {
		await control.setRules(readId(body.organizationId), (body.rules ?? {}) as Rules);
		return { changed: true };
	},
	"POST /emulator/clock": (control, _store, body) => ({ nowMs: control.setClock(readClockOrder(body)) }),
	"GET /emulator/limits": (control) => ({ limit: control.limit() ?? null }),
	"POST /emulator/limits": (control, _store, body) => {
		control.setLimit(readLimit(body));
		return { limit: control.limit() ?? null };
	},
	"DELETE /emulator/limits": (control) => {
		control.setLimit(undefined);
		return { limit: null };
	},
	"GET /emulator/requests": (control) => ({ requests: control.requests(), mostInFlight: control.mostInFlight() }),
	"DELETE /emulator/requests": (control) => {
		control.clearRequests();
		return { cleared: true };
	},
	"GET /emulator/faults": (control) => ({ faults: control.faults() }),
	"POST /emulator/faults": (control, _store, body) => {
		control.addFault(readFault(body));
		return { faults: control.faults() };
	},
	"DELETE /emulator/faults": (control) => {
		control.clearFaults();
		return { cleared: true };
	},
};

/** A request under /emulator/, as it came. */
export interface ControlRequest {
	readonly method: string;
	readonly url: URL;
	readonly rawBody: Buffer;
	readonly origin: string | undefined;
	/** The Host header, with its port. */
	readonly host: string | undefined;
	/** Whether the emulator listens on a loopback address. */
	readonly onLoopback: boolean;
}

function refuseWebPages({ origin, host, onLoopback }: ControlRequest): void {
	if (origin !== undefined) throw new Refusal(403, 7, "/emulator/ does not answer web pages");
	const hostName = (host ?? "").replace(/:[0-9]+$/, "").toLowerCase();
	if (onLoopback && !(loopbackHosts as readonly string[]).includes(hostName)) {
		throw new Refusal(403, 7, "/emulator/ answers only requests to a loopback host");
	}
}

/** The answer to a request under /emulator/. */
export async function answerControl(
	control: Control,
	store: Store,
	request: ControlRequest,
): Promise<{ readonly status: number; readonly body: unknown }> {
	try {
		refuseWebPages(request);
		const endpoint = endpoints[`${request.method} ${request.url.pathname}`];
		if (endpoint === undefined) throw notFound(`there is no ${request.method} ${request.url.pathname}`);
		const body = await endpoint(
			control,
			store,
			request.rawBody.length === 0 ? {} : parseBody(request.rawBody),
			request.url.searchParams,
		);
		await store.committed();
		return { status: 200, body };
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return { status: error.status, body: error.body() };
	}
}
