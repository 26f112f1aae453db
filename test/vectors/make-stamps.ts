/**
 * Makes stamps.json with the vendor's own stamper, in pure JavaScript and with deterministic signatures, so that not a
 * line of it is shared with src/wire. Run: node test/vectors/make-stamps.ts > test/vectors/stamps.json
 *
 * The keys are made from words, only for these tests, and registered nowhere.
 */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";

// Required, not imported: the package's types would bring the browser's into this project.
const load = createRequire(import.meta.url);
const { ApiKeyStamper } = load("@turnkey/api-key-stamper") as {
	ApiKeyStamper: new (key: {
		apiPublicKey: string;
		apiPrivateKey: string;
		runtimeOverride: "purejs";
	}) => { stamp(body: string): Promise<{ stampHeaderName: string; stampHeaderValue: string }> };
};
const { p256 } = load("@noble/curves/p256") as {
	p256: { getPublicKey(privateKey: string, compressed: boolean): Uint8Array };
};

const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const privateKeys = [
	...["one", "two", "three"].map((word) => createHash("sha256").update(`orgsync test key ${word}`).digest("hex")),
	"1".padStart(64, "0"),
	(BigInt(`0x${order}`) - 1n).toString(16),
];
const bodies = [
	"",
	"{}",
	'{"organizationId":"0a1b2c3d-0000-4000-8000-000000000001"}',
	'{"newUserTagName":"Prüfer — 審査員 🔑"}',
	`{"filler":"${"x".repeat(5000)}"}`,
];

async function makeStamps(): Promise<void> {
	const stamps = [];
	for (const privateKey of privateKeys) {
		const publicKey = Buffer.from(p256.getPublicKey(privateKey, true)).toString("hex");
		const stamper = new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey, runtimeOverride: "purejs" });
		for (const body of bodies) stamps.push({ privateKey, publicKey, body, ...(await stamper.stamp(body)) });
	}
	process.stdout.write(`${JSON.stringify(stamps, null, "\t")}\n`);
}

void makeStamps();
