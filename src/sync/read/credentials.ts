/** Turns a `list_users` answer into the credentials of its users (docs/internals/service.md#extended-reads). Pure. */
import { isRecord, textOrNull } from "../../common/json.ts";
import type { LiveRecord } from "../../plan/organization.ts";
import type { Known } from "../../policy/access.ts";
import type { ApiKey, UserCredentials } from "../../policy/credentials.ts";
import { readTime } from "../../wire/activity.ts";
import { isListOfRecords, recordsWithId, uniqueById } from "./access-objects.ts";
import { onceEach, toId } from "./live-objects.ts";

/** Returns the credentials of all users, sorted by user id. */
export const toUserCredentials = onceEach((answer): Known<readonly UserCredentials[]> => {
	const records = recordsWithId(answer.users, "userId");
	if (records === undefined) return { known: false, because: { kind: "no-list", query: "list_users", of: "users" } };
	return uniqueById(records.map(toUser), "list_users");
});

function toUser(record: LiveRecord): UserCredentials {
	const id = toId(record.userId);
	const list = <T>(value: unknown, convert: (one: LiveRecord) => T): Known<readonly T[]> =>
		isListOfRecords(value)
			? { known: true, value: value.map(convert) }
			: { known: false, because: { kind: "user-part-not-shown", part: "credentials", userId: id } };
	return {
		id,
		email: textOrNull(record.userEmail),
		phoneNumber: textOrNull(record.userPhoneNumber),
		apiKeys: list(record.apiKeys, toApiKey),
		authenticators: list(record.authenticators, (one) => toCredential(one, "authenticator")),
		oauthProviders: list(record.oauthProviders, (one) => ({
			...toCredential(one, "provider"),
			issuer: textOrNull(one.issuer),
			audience: textOrNull(one.audience),
			subject: textOrNull(one.subject),
		})),
	};
}

function toCredential(record: LiveRecord, kind: "apiKey" | "authenticator" | "provider") {
	const [id, name] = [textOrNull(record[`${kind}Id`]), record[`${kind}Name`]];
	return {
		id: id?.toLowerCase() ?? null,
		name: typeof name === "string" ? name : "",
		createdAtMs: readTime(record.createdAt) ?? null,
	};
}

/** Unverified, chosen: a key without `expirationSeconds` never expires; with them it does so long after its creation. */
function toApiKey(record: LiveRecord): ApiKey {
	const inner = isRecord(record.credential) ? record.credential : {};
	const key = toCredential(record, "apiKey");
	const { expirationSeconds: seconds = null } = record;
	const isNumber = /^\d{1,12}$/.test(String(seconds));
	const expiresAtMs = key.createdAtMs === null || !isNumber ? null : key.createdAtMs + Number(seconds) * 1000;
	return {
		...key,
		type: textOrNull(inner.type ?? record.type),
		expiresAtMs: seconds === null ? Number.POSITIVE_INFINITY : expiresAtMs,
		sessionProfileId: textOrNull(inner.sessionProfileId ?? record.sessionProfileId)?.toLowerCase() ?? null,
	};
}
