/** Makes a passkey on the page, and returns what a service has to know to register it. */
import { randomBytes } from "node:crypto";
import { isRecord } from "../common/json.ts";
import { coseKeyBytes, readPublicKey } from "../wire/public-key.ts";
import { findAuthenticatorDataProblem, findClientDataProblem, isBase64url } from "./assertion.ts";
import type { PageTask } from "./page.ts";
import { createView } from "./views.ts";

interface NewPasskey {
	/** base64url without padding, like the others. */
	readonly credentialId: string;
	/** Compressed P-256 point in lower-case hex. */
	readonly publicKey: string;
	/** The challenge of its creation. */
	readonly challenge: string;
	readonly clientDataJson: string;
	readonly attestationObject: string;
	/** As the service names them, for example `AUTHENTICATOR_TRANSPORT_USB`. */
	readonly transports: readonly string[];
}

/** Returns the request to make a passkey for this user on a page with this origin. */
export function createRegistration(userName: string, origin: string): PageTask<NewPasskey> {
	const challenge = randomBytes(32).toString("base64url");
	return {
		browser: () => ({ kind: "create", challenge, userName }),
		view: (untilMs) => createView(userName, untilMs),
		check: (answer) => checkAttestation(answer, challenge, origin),
	};
}

type AttestationResult = { readonly value: NewPasskey } | { readonly problem: string };

/** Returns the passkey of a browser's answer to `navigator.credentials.create` (WebAuthn Level 3, 7.1), or what is wrong with it. */
export function checkAttestation(answer: unknown, challenge: string, origin: string): AttestationResult {
	const unreadable = { problem: "the browser's answer is not a new passkey" };
	if (!isRecord(answer)) return unreadable;
	const { credentialId, clientDataJson, attestationObject, authenticatorData, transports } = answer;
	if (![credentialId, clientDataJson, attestationObject, authenticatorData].every(isBase64url)) return unreadable;
	const texts = { clientDataJson: String(clientDataJson), attestationObject: String(attestationObject) };
	const clientData = Buffer.from(texts.clientDataJson, "base64url");
	const data = Buffer.from(String(authenticatorData), "base64url");
	// The service reads the data in the object.
	if (!Buffer.from(texts.attestationObject, "base64url").includes(data)) return unreadable;
	const problem =
		findClientDataProblem(clientData, "webauthn.create", challenge, origin) ?? findAuthenticatorDataProblem(data);
	if (problem !== undefined) return { problem };
	const made = readCredential(data);
	if (made === undefined) return { problem: "the new passkey is not one of the curve P-256, as the service needs it" };
	if (made.credentialId !== credentialId) return unreadable;
	return {
		value: {
			...made,
			...texts,
			challenge: Buffer.from(challenge, "utf8").toString("base64url"),
			transports: Array.isArray(transports) ? transports.flatMap((name) => transportNames.get(name) ?? []) : [],
		},
	};
}

/** Where the id of the credential begins in the data of the authenticator: after 37 bytes, the model, and its length. */
const idAt = 37 + 16 + 2;

/** Returns the attested credential (WebAuthn Level 3, 6.5.2); undefined unless its key is one of P-256. */
function readCredential(data: Buffer): Pick<NewPasskey, "credentialId" | "publicKey"> | undefined {
	if (data.length < idAt || ((data[32] ?? 0) & 0x40) === 0) return undefined;
	const keyAt = idAt + data.readUInt16BE(idAt - 2);
	const publicKey = readPublicKey(data.subarray(keyAt, keyAt + coseKeyBytes).toString("hex"));
	if (publicKey === undefined) return undefined;
	const { x = "", y = "" } = publicKey.export({ format: "jwk" });
	const [left, right] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
	const sign = ((right.at(-1) ?? 0) & 1) === 0 ? "02" : "03";
	return { credentialId: data.subarray(idAt, keyAt).toString("base64url"), publicKey: sign + left.toString("hex") };
}

/** The transports that the service knows. */
const transportNames: ReadonlyMap<unknown, string> = new Map(
	["ble", "internal", "nfc", "usb", "hybrid"].map((name) => [name, `AUTHENTICATOR_TRANSPORT_${name.toUpperCase()}`]),
);
