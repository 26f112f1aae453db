/**
 * Turns answers of the service into what decides who can do what: ids in lower case, lists sorted. What an answer does not
 * show, or shows in a form that orgsync does not know, is unknown with its reason, never empty. Pure.
 */
import { defined } from "../../common/defined.ts";
import { isRecord, isTexts, textOrNull } from "../../common/json.ts";
import type { LivePolicy, LiveRecord } from "../../plan/organization.ts";
import { compareText } from "../../plan/value.ts";
import type { AccessCredential, AccessPolicy, AccessUser, Known, NotRead, RootQuorum } from "../../policy/access.ts";
import { judgeTime } from "../../policy/powers/compile.ts";
import { readTime } from "../../wire/activity.ts";
import { onceEach, toId } from "./live-objects.ts";

/** Returns the users of a `list_users` answer, sorted by id (docs/internals/service.md#extended-reads). */
export const toAccessUsers = onceEach((answer): Known<readonly AccessUser[]> => {
	const records = recordsWithId(answer.users, "userId");
	if (records === undefined) return unknown({ kind: "no-list", query: "list_users", of: "users" });
	/**
	 * Unverified, chosen: an answer that shows an e-mail address of any user leaves it out only for users who have none. Where it
	 * shows none at all, the service may not show them.
	 */
	const showsEmail = records.some(({ userEmail }) => userEmail !== undefined);
	return uniqueById(
		records.map((record) => toAccessUser(record, showsEmail)),
		"list_users",
	);
});

function toAccessUser(record: LiveRecord, showsEmail: boolean): AccessUser {
	const { userId, userTags, userEmail } = record;
	return {
		id: toId(userId),
		tagIds: isTexts(userTags)
			? { known: true, value: toIds(userTags) }
			: unknown({ kind: "user-part-not-shown", part: "tags", userId: toId(userId) }),
		email: showsEmail ? { known: true, value: textOrNull(userEmail) } : unknown({ kind: "emails-not-shown" }),
		credentials: toCredentials(record),
	};
}

/** Returns API keys and authenticators, sorted; unknown unless the record shows both lists. */
function toCredentials({ userId, apiKeys, authenticators }: LiveRecord): AccessUser["credentials"] {
	if (!isListOfRecords(apiKeys) || !isListOfRecords(authenticators)) {
		return unknown({ kind: "user-part-not-shown", part: "credentials", userId: toId(userId) });
	}
	const all = [
		...apiKeys.map((key) => toCredential(key, "apiKeyId")),
		...authenticators.map((one) => toCredential(one, "authenticatorId")),
	];
	return { known: true, value: all.sort((left, right) => compareText(sortKey(left), sortKey(right))) };
}

/** Returns the credential; its type and its public key may be in `credential` or beside it. */
function toCredential(record: LiveRecord, idField: string): AccessCredential {
	const inner = isRecord(record.credential) ? record.credential : {};
	const publicKey = textOrNull(inner.publicKey ?? record.publicKey);
	return {
		id: textOrNull(record[idField])?.toLowerCase() ?? null,
		type: textOrNull(inner.type ?? record.type),
		credentialId: textOrNull(record.credentialId),
		publicKey: publicKey?.toLowerCase() ?? null,
	};
}

function sortKey({ id, type, credentialId, publicKey }: AccessCredential): string {
	return JSON.stringify([id, type, credentialId, publicKey]);
}

/** Returns the policies of a `list_policies` answer, sorted by id (docs/internals/service.md#policy-language). */
export const toAccessPolicies = onceEach((answer): Known<readonly AccessPolicy[]> => {
	const records = recordsWithId(answer.policies, "policyId");
	if (records === undefined) return unknown({ kind: "no-list", query: "list_policies", of: "policies" });
	for (const record of records) {
		const clause = clauses.find((name) => !isClause(record[name]));
		if (clause !== undefined) return unknown({ kind: "clause-form-unknown", clause, id: toId(record.policyId) });
	}
	return uniqueById(
		records.map((record) => ({
			id: toId(record.policyId),
			name: textOrNull(record.policyName) ?? "",
			effect: textOrNull(record.effect) ?? "",
			consensus: textOrNull(record.consensus) ?? "",
			condition: textOrNull(record.condition) ?? "",
			time: textOrNull(record.time) ?? "",
		})),
		"list_policies",
	);
});

/** Returns the same with their notes; a list with a clause in an unknown form is unknown as a whole. */
export const toLivePolicies = onceEach((answer): Known<readonly LivePolicy[]> => {
	const policies = toAccessPolicies(answer);
	if (!policies.known) return policies;
	const records = new Map((answer.policies as readonly LiveRecord[]).map((one) => [toId(one.policyId), one]));
	const more = (record: LiveRecord | undefined): Pick<LivePolicy, "notes" | "createdAt"> => {
		const createdAtMs = readTime(record?.createdAt);
		const createdAt = createdAtMs === undefined ? undefined : new Date(createdAtMs).toISOString();
		return { notes: textOrNull(record?.notes) ?? "", ...defined({ createdAt }) };
	};
	return { known: true, value: policies.value.map((one) => ({ ...one, ...more(records.get(one.id)) })) };
});

const clauses = ["consensus", "condition", "time"] as const;

/** Absent or empty, a clause does not restrict; any other form than a text is not understood. */
function isClause(value: unknown): boolean {
	return value === undefined || value === null || typeof value === "string";
}

/** Returns the policies with what a `get_active_policies` answer says of their times; as they are where it has another form. */
export function toStatedTimes(
	{ statuses, evaluatedAtMs }: LiveRecord,
	policies: readonly AccessPolicy[],
): readonly AccessPolicy[] {
	const atMs = Number(textOrNull(evaluatedAtMs) ?? Number.NaN);
	if (!isListOfRecords(statuses) || !Number.isFinite(atMs)) return policies;
	const active = new Map(statuses.map(({ policyId, active: isActive }) => [toId(policyId), isActive]));
	return policies.map((policy) => {
		const isActive = active.get(policy.id);
		if (typeof isActive !== "boolean" || policy.time.trim() === "") return policy;
		// Where orgsync finds the same, the service's word adds nothing.
		const isSame = judgeTime(policy, atMs) === (isActive ? "open" : "closed");
		return isSame ? policy : { ...policy, stated: { isActive, atMs } };
	});
}

/** Returns the root quorum of a `get_organization_configs` answer. */
export const toRootQuorum = onceEach(({ configs }): Known<RootQuorum> => {
	const quorum = isRecord(configs) ? configs.quorum : undefined;
	if (!isRecord(quorum)) return unknown({ kind: "root-quorum-not-shown" });
	const { threshold, userIds } = quorum;
	if (typeof threshold !== "number" || !Number.isInteger(threshold) || threshold < 1 || !isTexts(userIds)) {
		return unknown({ kind: "root-quorum-form-unknown" });
	}
	return { known: true, value: { threshold, userIds: toIds(userIds) } };
});

/** Returns a list of records that all have an id; undefined for anything else. */
export function recordsWithId(value: unknown, idField: string): readonly LiveRecord[] | undefined {
	if (!isListOfRecords(value)) return undefined;
	return value.every((record) => typeof record[idField] === "string" && record[idField] !== "") ? value : undefined;
}

/** Returns the objects sorted by id; unknown where two have the same id, since one of them may be outdated. */
export function uniqueById<T extends { readonly id: string }>(
	objects: readonly T[],
	query: string,
): Known<readonly T[]> {
	const sorted = objects.toSorted((left, right) => compareText(left.id, right.id));
	const twice = sorted.find(({ id }, index) => sorted[index - 1]?.id === id);
	return twice === undefined ? { known: true, value: sorted } : unknown({ kind: "listed-twice", query, id: twice.id });
}

/** Returns ids in lower case, sorted, without repeats. */
function toIds(texts: readonly string[]): readonly string[] {
	return [...new Set(texts.map(toId))].sort(compareText);
}

export function isListOfRecords(value: unknown): value is readonly LiveRecord[] {
	return Array.isArray(value) && value.every(isRecord);
}

function unknown(because: NotRead): { readonly known: false; readonly because: NotRead } {
	return { known: false, because };
}
