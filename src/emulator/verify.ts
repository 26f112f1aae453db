/**
 * Says which user stamped a request. Written from service-facts.md ("Stamps") alone and sharing no code with the
 * stampers, so that a mistake there cannot hide here.
 */
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { readJson } from "../json.ts";
import { cachedKeysLimit, passkeyClientDataType, passkeyScheme } from "./choices.ts";
import { unauthenticated } from "./refusals.ts";
import type { User, Voter } from "./state.ts";

const apiKeyScheme = "SIGNATURE_SCHEME_TK_API_P256";

/** DER of a SubjectPublicKeyInfo for a compressed P-256 point, up to the 33 bytes of the point. */
const spkiPrefix = Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex");

/** The two headers of interface.md 5, as received. */
export interface StampHeaders {
	readonly apiKey: string | undefined;
	readonly passkey: string | undefined;
}

/** Who owns which credential of one organization. */
export interface CredentialIndex {
	readonly apiKeys: ReadonlyMap<string, string>;
	readonly authenticators: ReadonlyMap<string, { readonly userId: string; readonly publicKey: string }>;
}

/** The credentials of `users`, by public key and by credential id. */
export function indexCredentials(users: Iterable<User>): CredentialIndex {
	const apiKeys = new Map<string, string>();
	const authenticators = new Map<string, { userId: string; publicKey: string }>();
	for (const user of users) {
		for (const key of user.apiKeys) apiKeys.set(key.publicKey, user.userId);
		for (const { credentialId, publicKey } of user.authenticators) {
			authenticators.set(credentialId, { userId: user.userId, publicKey });
		}
	}
	return { apiKeys, authenticators };
}

const keyObjects = new Map<string, KeyObject | null>();

/** The key of a compressed point, made once; null when the hex is not a point of the curve. */
function keyObjectOf(publicKey: string): KeyObject | null {
	const known = keyObjects.get(publicKey);
	if (known !== undefined) return known;
	let key: KeyObject | null = null;
	try {
		const der = Buffer.concat([spkiPrefix, Buffer.from(publicKey, "hex")]);
		key = createPublicKey({ key: der, format: "der", type: "spki" });
	} catch {
		key = null;
	}
	if (keyObjects.size >= cachedKeysLimit) keyObjects.clear();
	keyObjects.set(publicKey, key);
	return key;
}

function signatureFits(publicKey: string, signed: Buffer, signature: Buffer): boolean {
	const key = keyObjectOf(publicKey);
	if (key === null || signature.length === 0) return false;
	try {
		return verify("sha256", signed, key, signature);
	} catch {
		return false;
	}
}

/** The string members `names` of a JSON object, in order; undefined when it is not such an object. */
function readMembers(json: string, names: readonly string[]): readonly string[] | undefined {
	const read = readJson(json);
	const value = "value" in read ? read.value : undefined;
	if (typeof value !== "object" || value === null) return undefined;
	const members = names.map((name) => (value as Record<string, unknown>)[name]);
	return members.every((member) => typeof member === "string") ? members : undefined;
}

function verifyApiKey(header: string, rawBody: Buffer, credentials: CredentialIndex): Voter {
	const json = /^[A-Za-z0-9_-]+=*$/.test(header) ? Buffer.from(header, "base64url").toString("utf8") : "";
	const [publicKey, scheme, signature] = readMembers(json, ["publicKey", "scheme", "signature"]) ?? [];
	if (publicKey === undefined || scheme === undefined || signature === undefined) {
		throw unauthenticated("X-Stamp is not base64url of a JSON object with publicKey, scheme and signature");
	}
	if (scheme !== apiKeyScheme) throw unauthenticated(`X-Stamp names a scheme that is not ${apiKeyScheme}`);
	const lowerKey = publicKey.toLowerCase();
	const userId = credentials.apiKeys.get(lowerKey);
	if (userId === undefined) throw unauthenticated("the public key of X-Stamp is not registered in the organization");
	if (!/^(?:[0-9a-fA-F]{2})+$/.test(signature)) throw unauthenticated("the signature of X-Stamp is not hex");
	if (!signatureFits(lowerKey, rawBody, Buffer.from(signature, "hex"))) {
		throw unauthenticated("the signature of X-Stamp does not fit the body and the public key");
	}
	return { userId, publicKey: lowerKey, signature, scheme, passkey: false };
}

function checkClientData(clientData: Buffer, rawBody: Buffer): void {
	const [type, challenge] = readMembers(clientData.toString("utf8"), ["type", "challenge"]) ?? [];
	if (type !== passkeyClientDataType) {
		throw unauthenticated(`clientDataJson of X-Stamp-WebAuthn is not of type ${passkeyClientDataType}`);
	}
	const digest = createHash("sha256").update(rawBody).digest("hex");
	if (challenge?.replace(/=+$/, "") !== Buffer.from(digest, "utf8").toString("base64url")) {
		throw unauthenticated("the challenge of X-Stamp-WebAuthn is not the SHA-256 of the body");
	}
}

function verifyPasskey(header: string, rawBody: Buffer, credentials: CredentialIndex): Voter {
	const names = ["authenticatorData", "clientDataJson", "credentialId", "signature"];
	const [authenticatorData, clientDataJson, credentialId, signature] = readMembers(header, names) ?? [];
	if (
		authenticatorData === undefined ||
		clientDataJson === undefined ||
		credentialId === undefined ||
		signature === undefined
	) {
		throw unauthenticated(`X-Stamp-WebAuthn is not a JSON object with ${names.join(", ")}`);
	}
	const owner = credentials.authenticators.get(credentialId.replace(/=+$/, ""));
	if (owner === undefined) throw unauthenticated("the credential of X-Stamp-WebAuthn is not registered");
	const clientData = Buffer.from(clientDataJson, "base64url");
	checkClientData(clientData, rawBody);
	const authenticator = Buffer.from(authenticatorData, "base64url");
	// 32 bytes of relying party, one of flags, four of counter; the lowest flag says that the user was present.
	if (authenticator.length < 37 || ((authenticator[32] ?? 0) & 1) === 0) {
		throw unauthenticated("authenticatorData of X-Stamp-WebAuthn does not say that the user was present");
	}
	const signed = Buffer.concat([authenticator, createHash("sha256").update(clientData).digest()]);
	if (!signatureFits(owner.publicKey, signed, Buffer.from(signature, "base64url"))) {
		throw unauthenticated("the signature of X-Stamp-WebAuthn does not fit the credential");
	}
	return { ...owner, signature, scheme: passkeyScheme, passkey: true };
}

/** The user whose credential stamped these exact bytes. Throws a 401 refusal, with a message for each cause. */
export function verifyStamp(headers: StampHeaders, rawBody: Buffer, credentials: CredentialIndex): Voter {
	if (headers.apiKey !== undefined && headers.passkey !== undefined) {
		throw unauthenticated("the request carries two stamps: send X-Stamp or X-Stamp-WebAuthn");
	}
	if (headers.apiKey !== undefined) return verifyApiKey(headers.apiKey, rawBody, credentials);
	if (headers.passkey !== undefined) return verifyPasskey(headers.passkey, rawBody, credentials);
	throw unauthenticated("the request carries no stamp: send X-Stamp or X-Stamp-WebAuthn");
}
