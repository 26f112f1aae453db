/** Public keys of passkeys and API keys, in the forms in which services and browsers show them. Pure. */
import { createPublicKey, ECDH, type KeyObject } from "node:crypto";

/** The beginning of a P-256 key as SubjectPublicKeyInfo (RFC 5480) whose point is uncompressed: 65 bytes follow. */
const header = "3059301306072a8648ce3d020106082a8648ce3d030107034200";

/** A COSE key (RFC 9053) of type EC2, algorithm ES256 and curve P-256, with its members in canonical order: the last are x and y. */
const coseKey = /^a5010203262001215820([0-9a-f]{64})225820([0-9a-f]{64})$/i;

export const coseKeyBytes = 77;

/**
 * Returns the P-256 key of a text in hex: a compressed or an uncompressed point, or a COSE key. Undefined for any other text.
 *
 * Unverified, chosen: the service does not document the form of a passkey's public key.
 */
export function readPublicKey(text: string): KeyObject | undefined {
	const point = text.replace(coseKey, "04$1$2");
	if (!/^(?:0[23][0-9a-f]{64}|04[0-9a-f]{128})$/i.test(point)) return undefined;
	try {
		const whole = ECDH.convertKey(point, "prime256v1", "hex", "hex", "uncompressed");
		return createPublicKey({ key: Buffer.from(`${header}${whole}`, "hex"), format: "der", type: "spki" });
	} catch {
		// Not a point of the curve.
		return undefined;
	}
}
