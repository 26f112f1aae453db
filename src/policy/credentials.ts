/** What users sign and log in with, as it was read, with how long it lasts (docs/credentials.md). Ids are lower case. */
import type { Known, NotRead } from "./access.ts";

/** Texts are null, and times unknown, where the service does not show them. */
export interface Credential {
	readonly id: string | null;
	readonly name: string;
	/** Milliseconds since 1970. */
	readonly createdAtMs: number | null;
}

export interface ApiKey extends Credential {
	/** For example `CREDENTIAL_TYPE_API_KEY_P256`. */
	readonly type: string | null;
	/** Milliseconds since 1970; infinite for a key that never expires. */
	readonly expiresAtMs: number | null;
	readonly sessionProfileId: string | null;
}

export interface OauthProvider extends Credential {
	readonly issuer: string | null;
	readonly audience: string | null;
	readonly subject: string | null;
}

/** The credentials of one user. A list that the service does not show is unknown. */
export interface UserCredentials {
	/** Of the user. */
	readonly id: string;
	/** Null: the service shows none. */
	readonly email: string | null;
	readonly phoneNumber: string | null;
	/** Login sessions are among them. */
	readonly apiKeys: Known<readonly ApiKey[]>;
	readonly authenticators: Known<readonly Credential[]>;
	readonly oauthProviders: Known<readonly OauthProvider[]>;
}

const sessionTypes: readonly string[] = [
	...["RECOVER_USER_KEY_P256", "EMAIL_AUTH_KEY_P256", "OTP_AUTH_KEY_P256", "READ_WRITE_SESSION_KEY_P256"],
	...["OAUTH_KEY_P256", "LOGIN"],
].map((type) => `CREDENTIAL_TYPE_${type}`);

/** Whether a login made the key. One of an unknown type is none: nothing is excepted by mistake. */
export function isSession({ type }: ApiKey): boolean {
	return type !== null && sessionTypes.includes(type);
}

/** Returns the keys that are no login sessions and have not expired at this time. */
export function keysAt(apiKeys: readonly ApiKey[], atMs: number): readonly ApiKey[] {
	return apiKeys.filter((key) => !isSession(key) && (key.expiresAtMs === null || key.expiresAtMs > atMs));
}

/**
 * Returns the anchor of a user without another lasting credential, whom the service would not let exist without it: of the keys that
 * never expire the oldest, so that a new one is not excepted. Null where there is none. Unverified, chosen: an e-mail address or a
 * phone number is no lasting credential, because no read shows whether its login is enabled.
 */
export function anchorOf(
	user: Pick<UserCredentials, "apiKeys" | "authenticators" | "oauthProviders">,
): Known<ApiKey | null> {
	const { apiKeys, authenticators, oauthProviders } = user;
	const [first, second] = [authenticators, oauthProviders].map((list) => (list.known ? list.value.length > 0 : null));
	if (first === true || second === true) return { known: true, value: null };
	for (const list of [apiKeys, authenticators, oauthProviders]) if (!list.known) return list;
	const lasting = (apiKeys.known ? apiKeys.value : []).filter(
		(key) => !isSession(key) && key.expiresAtMs === Number.POSITIVE_INFINITY,
	);
	const age = ({ createdAtMs }: ApiKey): number => createdAtMs ?? Number.POSITIVE_INFINITY;
	return { known: true, value: lasting.toSorted((one, other) => age(one) - age(other))[0] ?? null };
}

/** A user without a lasting credential; `until` is when the last one expires, milliseconds since 1970, null where that is unknown. */
export interface Unfenceable {
	readonly userId: string;
	readonly until: number | null;
	/** Why it is unknown whether one lasts; null where none does. */
	readonly because: NotRead | null;
}

/** Returns users whose last credential expires, or may. A user without any has none to lose. */
export function listUnfenceable(users: readonly UserCredentials[], atMs: number): readonly Unfenceable[] {
	return users.flatMap(({ id: userId, apiKeys, authenticators, oauthProviders }): readonly Unfenceable[] => {
		const lists = [apiKeys, authenticators, oauthProviders];
		const keys = apiKeys.known ? keysAt(apiKeys.value, atMs) : [];
		const lasts = keys.some(({ expiresAtMs }) => expiresAtMs === Number.POSITIVE_INFINITY);
		if (lasts || [authenticators, oauthProviders].some((list) => list.known && list.value.length > 0)) return [];
		const unread = lists.find((list) => !list.known);
		if (unread !== undefined && !unread.known) return [{ userId, until: null, because: unread.because }];
		const ends = keys.map(({ expiresAtMs }) => expiresAtMs);
		const until = ends.every((end) => end !== null) ? Math.max(...ends) : null;
		return keys.length === 0 ? [] : [{ userId, until, because: null }];
	});
}
