/** Checks a browser's signature (WebAuthn Level 3, 7.2) before it is used as a stamp (docs/internals/service.md#stamps). Pure. */
import { createHash, type KeyObject, verify } from "node:crypto";
import { isRecord, readJson } from "../common/json.ts";
import type { Stamp } from "../wire/stamp.ts";

/** The relying party of every passkey that orgsync uses: a page at a loopback address can use no other. */
export const relyingParty = "localhost";

/** A passkey that a user of the organization has registered. */
export interface KnownPasskey {
	/** base64url without padding. */
	readonly credentialId: string;
	/** Undefined if the service shows it in a form that orgsync does not know. */
	readonly publicKey: KeyObject | undefined;
	/** In lower case; undefined if the service does not say. */
	readonly userId?: string | undefined;
}

interface ExpectedAssertion {
	readonly body: string;
	/** The page's own origin. */
	readonly origin: string;
	/** Passkeys of the organization's users; undefined if they are not known. */
	readonly passkeys: readonly KnownPasskey[] | undefined;
	/** The id of the passkey that signed before; left out for the first signature. */
	readonly firstId?: string | undefined;
}

/** A stamp and the passkey that made it, or why there is none: a sentence without a full stop. */
type AssertionResult = { readonly stamp: Stamp; readonly credentialId: string } | { readonly problem: string };

/** Returns the WebAuthn challenge of a body: the lower-case hex SHA-256 of its UTF-8 bytes. */
export function challengeOf(body: string): string {
	return createHash("sha256").update(body, "utf8").digest("hex");
}

const members = ["authenticatorData", "clientDataJson", "credentialId", "signature"] as const;

type Assertion = Readonly<Record<(typeof members)[number], string>>;

/** Max characters of one member. Real ones have less than 1,500. */
const maxLength = 8192;

/** Returns the stamp that the answer makes. Anything that is not an assertion about exactly this body has a problem. */
export function checkAssertion(answer: unknown, expected: ExpectedAssertion): AssertionResult {
	const assertion = readAssertion(answer);
	if (assertion === undefined) return { problem: "the browser's answer is not a signature by a passkey" };
	const clientData = Buffer.from(assertion.clientDataJson, "base64url");
	const authenticatorData = Buffer.from(assertion.authenticatorData, "base64url");
	const problem =
		findClientDataProblem(clientData, "webauthn.get", challengeOf(expected.body), expected.origin) ??
		findAuthenticatorDataProblem(authenticatorData) ??
		findUserProblem(assertion, expected) ??
		findSignatureProblem(assertion, clientData, authenticatorData, expected.passkeys);
	if (problem !== undefined) return { problem };
	const value = Object.fromEntries(members.map((name) => [name, assertion[name]]));
	const stamp = { stampHeaderName: "X-Stamp-WebAuthn", stampHeaderValue: JSON.stringify(value) };
	return { stamp, credentialId: assertion.credentialId };
}

function readAssertion(answer: unknown): Assertion | undefined {
	if (!isRecord(answer)) return undefined;
	const isText = (name: string): boolean => isBase64url(answer[name]);
	return members.every(isText) ? (answer as Assertion) : undefined;
}

/** Whether the value is base64url without padding, and not too long. */
export function isBase64url(value: unknown): value is string {
	return typeof value === "string" && value.length <= maxLength && /^[A-Za-z0-9_-]+$/.test(value);
}

/** Returns why the client data are not those of this challenge on this page; undefined if they are. */
export function findClientDataProblem(
	clientData: Buffer,
	type: "webauthn.get" | "webauthn.create",
	challenge: string,
	origin: string,
): string | undefined {
	const read = readJson(clientData.toString("utf8"));
	const fields = "value" in read && isRecord(read.value) ? read.value : {};
	if (fields.type !== type) return `the browser's answer is not of type ${type}`;
	if (fields.challenge !== Buffer.from(challenge, "utf8").toString("base64url")) {
		return "the browser's answer is for another request than this one";
	}
	if (fields.origin !== origin) return "the browser's answer was made on another page than this one";
	const isFramed = (fields.crossOrigin ?? false) !== false || fields.topOrigin !== undefined;
	return isFramed ? "the browser's answer was made in a frame of another page" : undefined;
}

const flagBits = { present: 0x01, verified: 0x04, attested: 0x40, extended: 0x80 };

/** Returns why the data of the authenticator do not count; undefined if a person was present and verified. */
export function findAuthenticatorDataProblem(data: Buffer): string | undefined {
	const flags = data[32] ?? 0;
	const hasMore = (flags & (flagBits.attested | flagBits.extended)) !== 0;
	if (data.length < 37 || (data.length > 37 && !hasMore)) return "the authenticator's answer has the wrong length";
	if (!data.subarray(0, 32).equals(createHash("sha256").update(relyingParty).digest())) {
		return `the passkey is not for ${relyingParty}`;
	}
	if ((flags & flagBits.present) === 0) return "the authenticator does not say that a person was present";
	// Unverified, chosen: a passkey is used with its PIN, fingerprint or face, so that a key left in a machine is not enough.
	return (flags & flagBits.verified) === 0 ? "the authenticator did not verify the person who used it" : undefined;
}

/** Returns the passkeys of the user whose passkey signed before: all of them before the first signature. */
export function passkeysOfUser(
	passkeys: readonly KnownPasskey[],
	firstId: string | undefined,
): readonly KnownPasskey[] {
	const first = passkeys.find(({ credentialId }) => credentialId === firstId);
	if (first === undefined) return passkeys;
	return passkeys.filter((one) => one === first || (one.userId !== undefined && one.userId === first.userId));
}

/** Returns why the answer is not of the user who signed before: what is shown is judged for that user. */
function findUserProblem(
	{ credentialId }: Assertion,
	{ passkeys, firstId }: Pick<ExpectedAssertion, "passkeys" | "firstId">,
): string | undefined {
	if (firstId === undefined || credentialId === firstId) return undefined;
	const isOwn = passkeysOfUser(passkeys ?? [], firstId).some((one) => one.credentialId === credentialId);
	const isKnown = passkeys?.some((one) => one.credentialId === credentialId) ?? true;
	return isOwn || !isKnown
		? undefined
		: "another passkey signed before, and this one is not known to be the same user's";
}

function findSignatureProblem(
	{ credentialId, signature }: Assertion,
	clientData: Buffer,
	authenticatorData: Buffer,
	passkeys: readonly KnownPasskey[] | undefined,
): string | undefined {
	if (passkeys === undefined) return undefined;
	const passkey = passkeys.find((one) => one.credentialId === credentialId);
	if (passkey === undefined) return "no user of the organization has registered this passkey";
	if (passkey.publicKey === undefined) return undefined;
	const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientData).digest()]);
	const fits = verify("sha256", signed, passkey.publicKey, Buffer.from(signature, "base64url"));
	return fits ? undefined : "the signature does not fit the passkey that the organization has on record";
}
