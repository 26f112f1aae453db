/**
 * Checks what a state stores besides inputs, before it is used. A state file is not trusted: writing one must not be enough
 * to choose what is submitted, or to make a change look applied.
 *
 * An activity is valid only if its body is exactly what orgsync would encode for its operation, organization and
 * parameters, and if fingerprint and request digest match that body. Everything else is an error that names it.
 */
import { StorageError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isTexts } from "../../common/json.ts";
import type { LastAppliedPolicy, LastAppliedTag } from "../../plan/organization.ts";
import type { Outcome } from "../../plan/report.ts";
import { requestDigestOf } from "../../sync/journal/journal.ts";
import type { WriteName } from "../../wire/operations.ts";
import { decodeSubmit, encodeSubmit, type RequestBody } from "../../wire/request-body.ts";

/** An activity that has not completed, as a state stores it. */
export interface StoredActivity {
	/** Null if the request was submitted and no answer arrived. */
	readonly activityId: string | null;
	readonly fingerprint: string;
	readonly outcome: Outcome;
	/** The exact request body; left out if another client submitted it. */
	readonly body?: string;
	readonly requestDigest?: string;
	readonly covers?: readonly string[];
	readonly sentAt?: string;
}

export interface StateContext {
	readonly resource: string;
	readonly organizationId: string;
	/** The operations of the resource: its activities have no others. */
	readonly operations: readonly WriteName[];
	/** Ids or fingerprints of abandoned activities, in lower case: they are left out without a check. */
	readonly abandon: readonly string[];
	readonly onAbandoned?: (name: string) => void;
	/** Milliseconds since 1970. */
	readonly nowMs: number;
}

const storedOutcomes: ReadonlySet<string> = new Set<Outcome>([
	"awaiting-approval",
	"awaiting-authenticator",
	"rejected",
	"failed",
	"unknown",
	"not-attempted",
]);

/** Clocks of two machines differ by less than this. */
const clockMarginMs = 60 * 60 * 1000;

/** Whether a state stores activities with this outcome. A completed or denied one cannot change any more. */
export function isStoredOutcome(outcome: string): boolean {
	return storedOutcomes.has(outcome);
}

/** The activities of a state, without abandoned ones. Throws StorageError for one that cannot be used. */
export function readStoredActivities(value: unknown, by: StateContext): readonly StoredActivity[] {
	if (value === undefined) return [];
	if (!Array.isArray(value)) throw invalidState(by, "`activities` is not a list");
	return value.flatMap((item: unknown): readonly StoredActivity[] => {
		const activity = readActivity(item, by);
		const names = [activity.activityId ?? "", activity.fingerprint].map((name) => name.toLowerCase());
		if (names.some((name) => by.abandon.includes(name))) {
			by.onAbandoned?.(activity.activityId ?? activity.fingerprint);
			return [];
		}
		const mistake = findMistake(activity, by);
		if (mistake === undefined) return [activity];
		const name = activity.activityId ?? activity.fingerprint;
		throw invalidState(
			by,
			`activity ${name} ${mistake}`,
			`or abandon the activity: \`pulumi config set orgsync:abandon ${name}\``,
		);
	});
}

/** The decoded body, if it has exactly the bytes that orgsync encodes; otherwise undefined. */
export function decodeExactly(bytes: string): (RequestBody & { readonly requestDigest: string }) | undefined {
	const body = decodeSubmit(bytes);
	if (body === undefined) return undefined;
	const { operation, organizationId, timestampMs } = body;
	try {
		const { parameters } = JSON.parse(bytes) as { parameters: Record<string, unknown> };
		// Another parser could read other bytes differently.
		if (encodeSubmit(operation, organizationId, parameters, timestampMs).bytes !== bytes) return undefined;
		return { ...body, requestDigest: requestDigestOf(organizationId, operation.name as WriteName, parameters) };
	} catch {
		return undefined;
	}
}

/** The last-applied tag of a state, or undefined. Throws StorageError if it is invalid. */
export function readLastAppliedTag(value: unknown, by: StateContext): LastAppliedTag | undefined {
	if (value === undefined) return undefined;
	const tag = (value ?? {}) as Partial<Record<keyof LastAppliedTag, unknown>>;
	const { appliedAt, name, present, gone, updatedAt, completedAtMs } = tag;
	const isTag = isPast(appliedAt, by) && typeof name === "string" && typeof updatedAt === "string";
	// By the service's clock: one that is far ahead of ours is no error, and its time is not used.
	const isUsable = typeof completedAtMs === "number" && completedAtMs <= by.nowMs + clockMarginMs;
	const time = isUsable ? { completedAtMs } : {};
	if (isTag && isIds(present) && isIds(gone)) return { appliedAt, name, present, gone, updatedAt, ...time };
	throw invalidState(by, "`lastApplied` is invalid");
}

/** The last-applied policy of a state, or undefined. Throws StorageError if it is invalid. */
export function readLastAppliedPolicy(value: unknown, by: StateContext): LastAppliedPolicy | undefined {
	if (value === undefined) return undefined;
	const { appliedAt, name } = (value ?? {}) as Partial<Record<keyof LastAppliedPolicy, unknown>>;
	if (isPast(appliedAt, by) && typeof name === "string") return { appliedAt, name };
	throw invalidState(by, "`lastApplied` is invalid");
}

/** The removal times of a state, by key. Throws StorageError if they are invalid. */
export function readRemovalTimes(value: unknown, by: StateContext): Readonly<Record<string, string>> {
	const entries = Object.entries((value ?? {}) as Readonly<Record<string, unknown>>);
	const isRecord = entries.every(([key, at]) => key.split("/").every(isId) && isPast(at, by));
	if (isRecord) return Object.fromEntries(entries) as Record<string, string>;
	throw invalidState(by, "`removedAt` is invalid");
}

function invalidState({ resource }: StateContext, what: string, hint?: string): StorageError {
	const change = "check who changed the state, and fix it with `pulumi state edit`";
	return new StorageError(`the state of \`${showText(resource)}\` is invalid, nothing was submitted: ${what}`, {
		hint: hint === undefined ? change : `${change}; ${hint}`,
	});
}

function readActivity(item: unknown, by: StateContext): StoredActivity {
	const stored = (item ?? {}) as Partial<Record<keyof StoredActivity, unknown>>;
	const { activityId, fingerprint, outcome, body, requestDigest, covers, sentAt } = stored;
	const isNamed = (activityId === null || isName(activityId)) && isName(fingerprint);
	const hasBody = body !== undefined || requestDigest !== undefined;
	const isWhole =
		!hasBody ||
		(typeof body === "string" &&
			typeof requestDigest === "string" &&
			(covers === undefined || isTexts(covers)) &&
			(sentAt === undefined || isPast(sentAt, by)));
	if (isNamed && typeof outcome === "string" && isWhole) return item as StoredActivity;
	throw invalidState(by, "`activities` has an invalid entry");
}

function findMistake(
	{ fingerprint, outcome, body, requestDigest }: StoredActivity,
	by: StateContext,
): string | undefined {
	if (!isStoredOutcome(outcome)) return "has an outcome that is never stored";
	if (body === undefined) return undefined;
	const decoded = decodeExactly(body);
	if (decoded === undefined) return "has a body that orgsync did not create";
	if (decoded.fingerprint !== fingerprint) return "has a body with another fingerprint";
	if (decoded.organizationId !== by.organizationId) return "is for another organization";
	const { name } = decoded.operation;
	if (!by.operations.some((one) => one === name)) return `is a ${name}, not a ${by.operations.join(" or ")}`;
	return decoded.requestDigest === requestDigest ? undefined : "has a body that does not match its request digest";
}

function isPast(value: unknown, { nowMs }: StateContext): value is string {
	return typeof value === "string" && Date.parse(value) <= nowMs + clockMarginMs;
}

/** Whether a value is an id or a fingerprint that is safe to print. */
function isName(value: unknown): value is string {
	return typeof value === "string" && /^[^\s\p{C}`]{1,200}$/u.test(value);
}

function isId(value: unknown): boolean {
	return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

function isIds(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every(isId);
}
