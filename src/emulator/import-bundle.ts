/** Import bundles for init_import_private_key (docs/internals/service.md#submits), whose private keys are dropped at once. */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { importBundleVersion } from "./assumptions.ts";

function pointOf(key: KeyObject): string {
	const { x = "", y = "" } = key.export({ format: "jwk" }) as { x?: string; y?: string };
	return `04${Buffer.from(x, "base64url").toString("hex")}${Buffer.from(y, "base64url").toString("hex")}`;
}

/** Signs every bundle of this process; made when it is first needed. */
let signer: KeyObject | undefined;

export function makeImportBundle(organizationId: string, userId: string): string {
	signer ??= generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
	const targetPublic = pointOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey);
	const data = Buffer.from(JSON.stringify({ targetPublic, organizationId, userId }), "utf8");
	return JSON.stringify({
		version: importBundleVersion,
		data: data.toString("hex"),
		dataSignature: sign("sha256", data, signer).toString("hex"),
		enclaveQuorumPublic: pointOf(createPublicKey(signer)),
	});
}
