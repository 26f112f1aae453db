/**
 * Checks what a state keeps besides inputs, before it is used. A state file is not trusted: writing one must not be enough
 * to choose what is submitted, or to make a change look applied.
 *
 * An activity is usable only if its body is exactly what orgsync would encode for its operation, organization and
 * parameters, and if fingerprint and request digest are those of that body. Everything else is refused, by name.
 */
import { StorageError } from "../errors.ts";
import { showText } from "../escape.ts";
import type { LastAppliedTag } from "../plan/organization.ts";
import type { Outcome } from "../plan/report.ts";
import { requestDigestOf } from "../sync/journal.ts";
import type { SubmitName } from "../wire/operations.ts";
import { decodeSubmit, encodeSubmit, type RequestBody } from "../wire/request-body.ts";

/** An activity that has not completed, as a state keeps it. */
export interface KeptActivity {
	/** Null when it was sent and never answered. */
	readonly activityId: string | null;
	readonly fingerprint: string;
	readonly outcome: Outcome;
	/** The exact request body; left out when another client submitted it. */
	readonly body?: string;
	readonly requestDigest?: string;
	readonly covers?: readonly string[];
	readonly sentAt?: string;
}

/** Whose state it is. */
export interface KeptBy {
	/** The resource's name in the program. */
	readonly resource: string;
	readonly organizationId: string;
	/** The only operation that this kind of resource submits. */
	readonly operation: SubmitName;
	/** Activities to abandon, by id or fingerprint in lower case: they are left out, whatever they hold. */
	readonly abandon: readonly string[];
	/** Hears of each activity that is left out so. */
	readonly onAbandoned?: (name: string) => void;
	/** Milliseconds since 1970. */
	readonly nowMs: number;
}

const keptOutcomes: ReadonlySet<string> = new Set<Outcome>([
	"awaiting-approval",
	"awaiting-authenticator",
	"rejected",
	"failed",
	"unknown",
	"not-attempted",
]);

/** Clocks of two machines differ by less than this. */
const clockMarginMs = 60 * 60 * 1000;

/** Whether an activity of this outcome is kept: a completed one needs no keeping, and nothing can come of a denied one. */
export function isKeptOutcome(outcome: string): boolean {
	return keptOutcomes.has(outcome);
}

/** The activities of a state, without abandoned ones. Throws StorageError for one that cannot be used. */
export function readKeptActivities(value: unknown, by: KeptBy): readonly KeptActivity[] {
	if (value === undefined) return [];
	if (!Array.isArray(value)) throw refuse(by, "`activities` is not a list");
	return value.flatMap((item: unknown): readonly KeptActivity[] => {
		const activity = readActivity(item, by);
		const names = [activity.activityId ?? "", activity.fingerprint].map((name) => name.toLowerCase());
		if (names.some((name) => by.abandon.includes(name))) {
			by.onAbandoned?.(activity.activityId ?? activity.fingerprint);
			return [];
		}
		const mistake = findMistake(activity, by);
		if (mistake === undefined) return [activity];
		const name = activity.activityId ?? activity.fingerprint;
		throw refuse(by, `activity ${name} ${mistake}`, `to leave it out: \`pulumi config set orgsync:abandon ${name}\``);
	});
}

/** The operation, organization and parameters of the bytes, if orgsync made them; undefined if it would make others. */
export function decodeExactly(bytes: string): (RequestBody & { readonly requestDigest: string }) | undefined {
	const body = decodeSubmit(bytes);
	if (body === undefined) return undefined;
	const { operation, organizationId, timestampMs } = body;
	try {
		const { parameters } = JSON.parse(bytes) as { parameters: Record<string, unknown> };
		// Other bytes of the same meaning could mean something else to another parser.
		if (encodeSubmit(operation, organizationId, parameters, timestampMs).bytes !== bytes) return undefined;
		return { ...body, requestDigest: requestDigestOf(organizationId, operation.name as SubmitName, parameters) };
	} catch {
		return undefined;
	}
}

/** What a state says was last applied to a tag, or undefined. Throws StorageError if it is no such record. */
export function readKeptTag(value: unknown, by: KeptBy): LastAppliedTag | undefined {
	if (value === undefined) return undefined;
	const { appliedAt, name, present, gone, updatedAt } = (value ?? {}) as Partial<Record<keyof LastAppliedTag, unknown>>;
	const isTag = isPast(appliedAt, by) && typeof name === "string" && typeof updatedAt === "string";
	if (isTag && isIds(present) && isIds(gone)) return { appliedAt, name, present, gone, updatedAt };
	throw refuse(by, "`lastApplied` is not a record of what was applied");
}

/** What a state says was removed, by key, with its time. Throws StorageError if it is no such record. */
export function readKeptTimes(value: unknown, by: KeptBy): Readonly<Record<string, string>> {
	const entries = Object.entries((value ?? {}) as Readonly<Record<string, unknown>>);
	const isRecord = entries.every(([key, at]) => key.split("/").every(isId) && isPast(at, by));
	if (isRecord) return Object.fromEntries(entries) as Record<string, string>;
	throw refuse(by, "`removedAt` is not a record of what was removed");
}

function refuse({ resource }: KeptBy, what: string, hint?: string): StorageError {
	const change = "see who changed the state; `pulumi state edit` corrects it";
	return new StorageError(`the state of \`${showText(resource)}\` cannot be used, nothing was sent: ${what}`, {
		hint: hint === undefined ? change : `${change}; ${hint}`,
	});
}

/** The item as an activity, as far as its shape goes. */
function readActivity(item: unknown, by: KeptBy): KeptActivity {
	const kept = (item ?? {}) as Partial<Record<keyof KeptActivity, unknown>>;
	const { activityId, fingerprint, outcome, body, requestDigest, covers, sentAt } = kept;
	const isNamed = (activityId === null || isName(activityId)) && isName(fingerprint);
	const hasBody = body !== undefined || requestDigest !== undefined;
	const isWhole =
		!hasBody ||
		(typeof body === "string" &&
			typeof requestDigest === "string" &&
			(covers === undefined || isTexts(covers)) &&
			(sentAt === undefined || isPast(sentAt, by)));
	if (isNamed && typeof outcome === "string" && isWhole) return item as KeptActivity;
	throw refuse(by, "`activities` holds what is no record of an activity");
}

/** Why an activity cannot be used, or undefined if it can. */
function findMistake({ fingerprint, outcome, body, requestDigest }: KeptActivity, by: KeptBy): string | undefined {
	if (!isKeptOutcome(outcome)) return "has an outcome that is never kept";
	if (body === undefined) return undefined;
	const decoded = decodeExactly(body);
	if (decoded === undefined) return "has a body that orgsync did not make";
	if (decoded.fingerprint !== fingerprint) return "has a body of another fingerprint";
	if (decoded.organizationId !== by.organizationId) return "is for another organization";
	if (decoded.operation.name !== by.operation) return `is a ${decoded.operation.name}, not a ${by.operation}`;
	return decoded.requestDigest === requestDigest ? undefined : "has a body that does something else than recorded";
}

function isPast(value: unknown, { nowMs }: KeptBy): value is string {
	return typeof value === "string" && Date.parse(value) <= nowMs + clockMarginMs;
}

/** An id or a fingerprint, as it may stand in a message. */
function isName(value: unknown): value is string {
	return typeof value === "string" && /^[^\s\p{C}`]{1,200}$/u.test(value);
}

function isId(value: unknown): boolean {
	return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

function isTexts(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isIds(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every(isId);
}
