/** What read-only kinds share: only fields that a document writes are compared, and differences are only reported. */
import { printAddress } from "../address.ts";
import type { Differences, ReportChange, Unread } from "../change.ts";
import { labelOfObject } from "../objects.ts";
import {
	type DesiredExpectation,
	type DesiredOrganization,
	expectationsOf,
	type Known,
	type LiveOrganization,
	type LiveRecord,
	liveKeyOf,
} from "../organization.ts";
import { canonicalJson, sameValue } from "../value.ts";
import type { ReadOnlyKind } from "./kind.ts";

export function readOnlyKind(kind: Omit<ReadOnlyKind, "action" | "differences">): ReadOnlyKind {
	return {
		...kind,
		action: "report",
		differences: (desired, live) => expectationDifferences(kind, desired, live),
	};
}

type Comparable = Pick<ReadOnlyKind, "name" | "matches" | "nameField" | "groupedBy">;

function expectationDifferences(kind: Comparable, desired: DesiredOrganization, live: LiveOrganization): Differences {
	const changes: ReportChange[] = [];
	const unread: Unread[] = [];
	for (const expected of expectationsOf(desired, kind.name)) {
		const address = printAddress(kind.name, labelOfObject(expected, desired));
		const found = findRecord(kind, expected, live);
		if (!found.known) unread.push({ scope: "object", address, because: found.because, standsIn: "nothing" });
		else changes.push(...compareRecord(kind, expected, found.value, address));
	}
	return { changes, problems: [], unread };
}

/** Returns the live record of the expected object; null when there is none. */
function findRecord(kind: Comparable, expected: DesiredExpectation, live: LiveOrganization): Known<LiveRecord | null> {
	const records = live.records[kind.name]?.[liveKeyOf(expected)];
	if (records === undefined) return { known: false, because: { kind: "not-asked" } };
	if (!records.known) return records;
	return { known: true, value: records.value.find((record) => kind.matches(record, expected)) ?? null };
}

function compareRecord(
	{ name: kind, nameField, groupedBy }: Comparable,
	{ fields, group }: DesiredExpectation,
	live: LiveRecord | null,
	address: ReportChange["address"],
): readonly ReportChange[] {
	const differing = Object.keys(fields).filter(
		(field) => live === null || !sameValue(normalize(field, fields[field]), liveField(live, field, nameField)),
	);
	if (live !== null && differing.length === 0) return [];
	const change: ReportChange = {
		address,
		kind,
		action: "report",
		reason: live === null ? "not-there" : "differs",
		...(groupedBy === "user" && group !== null ? { userId: group } : {}),
		basis: "live",
		before:
			live === null ? null : Object.fromEntries(differing.map((field) => [field, liveField(live, field, nameField)])),
		after: Object.fromEntries(differing.map((field) => [field, normalize(field, fields[field])])),
	};
	return [change];
}

function liveField(live: LiveRecord, field: string, nameField: string | null): unknown {
	const key = field === "name" && nameField !== null ? nameField : field;
	// docs/internals/service.md#boot-proof: real answers carry the vendor's word in this name.
	const value = live[key] ?? (key === "cloudAttestationDocB64" ? live.awsAttestationDocB64 : undefined);
	return normalize(field, value ?? null);
}

/** Drops nulls and the order of sets: earn providers, and methods within a step (docs/internals/service.md#mfa-policy). */
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
