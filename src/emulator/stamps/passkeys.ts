/** Stamps by passkey: whether an assertion is for these bytes and site, by a person who was present, and not used before. */
import { createHash } from "node:crypto";
import {
	allowsUnverifiedUser,
	isAllowedOrigin,
	passkeyClientDataType,
	passkeyDefaults,
	passkeyScheme,
} from "../assumptions.ts";
import { putEntity } from "../kinds/entity-kind.ts";
import { type Authenticator, users } from "../kinds/user.ts";
import { unauthenticated } from "../request-error.ts";
import type { ActivityRecord, Assertion, Organization, Signer, StateChange } from "../state.ts";
import { readMembers, readObject, signatureFits } from "./signatures.ts";

export interface RegisteredAuthenticator {
	readonly userId: string;
	readonly authenticator: Authenticator;
}

const headerMembers = ["authenticatorData", "clientDataJson", "credentialId", "signature"];

function sha256(...parts: readonly (Buffer | string)[]): Buffer {
	const hash = createHash("sha256");
	for (const part of parts) hash.update(part);
	return hash.digest();
}

/** Throws a 401 RequestError unless the assertion has a property that it needs. */
function demand(holds: boolean, message: string): void {
	if (!holds) throw unauthenticated(message);
}

function checkClientData(clientData: Buffer, rawBody: Buffer, authenticator: Authenticator): void {
	const text = clientData.toString("utf8");
	const [type, challenge, origin] = readMembers(text, ["type", "challenge", "origin"]) ?? [];
	demand(type === passkeyClientDataType, `clientDataJson of X-Stamp-WebAuthn is not of type ${passkeyClientDataType}`);
	const expected = Buffer.from(sha256(rawBody).toString("hex"), "utf8").toString("base64url");
	demand(
		challenge?.replace(/=+$/, "") === expected,
		"the challenge of X-Stamp-WebAuthn is not the SHA-256 of the body",
	);
	demand(
		origin !== undefined && isAllowedOrigin(origin, authenticator),
		"the origin of X-Stamp-WebAuthn is not one that the passkey is for",
	);
	demand(readObject(text)?.crossOrigin !== true, "X-Stamp-WebAuthn was made in a frame of another site (crossOrigin)");
}

const flagBits = {
	present: 0x01,
	verified: 0x04,
	backupEligible: 0x08,
	backedUp: 0x10,
	attested: 0x40,
	extended: 0x80,
};

/** Returns the signature counter. Throws a RequestError unless the data are those of this passkey, used by a person. */
function checkAuthenticatorData(data: Buffer, authenticator: Authenticator): number {
	// 32 bytes of relying party, one of flags, four of counter; more only when a flag says so.
	const flags = data[32] ?? 0;
	const has = (bit: number): boolean => (flags & bit) !== 0;
	demand(
		data.length === 37 || (data.length > 37 && (has(flagBits.attested) || has(flagBits.extended))),
		"authenticatorData of X-Stamp-WebAuthn has the wrong length",
	);
	demand(
		data.subarray(0, 32).equals(sha256(authenticator.rpId ?? passkeyDefaults.rpId)),
		"authenticatorData of X-Stamp-WebAuthn is for another relying party than the passkey",
	);
	demand(has(flagBits.present), "authenticatorData of X-Stamp-WebAuthn does not say that the user was present");
	demand(
		has(flagBits.verified) || allowsUnverifiedUser(authenticator),
		"authenticatorData of X-Stamp-WebAuthn does not say that the user was verified",
	);
	demand(
		!has(flagBits.backedUp) || has(flagBits.backupEligible),
		"authenticatorData of X-Stamp-WebAuthn says backed up, but not that it can be",
	);
	return data.readUInt32BE(33);
}

/** Returns the user whose passkey stamped these exact bytes. Throws a 401 RequestError, with a message for each cause. */
export function verifyPasskey(
	header: string,
	rawBody: Buffer,
	authenticators: ReadonlyMap<string, RegisteredAuthenticator>,
): Signer {
	const [data, clientDataJson, credentialId, signature] = readMembers(header, headerMembers) ?? [];
	if (data === undefined || clientDataJson === undefined || credentialId === undefined || signature === undefined) {
		throw unauthenticated(`X-Stamp-WebAuthn is not a JSON object with ${headerMembers.join(", ")}`);
	}
	const owner = authenticators.get(credentialId.replace(/=+$/, ""));
	if (owner === undefined) throw unauthenticated("the credential of X-Stamp-WebAuthn is not registered");
	const { userId, authenticator } = owner;
	const clientData = Buffer.from(clientDataJson, "base64url");
	checkClientData(clientData, rawBody, authenticator);
	const authenticatorData = Buffer.from(data, "base64url");
	const signCount = checkAuthenticatorData(authenticatorData, authenticator);
	const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
	const signatureBytes = Buffer.from(signature, "base64url");
	if (!signatureFits(authenticator.publicKey, signed, signatureBytes)) {
		throw unauthenticated("the signature of X-Stamp-WebAuthn does not fit the credential");
	}
	// With the signature: a copy of the passkey can sign the same data, but not with the same signature.
	const digest = `sha256:${sha256(signed, signatureBytes).toString("hex")}`;
	const assertion: Assertion = { credentialId: authenticator.credentialId, signCount, digest };
	return { userId, publicKey: authenticator.publicKey, signature, scheme: passkeyScheme, assertion };
}

/** Returns what accepting the stamp changes. `known`: the activity of the same bytes. Throws a 401 RequestError for a replay. */
export function acceptAssertion(
	organization: Organization,
	{ userId, signature, assertion }: Signer,
	known: ActivityRecord | undefined,
): readonly StateChange[] {
	const user = organization.entities(users).get(userId);
	if (assertion === undefined || user === undefined) return [];
	const { credentialId, signCount, digest } = assertion;
	const passkey = user.authenticators.find((one) => one.credentialId === credentialId);
	const { signCount: lastCount = 0, lastAssertion } = passkey ?? {};
	if (known?.votes.some((vote) => vote.userId === userId && vote.signature === signature)) return [];
	if (signCount === 0 && lastCount === 0) return [];
	if (digest === lastAssertion) return [];
	if (signCount <= lastCount) {
		throw unauthenticated(
			`the counter of X-Stamp-WebAuthn is ${signCount}, and the passkey's last was ${lastCount}: the stamp was used before, or the passkey was copied`,
		);
	}
	const authenticators = user.authenticators.map((one) =>
		one.credentialId === credentialId ? { ...one, signCount, lastAssertion: digest } : one,
	);
	return [putEntity(users, { ...user, authenticators })];
}
