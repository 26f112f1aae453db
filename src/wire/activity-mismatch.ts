/** Whether an activity is that of a request: a fingerprint alone is a claim, and the rest has to agree with it. Pure. */
import { isRecord } from "../common/json.ts";
import type { Activity } from "./activity.ts";
import { parametersOf, type RequestBody } from "./request-body.ts";

/**
 * Returns what of the activity differs from the request, for messages; null when all of it matches. Ids match in any case, lists
 * of ids in any order, and an absent, null or empty value is no value.
 *
 * Unverified, chosen: an answer without an intent matches. A vote may also be answered with the activity that was voted on, which
 * its parameters name by fingerprint; then only the organization is compared.
 */
export function findMismatch(body: RequestBody, activity: Activity): string | null {
	const { operation, organizationId, fingerprint } = body;
	const parameters = parametersOf(body);
	const isVote = operation.fields.includes("fingerprint");
	const isTarget = isVote && activity.fingerprint === parameters.fingerprint;
	if (activity.fingerprint !== fingerprint && !isTarget) return "another fingerprint";
	if (activity.organizationId.toLowerCase() !== organizationId.toLowerCase()) {
		return `the organization ${plain(activity.organizationId)} in place of ${organizationId}`;
	}
	if (isTarget) return null;
	if (activity.type !== operation.type) return `the type ${plain(activity.type)} in place of ${operation.type}`;
	const { intent } = activity;
	const field =
		intent === null
			? undefined
			: operation.fields.find((name) => normalize(name, intent[name]) !== normalize(name, parameters[name]));
	return field === undefined ? null : `another ${field} in its intent`;
}

/** Returns a word of the answer if it is one. */
function plain(text: string): string {
	return /^[\w-]{1,100}$/.test(text) ? text : "(unreadable)";
}

/** Returns a text that is the same for the values of a field that mean the same. */
function normalize(field: string, value: unknown): string {
	if (Array.isArray(value)) {
		// Policies to create are in the order in which the service makes their ids.
		if (value.some(isRecord)) return JSON.stringify(value.map((one) => (isRecord(one) ? withoutEmpty(one) : one)));
		const ids = value.map((id) => String(id).toLowerCase());
		return ids.length === 0 ? "null" : JSON.stringify([...new Set(ids)].sort());
	}
	if (value === undefined || value === "") return "null";
	// Only ids have no case.
	return JSON.stringify(typeof value === "string" && field.endsWith("Id") ? value.toLowerCase() : value);
}

function withoutEmpty(record: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
	const written = Object.entries(record).filter(([, value]) => value !== undefined && value !== null && value !== "");
	return written.sort(([left], [right]) => (left < right ? -1 : 1));
}
