/**
 * P-256 keys of tests, and stamps made with node:crypto alone: the stamps of orgsync are checked against these.
 */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface TestKey {
	/** Compressed, 33 bytes in hex. */
	readonly publicKey: string;
	/** 32 bytes in hex. */
	readonly privateKey: string;
	readonly key: KeyObject;
}

/** Makes a new key. */
export function makeKey(): TestKey {
	const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const { x = "", y = "", d = "" } = key.export({ format: "jwk" }) as { x?: string; y?: string; d?: string };
	const even = ((Buffer.from(y, "base64url").at(-1) ?? 0) & 1) === 0;
	const hex = (text: string) => Buffer.from(text, "base64url").toString("hex").padStart(64, "0");
	return { publicKey: (even ? "02" : "03") + hex(x), privateKey: hex(d), key };
}

/** The header with the API key's stamp of these bytes. */
export function apiKeyStamp(raw: string, { publicKey, key }: TestKey): Record<string, string> {
	const signature = sign("sha256", Buffer.from(raw), key).toString("hex");
	const stamp = { publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature };
	return { "x-stamp": Buffer.from(JSON.stringify(stamp)).toString("base64url") };
}
