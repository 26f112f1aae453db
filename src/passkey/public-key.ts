/** Public keys of passkeys, in the forms in which services and browsers show them. Pure. */
import { createPublicKey, type KeyObject } from "node:crypto";

/** The beginning of a P-256 key as SubjectPublicKeyInfo (RFC 5480) whose point is compressed: 33 bytes follow. */
const compressedHeader = Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex");

/** The same for an uncompressed point: 65 bytes follow. */
const uncompressedHeader = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");

/**
 * Returns the P-256 key of a text in hex: a compressed or an uncompressed point, or a COSE key (RFC 9053) with members in canonical
 * order. Undefined for any other text.
 *
 * Unverified, chosen: the service does not document the form of a passkey's public key.
 */
export function readPublicKey(text: string): KeyObject | undefined {
	if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined;
	const bytes = Buffer.from(text, "hex");
	const point = pointOfCose(bytes) ?? bytes;
	if (point.length === 33 && (point[0] === 2 || point[0] === 3)) return importKey(compressedHeader, point);
	return point.length === 65 && point[0] === 4 ? importKey(uncompressedHeader, point) : undefined;
}

/** A COSE key of type EC2, algorithm ES256 and curve P-256, up to its x, of 32 bytes; between x and y, and y, of 32 bytes. */
const cose = { head: Buffer.from("a5010203262001215820", "hex"), middle: Buffer.from("225820", "hex") };

/** Returns the uncompressed point in a COSE key; undefined for any other bytes. */
function pointOfCose(bytes: Buffer): Buffer | undefined {
	const { head, middle } = cose;
	const yAt = head.length + 32 + middle.length;
	const isCose =
		bytes.length === yAt + 32 &&
		bytes.subarray(0, head.length).equals(head) &&
		bytes.subarray(head.length + 32, yAt).equals(middle);
	if (!isCose) return undefined;
	return Buffer.concat([Buffer.of(4), bytes.subarray(head.length, head.length + 32), bytes.subarray(yAt)]);
}

function importKey(header: Buffer, point: Buffer): KeyObject | undefined {
	try {
		return createPublicKey({ key: Buffer.concat([header, point]), format: "der", type: "spki" });
	} catch {
		// Not a point of the curve.
		return undefined;
	}
}
