/** Reads stamp headers and verifies P-256 signatures. Shares no code with the stampers: a mistake there cannot hide here. */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { readJson } from "../../common/json.ts";
import { remember } from "../../common/remember.ts";
import { maxCachedKeys } from "../assumptions.ts";

/** DER of a SubjectPublicKeyInfo for a compressed P-256 point, up to the 33 bytes of the point. */
const spkiPrefix = Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex");

/** Making a key takes twice as long as verifying with it. */
const keys = new Map<string, KeyObject>();

function keyObjectOf(publicKey: string): KeyObject {
	const der = Buffer.concat([spkiPrefix, Buffer.from(publicKey, "hex")]);
	return createPublicKey({ key: der, format: "der", type: "spki" });
}

/** Returns whether `signature`, in DER, is that of `signed` (ECDSA over SHA-256) by the key with this compressed point. */
export function signatureFits(publicKey: string, signed: Buffer, signature: Buffer): boolean {
	if (signature.length === 0) return false;
	if (keys.size >= maxCachedKeys) keys.clear();
	try {
		return verify(
			"sha256",
			signed,
			remember(keys, publicKey, () => keyObjectOf(publicKey)),
			signature,
		);
	} catch {
		// The hex is not a point of the curve, or the signature not DER.
		return false;
	}
}

export function readObject(json: string): Readonly<Record<string, unknown>> | undefined {
	const read = readJson(json);
	const value = "value" in read ? read.value : undefined;
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** The string members `names` of a JSON object, in order; undefined when it is not such an object. */
export function readMembers(json: string, names: readonly string[]): readonly string[] | undefined {
	const object = readObject(json);
	const members = names.map((name) => object?.[name]);
	return members.every((member) => typeof member === "string") ? members : undefined;
}
