/**
 * The kinds that can only be read: session profiles, MFA policies, boot proofs, supported assets. Only the fields that the
 * document writes are compared, and a difference is reported, never submitted.
 */

import { printAddress } from "./address.ts";
import type { Differences, ReportChange, Unread } from "./change.ts";
import type { Known, LiveRecord } from "./organization.ts";
import { canonicalJson, sameValue } from "./value.ts";

export interface Expectation {
	readonly label: string;
	readonly fields: Readonly<Record<string, unknown>>;
	readonly found: Known<LiveRecord | null> | undefined;
	/** The user whose object it is, where it is a user's. */
	readonly userId?: string;
	/** What the service calls the field that the document calls `name`; null when it is `name` there too. */
	readonly nameField: string | null;
}

/** One reported change for each expectation that live does not meet. */
export function expectationDifferences(kind: ReportChange["kind"], expectations: readonly Expectation[]): Differences {
	const changes: ReportChange[] = [];
	const unread: Unread[] = [];
	for (const { label, fields, found, nameField, userId } of expectations) {
		const address = printAddress(kind, label);
		if (found === undefined || !found.known) {
			unread.push({ scope: "object", address, because: found?.because ?? "it was not asked for", standsIn: "nothing" });
			continue;
		}
		const differing = Object.keys(fields).filter(
			(field) =>
				found.value === null || !sameValue(normalize(field, fields[field]), liveField(found.value, field, nameField)),
		);
		if (found.value !== null && differing.length === 0) continue;
		const live = found.value;
		changes.push({
			address,
			kind,
			action: "report",
			reason: live === null ? "not-there" : "differs",
			...(userId === undefined ? {} : { userId }),
			basis: "live",
			before:
				live === null ? null : Object.fromEntries(differing.map((field) => [field, liveField(live, field, nameField)])),
			after: Object.fromEntries(differing.map((field) => [field, normalize(field, fields[field])])),
		});
	}
	return { changes, problems: [], unread };
}

function liveField(live: LiveRecord, field: string, nameField: string | null): unknown {
	const key = field === "name" && nameField !== null ? nameField : field;
	// docs/service.md#boot-proof: real answers carry the vendor's word in this name.
	const value = live[key] ?? (key === "cloudAttestationDocB64" ? live.awsAttestationDocB64 : undefined);
	return normalize(field, value ?? null);
}

/**
 * The value in a form in which order and nulls that mean nothing are gone: within a step any one method is enough, so its
 * order carries no meaning (docs/service.md#mfa-policy); a set of earn providers neither.
 */
function normalize(field: string, value: unknown): unknown {
	if (field === "requiredAuthenticationMethods" && Array.isArray(value)) {
		return value.map((step: { any?: readonly Record<string, unknown>[] | null } | null) => ({
			any: (step?.any ?? [])
				.map(({ type, id }) => (id === undefined || id === null || id === "" ? { type } : { type, id }))
				.sort((left, right) => (canonicalJson(left) < canonicalJson(right) ? -1 : 1)),
		}));
	}
	if (field === "earnProviders" && Array.isArray(value)) return [...value].sort();
	return value;
}
