/** Boot proofs of enclave apps, the latest of each app. Export leaves them out: they change with every deployment. */
import { readOnlyKind } from "./read-only.ts";

export const bootProof = readOnlyKind({
	name: "bootProof",
	words: ["boot proof", "boot proofs"],
	groupedBy: null,
	identities: ["app"],
	isIdentityId: () => true,
	fields: [
		"ephemeralPublicKeyHex",
		"cloudAttestationDocB64",
		"qosManifestB64",
		"qosManifestEnvelopeB64",
		"deploymentLabel",
		"enclaveApp",
		"owner",
		"qosManifestVersion",
	],
	matches: () => true,
	nameField: null,
	activities: /_TVC_/,
	exported: null,
	remedy: "look at who deployed the app and verify what it attests to; deploy again, or ",
});
