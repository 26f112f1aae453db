/** Finds the user who stamped a request. Written from docs/internals/service.md#stamps alone: a stamper's mistake cannot hide. */

import { toMilliseconds } from "../identifiers.ts";
import type { User } from "../kinds/user.ts";
import { unauthenticated } from "../request-error.ts";
import type { Signer } from "../state.ts";
import { type RegisteredAuthenticator, verifyPasskey } from "./passkeys.ts";
import { readMembers, signatureFits } from "./signatures.ts";

const apiKeyScheme = "SIGNATURE_SCHEME_TK_API_P256";

export interface StampHeaders {
	readonly apiKey: string | undefined;
	readonly passkey: string | undefined;
}

export type CredentialIndex = ReturnType<typeof indexCredentials>;

/** Returns the credentials of the users, by public key and by credential id. */
export function indexCredentials(users: Iterable<User>) {
	const apiKeys = new Map<string, { readonly userId: string; readonly expiresAtMs: number }>();
	const authenticators = new Map<string, RegisteredAuthenticator>();
	for (const user of users) {
		for (const { publicKey, expirationSeconds, createdAt = user.createdAt } of user.apiKeys) {
			const lifetimeMs = expirationSeconds === undefined ? Number.POSITIVE_INFINITY : Number(expirationSeconds) * 1000;
			apiKeys.set(publicKey, { userId: user.userId, expiresAtMs: toMilliseconds(createdAt) + lifetimeMs });
		}
		for (const authenticator of user.authenticators) {
			authenticators.set(authenticator.credentialId, { userId: user.userId, authenticator });
		}
	}
	return { apiKeys, authenticators };
}

function verifyApiKey(header: string, rawBody: Buffer, credentials: CredentialIndex, nowMs: number): Signer {
	const json = /^[A-Za-z0-9_-]+=*$/.test(header) ? Buffer.from(header, "base64url").toString("utf8") : "";
	const [publicKey, scheme, signature] = readMembers(json, ["publicKey", "scheme", "signature"]) ?? [];
	if (publicKey === undefined || scheme === undefined || signature === undefined) {
		throw unauthenticated("X-Stamp is not base64url of a JSON object with publicKey, scheme and signature");
	}
	if (scheme !== apiKeyScheme) throw unauthenticated(`X-Stamp names a scheme that is not ${apiKeyScheme}`);
	const lowerKey = publicKey.toLowerCase();
	const key = credentials.apiKeys.get(lowerKey);
	if (key === undefined) throw unauthenticated("the public key of X-Stamp is not registered in the organization");
	if (key.expiresAtMs <= nowMs) throw unauthenticated("the API key of X-Stamp has expired");
	if (!/^(?:[0-9a-fA-F]{2})+$/.test(signature)) throw unauthenticated("the signature of X-Stamp is not hex");
	if (!signatureFits(lowerKey, rawBody, Buffer.from(signature, "hex"))) {
		throw unauthenticated("the signature of X-Stamp does not fit the body and the public key");
	}
	return { userId: key.userId, publicKey: lowerKey, signature, scheme };
}

/** Returns the user whose credential stamped these exact bytes. Throws a 401 RequestError, with a message for each cause. */
export function verifyStamp(
	headers: StampHeaders,
	rawBody: Buffer,
	credentials: CredentialIndex,
	nowMs: number,
): Signer {
	if (headers.apiKey !== undefined && headers.passkey !== undefined) {
		throw unauthenticated("the request carries two stamps: send X-Stamp or X-Stamp-WebAuthn");
	}
	if (headers.apiKey !== undefined) return verifyApiKey(headers.apiKey, rawBody, credentials, nowMs);
	if (headers.passkey !== undefined) return verifyPasskey(headers.passkey, rawBody, credentials.authenticators);
	throw unauthenticated("the request carries no stamp: send X-Stamp or X-Stamp-WebAuthn");
}
