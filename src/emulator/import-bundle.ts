/** Import bundles for init_import_private_key (docs/internals/service.md#submits), whose private keys are dropped at once. */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { importBundleVersion } from "./assumptions.ts";

function pointOf(key: KeyObject): string {
	const { x = "", y = "" } = key.export({ format: "jwk" }) as { x?: string; y?: string };
	return `04${Buffer.from(x, "base64url").toString("hex")}${Buffer.from(y, "base64url").toString("hex")}`;
}

/** Returns a function that makes bundles, all signed by one key that lives as long as the function. */
export function makeImportBundler(): (organizationId: string, userId: string) => string {
	let signer: KeyObject | undefined;
	return (organizationId, userId) => {
		signer ??= generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
		const target = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey;
		const targetPublic = pointOf(target);
		const data = Buffer.from(JSON.stringify({ targetPublic, organizationId, userId }), "utf8");
		return JSON.stringify({
			version: importBundleVersion,
			data: data.toString("hex"),
			dataSignature: sign("sha256", data, signer).toString("hex"),
			enclaveQuorumPublic: pointOf(createPublicKey(signer)),
		});
	};
}
