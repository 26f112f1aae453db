/** One request in, one answer out, its changes in the store: the service without HTTP. Its order of checks is an assumption. */
import { isRecord, readJson, tooDeepMessage } from "../common/json.ts";
import { checkSchema, type SchemaError } from "../schema/schema.ts";
import { validators } from "../schema/validators/requests.ts";
import {
	approvals,
	extendedReads,
	type Operation,
	operations,
	type QueryOperation,
	queries,
} from "../wire/operations.ts";
import { describeActivity, executeActivity, type ForcedEnd, submitActivity } from "./activities.ts";
import { fingerprintOf, isUuid } from "./identifiers.ts";
import { queryHandlers } from "./queries.ts";
import { badRequest, denied, notFound, RequestError } from "./request-error.ts";
import { servedSubmits } from "./served-submits.ts";
import { acceptAssertion } from "./stamps/passkeys.ts";
import { type StampHeaders, verifyStamp } from "./stamps/verify-stamp.ts";
import type { ActivityRecord, OperationContext, StampedRequest } from "./state.ts";
import type { Store } from "./store.ts";
import { voteHandlers } from "./voting.ts";

interface ServiceRequest {
	readonly operation: Operation;
	readonly stamps: StampHeaders;
	readonly rawBody: Buffer;
	readonly nowMs: number;
	/** Called once, when a new activity is about to be made. */
	readonly takeForcedEnd: () => ForcedEnd;
}

/** The answer, and what the request log records of it. */
export interface ServiceAnswer {
	readonly status: number;
	readonly body: unknown;
	/** Only when the body named an organization by a UUID. */
	readonly organizationId: string | null;
	/** Of submits whose body could be read. */
	readonly fingerprint: string | null;
	readonly replayed: boolean;
}

/** Returns the operations that are served, by path. With `"documented"` the extended reads and submits are left out. */
export function operationsByPath(reads: "all" | "documented"): ReadonlyMap<string, Operation> {
	const tables = reads === "all" ? [queries, extendedReads, servedSubmits] : [operations];
	const served = [...tables, approvals].flatMap((table): readonly Operation[] => Object.values(table));
	return new Map(served.map((operation) => [operation.path, operation]));
}

/** Returns the JSON object of a body. Throws a RequestError when it is none, or is nested too deep. */
export function parseBody(rawBody: Buffer): Readonly<Record<string, unknown>> {
	const read = readJson(rawBody.toString("utf8"));
	if (!("value" in read))
		throw badRequest(`the body is ${read.mistake === tooDeepMessage ? tooDeepMessage : "not JSON"}`);
	const { value } = read;
	if (!isRecord(value)) throw badRequest("the body is not a JSON object");
	return value;
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
	const errors = checkSchema(validators, `operations/${operation.name}.json#/$defs/request`, body);
	if (errors.length > 0) throw badRequest(errors.map(describeSchemaError).join("; "));
}

function readOrganizationId(body: Readonly<Record<string, unknown>>): string {
	const value = body.organizationId;
	if (typeof value !== "string") throw badRequest("missing field: organizationId");
	const organizationId = value.toLowerCase();
	if (!isUuid(organizationId)) throw badRequest('invalid field organizationId: must match format "uuid"');
	return organizationId;
}

/** Returns the context of one organization. Throws a RequestError when it does not exist. */
export function makeContext(store: Store, organizationId: string, nowMs: number): OperationContext {
	const organization = store.organization(organizationId);
	if (organization === undefined) throw notFound(`no organization found with id ${organizationId}`);
	return {
		organization,
		nowMs,
		findByFingerprint: (fingerprint) => store.findByFingerprint(organizationId, fingerprint),
		findById: (activityId) => store.findById(organizationId, activityId),
		activitiesNewestFirst: () => store.activitiesNewestFirst(organizationId),
		listSubOrganizations: () => store.subOrganizations(organizationId),
	};
}

/** Executes every delayed activity of an organization that is due, in the order of the due times. */
export function executeDueActivities(store: Store, context: OperationContext): void {
	if (context.organization.due.size === 0) return;
	const due = [...context.organization.due].filter(([, dueMs]) => dueMs <= context.nowMs).sort((a, b) => a[1] - b[1]);
	for (const [activityId] of due) {
		const activity = context.findById(activityId);
		if (activity !== undefined)
			store.write(context.organization.organizationId, executeActivity(activity, context).changes);
	}
}

function answerQuery(
	operation: QueryOperation,
	request: StampedRequest,
	context: OperationContext,
): Record<string, unknown> {
	const handler = queryHandlers.get(operation.name);
	if (handler === undefined) throw notFound(`the emulator does not answer ${operation.name}`);
	if (context.organization.rules.denyReads?.includes(operation.name)) throw denied();
	const answered = handler(context, request.body, request.signer.userId);
	// Unlike the others they answer an object of which the answer key is one member (docs/internals/service.md#extended-reads).
	const { whoami, get_active_policies: activePolicies } = extendedReads;
	if (operation.name === whoami.name || operation.name === activePolicies.name)
		return answered as Record<string, unknown>;
	return { [operation.answerKey]: answered };
}

/** Returns the activity that answers a vote (assumptions.ts, "vote answers"). */
function answerToVote(own: ActivityRecord, { organization, findByFingerprint }: OperationContext): ActivityRecord {
	if (organization.rules.voteAnswer !== "target") return own;
	return findByFingerprint(String(own.parameters.fingerprint).toLowerCase()) ?? own;
}

/** Returns what the log records of a request that no handler sees. */
export function readLogFields(
	operation: Operation,
	rawBody: Buffer,
): Pick<ServiceAnswer, "organizationId" | "fingerprint"> {
	const fingerprint = operation.family === "submit" ? fingerprintOf(rawBody) : null;
	try {
		return { organizationId: readOrganizationId(parseBody(rawBody)), fingerprint };
	} catch {
		return { organizationId: null, fingerprint };
	}
}

/** Returns the answer to a request, whose changes are on disk. RequestErrors are answers. */
export function handleOperation(store: Store, request: ServiceRequest): ServiceAnswer {
	const { operation, rawBody, nowMs } = request;
	const fingerprint = operation.family === "submit" ? fingerprintOf(rawBody) : null;
	let organizationId: string | null = null;
	try {
		const body = parseBody(rawBody);
		organizationId = readOrganizationId(body);
		const context = makeContext(store, organizationId, nowMs);
		const signer = verifyStamp(request.stamps, rawBody, store.credentials(organizationId), nowMs);
		const known = fingerprint === null ? undefined : context.findByFingerprint(fingerprint);
		store.write(organizationId, acceptAssertion(context.organization, signer, known));
		checkBody(operation, body);
		executeDueActivities(store, context);
		const stamped: StampedRequest = { body, rawBody, signer };
		if (operation.family === "query") {
			const answered = answerQuery(operation, stamped, context);
			return { status: 200, body: answered, organizationId, fingerprint, replayed: false };
		}
		const castVote = voteHandlers.get(operation.name);
		const { takeForcedEnd } = request;
		const { activity, changes, replayed } = submitActivity(operation, stamped, context, castVote, takeForcedEnd);
		store.write(organizationId, changes);
		const shown = castVote === undefined ? activity : answerToVote(activity, context);
		const answered = { activity: describeActivity(shown, signer.userId, replayed) };
		return { status: 200, body: answered, organizationId, fingerprint, replayed };
	} catch (error) {
		if (!(error instanceof RequestError)) throw error;
		return { status: error.status, body: error.body(), organizationId, fingerprint, replayed: false };
	}
}
