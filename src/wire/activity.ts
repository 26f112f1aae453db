/** Reads the `activity` of an answer, tolerantly; statuses pass through (docs/internals/service.md#activity-statuses). Pure. */
import { isRecord } from "../common/json.ts";
import { type SubmitOperation, writeOfType, writes } from "./operations.ts";

/** One approval or rejection. The vote's raw message and signature are left out: together they are a stamp. */
interface Vote {
	readonly userId: string | undefined;
	readonly userName: string | undefined;
	/** `VOTE_SELECTION_APPROVED` or `VOTE_SELECTION_REJECTED`; any other is passed through. */
	readonly selection: string | undefined;
	readonly createdAtMs: number | undefined;
}

/** What the service returns for a submit. `status` can be any word; only the known ones mean something. */
export interface Activity {
	readonly id: string;
	readonly organizationId: string;
	readonly status: string;
	readonly type: string;
	readonly fingerprint: string;
	/** The inner object, without the one key that names the operation; null when absent. */
	readonly intent: Readonly<Record<string, unknown>> | null;
	/** The inner object; null until the activity completed. It may hold a secret (an import bundle): never log it. */
	readonly result: Readonly<Record<string, unknown>> | null;
	readonly failure: { readonly code?: string | number; readonly message?: string } | null;
	readonly votes: readonly Vote[];
	readonly canApprove?: boolean;
	readonly canReject?: boolean;
	readonly createdAtMs: number | undefined;
	readonly updatedAtMs: number | undefined;
}

/** Returns an activity of any operation. Of one that orgsync does not submit only the intent and the result are wrong. */
export function readAnyActivity(value: Readonly<Record<string, unknown>>): Activity {
	return readActivity(writeOfType(value.type) ?? writes.update_user_tag, value);
}

/** Returns the activity in `value`, which fits schemas/activity.json. Only `findMismatch` shows that it is a request's. */
export function readActivity(operation: SubmitOperation, value: Readonly<Record<string, unknown>>): Activity {
	const { canApprove, canReject } = value;
	return {
		id: String(value.id),
		organizationId: String(value.organizationId),
		status: String(value.status),
		type: String(value.type),
		fingerprint: String(value.fingerprint),
		intent: readInner(value.intent, operation.intentKey),
		result: readInner(value.result, operation.resultKey),
		failure: readFailure(value.failure),
		votes: Array.isArray(value.votes) ? value.votes.filter(isRecord).map(readVote) : [],
		...(typeof canApprove === "boolean" ? { canApprove } : {}),
		...(typeof canReject === "boolean" ? { canReject } : {}),
		createdAtMs: readTime(value.createdAt),
		updatedAtMs: readTime(value.updatedAt),
	};
}

/** Returns the object under `key`, or under the only other key but `activity`: a newer version of an operation may have `V2`. */
function readInner(value: unknown, key: string): Readonly<Record<string, unknown>> | null {
	if (!isRecord(value)) return null;
	if (isRecord(value[key])) return value[key];
	const others = Object.entries(value).filter(([name, inner]) => name !== "activity" && isRecord(inner));
	return others.length === 1 ? (others[0]?.[1] as Record<string, unknown>) : null;
}

function readFailure(value: unknown): Activity["failure"] {
	if (!isRecord(value)) return null;
	const { code, message } = value;
	return {
		...(typeof code === "string" || typeof code === "number" ? { code } : {}),
		...(typeof message === "string" ? { message } : {}),
	};
}

function readVote(value: Readonly<Record<string, unknown>>): Vote {
	const text = (name: string) => (typeof value[name] === "string" ? value[name] : undefined);
	const { userName } = isRecord(value.user) ? value.user : {};
	return {
		userId: text("userId"),
		userName: typeof userName === "string" ? userName : undefined,
		selection: text("selection"),
		createdAtMs: readTime(value.createdAt),
	};
}

/**
 * Returns the milliseconds since 1970 of `{seconds, nanos}`, of an ISO 8601 text or of an epoch text; undefined for anything
 * else, and for a time that no `Date` can have (docs/internals/service.md#times).
 *
 * Unverified, chosen: an epoch text of more than 11 digits is in milliseconds, a shorter one in seconds; an ISO text without a
 * zone is UTC.
 */
export function readTime(value: unknown): number | undefined {
	const ms = readMs(value) ?? Number.NaN;
	return Number.isNaN(new Date(ms).getTime()) ? undefined : ms;
}

/** Returns the last millisecond that a time can mean: one without a fraction may be anywhere in its second. */
export function endOfPrecision(timeMs: number): number {
	return timeMs % 1000 === 0 ? timeMs + 999 : timeMs;
}

function readMs(value: unknown): number | undefined {
	if (isRecord(value)) {
		const seconds = readNumber(value.seconds) ?? Number.NaN;
		return seconds * 1000 + Math.floor((readNumber(value.nanos) ?? 0) / 1e6);
	}
	const epoch = readNumber(value);
	if (epoch !== undefined) return Math.floor(epoch >= 1e11 ? epoch : epoch * 1000);
	if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return undefined;
	return Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`);
}

function readNumber(value: unknown): number | undefined {
	if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
	return typeof value === "string" && /^\d{1,16}(\.\d+)?$/.test(value) ? Number(value) : undefined;
}
