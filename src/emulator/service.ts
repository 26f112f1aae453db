/**
 * One request in, one answer and its changes written to the store: the service without HTTP. The order of its checks is
 * a choice and stands in choices.ts.
 */
import { readJson, tooDeepMessage } from "../json.ts";
import { checkSchema, type SchemaError } from "../schema.ts";
import { approvals, extendedReads, type Operation, operations, type QueryOperation } from "../wire/operations.ts";
import { describeActivity, execute, type Forced, submitActivity } from "./activities.ts";
import { fingerprintOf, isUuid, makeUuid } from "./identifiers.ts";
import { acceptAssertion } from "./passkeys.ts";
import { type Answerer, documentedAnswers, extendedAnswers } from "./queries.ts";
import { deniedRead, invalid, notFound, Refusal } from "./refusals.ts";
import type { StampedRequest, World } from "./state.ts";
import type { Store } from "./store.ts";
import { type StampHeaders, verifyStamp } from "./verify.ts";
import { castVotes } from "./votes.ts";

/** A request to one operation, as it came. */
export interface ServiceRequest {
	readonly operation: Operation;
	readonly stamps: StampHeaders;
	readonly rawBody: Buffer;
	readonly nowMs: number;
	/** Asked once, when a new activity is about to be made. */
	readonly takeForced: () => Forced;
}

/** What goes back, and what the request log may say of it. */
export interface ServiceAnswer {
	readonly status: number;
	readonly body: unknown;
	/** Only when the body named an organization by a UUID. */
	readonly organizationId: string | null;
	/** Of submits whose body could be read. */
	readonly fingerprint: string | null;
	readonly replayed: boolean;
}

const answerers: ReadonlyMap<string, Answerer> = new Map(Object.entries({ ...documentedAnswers, ...extendedAnswers }));

/** The operations that are served, by path. With `"documented"` the extended reads are not among them. */
export function operationsByPath(reads: "all" | "documented"): ReadonlyMap<string, Operation> {
	const served: Operation[] = [...Object.values(operations), ...Object.values(approvals)];
	if (reads === "all") served.push(...Object.values(extendedReads));
	return new Map(served.map((operation) => [operation.path, operation]));
}

/** The JSON object that a body is. Throws a refusal when it is none, or is nested too deep. */
export function parseBody(rawBody: Buffer): Readonly<Record<string, unknown>> {
	const read = readJson(rawBody.toString("utf8"));
	if (!("value" in read)) throw invalid(`the body is ${read.mistake === tooDeepMessage ? tooDeepMessage : "not JSON"}`);
	const { value } = read;
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw invalid("the body is not a JSON object");
	}
	return value as Record<string, unknown>;
}

function describeSchemaError(error: SchemaError): string {
	const where = error.instancePath.slice(1).replaceAll("/", ".");
	if (error.keyword === "required") {
		const missing = String(error.params.missingProperty);
		return `missing field: ${where === "" ? missing : `${where}.${missing}`}`;
	}
	const allowed = error.keyword === "const" ? ` ${JSON.stringify(error.params.allowedValue)}` : "";
	return `invalid field ${where === "" ? "of the body" : where}: ${error.message ?? "does not fit"}${allowed}`;
}

function checkBody(operation: Operation, body: Readonly<Record<string, unknown>>): void {
	const errors = checkSchema(`operations/${operation.name}.json`, body, "#/$defs/request");
	if (errors.length > 0) throw invalid(errors.map(describeSchemaError).join("; "));
}

function readOrganizationId(body: Readonly<Record<string, unknown>>): string {
	const value = body.organizationId;
	if (typeof value !== "string") throw invalid("missing field: organizationId");
	const organizationId = value.toLowerCase();
	if (!isUuid(organizationId)) throw invalid('invalid field organizationId: must match format "uuid"');
	return organizationId;
}

/** The bundles and other fresh values that handlers need. */
export interface Sources {
	makeImportBundle(organizationId: string, userId: string): string;
}

/** The world of one organization. Throws a refusal when there is no such organization. */
export function makeWorld(store: Store, sources: Sources, organizationId: string, nowMs: number): World {
	const organization = store.organization(organizationId);
	if (organization === undefined) throw notFound(`no organization found with id ${organizationId}`);
	return {
		organization,
		nowMs,
		findByFingerprint: (fingerprint) => store.findByFingerprint(organizationId, fingerprint),
		findById: (activityId) => store.findById(organizationId, activityId),
		listActivities: () => store.activities(organizationId),
		makeId: makeUuid,
		makeImportBundle: sources.makeImportBundle,
	};
}

/** Executes every delayed activity of an organization whose time has come, in the order they fell due. */
export function settleDue(store: Store, world: World): void {
	if (world.organization.due.size === 0) return;
	const due = [...world.organization.due].filter(([, dueMs]) => dueMs <= world.nowMs).sort((a, b) => a[1] - b[1]);
	for (const [activityId] of due) {
		const activity = world.findById(activityId);
		if (activity !== undefined) store.write(world.organization.organizationId, execute(activity, world).changes);
	}
}

function answerQuery(operation: QueryOperation, request: StampedRequest, world: World): Record<string, unknown> {
	const answerer = answerers.get(operation.name);
	if (answerer === undefined) throw notFound(`the emulator does not answer ${operation.name}`);
	if (world.organization.rules.denyReads?.includes(operation.name)) throw deniedRead();
	const answered = answerer(world, request.body, request.voter.userId);
	// Alone among the queries it answers a flat object, of which the answer key is one member (docs/service.md#extended-reads).
	if (operation.name === extendedReads.whoami.name) return answered as Record<string, unknown>;
	return { [operation.answerKey]: answered };
}

/** What the log may say of a request that no handler sees: the same as of one that is served. */
export function identify(operation: Operation, rawBody: Buffer): Pick<ServiceAnswer, "organizationId" | "fingerprint"> {
	const fingerprint = operation.family === "submit" ? fingerprintOf(rawBody) : null;
	try {
		return { organizationId: readOrganizationId(parseBody(rawBody)), fingerprint };
	} catch {
		return { organizationId: null, fingerprint };
	}
}

/**
 * The answer to a request; its changes are written to the store and durable once `store.committed()` resolves. Refusals
 * become error bodies (docs/service.md#errors); anything else that is thrown is a defect of the emulator.
 */
export function serve(store: Store, sources: Sources, request: ServiceRequest): ServiceAnswer {
	const { operation, rawBody, nowMs } = request;
	const fingerprint = operation.family === "submit" ? fingerprintOf(rawBody) : null;
	let organizationId: string | null = null;
	try {
		const body = parseBody(rawBody);
		organizationId = readOrganizationId(body);
		const world = makeWorld(store, sources, organizationId, nowMs);
		const voter = verifyStamp(request.stamps, rawBody, store.credentials(organizationId));
		const known = fingerprint === null ? undefined : world.findByFingerprint(fingerprint);
		store.write(organizationId, acceptAssertion(world.organization, voter, known));
		checkBody(operation, body);
		settleDue(store, world);
		const stamped: StampedRequest = { body, rawBody, voter };
		if (operation.family === "query") {
			const answered = answerQuery(operation, stamped, world);
			return { status: 200, body: answered, organizationId, fingerprint, replayed: false };
		}
		const castVote = castVotes.get(operation.name);
		const { activity, changes, replayed } = submitActivity(operation, stamped, world, castVote, request.takeForced);
		store.write(organizationId, changes);
		const answered = { activity: describeActivity(activity, voter.userId, replayed) };
		return { status: 200, body: answered, organizationId, fingerprint, replayed };
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return { status: error.status, body: error.body(), organizationId, fingerprint, replayed: false };
	}
}
