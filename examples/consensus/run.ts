/**
 * A change that needs two approvals, played on the emulator: alice applies, and applies again; a second runner joins the
 * activity; bob approves; alice applies again. One activity in all. Run it with
 * `node examples/consensus/run.ts` after `npm run build`.
 */
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSeed, startEmulator } from "../../dist/emulator/server.js";
import { createApiKeyStamper } from "../../dist/index.js";
import { commandFile } from "../../scripts/manifest.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const organizationId = "7d4a3c52-9b1e-4f60-8a27-2f6c1e0b5a01";

interface Person {
	readonly privateKey: string;
	readonly publicKey: string;
}

function makePerson(): Person {
	const { d = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
	const privateKey = Buffer.from(d, "base64url").toString("hex");
	return { privateKey, publicKey: createApiKeyStamper({ privateKey }).publicKey };
}

const folder = mkdtempSync(join(tmpdir(), "orgsync-consensus-"));
const alice = makePerson();
const bob = makePerson();
const seed = readFileSync(join(here, "seed.yaml"), "utf8")
	.replace("ALICE_PUBLIC_KEY", `"${alice.publicKey}"`)
	.replace("BOB_PUBLIC_KEY", `"${bob.publicKey}"`);

async function main(): Promise<void> {
	cpSync(join(here, "document.yaml"), join(folder, "document.yaml"));
	writeFileSync(join(folder, "alice.private"), alice.privateKey, { mode: 0o600 });
	writeFileSync(join(folder, "bob.private"), bob.privateKey, { mode: 0o600 });
	const emulator = await startEmulator({
		dataFile: join(folder, "service.sqlite"),
		seed: parseSeed(seed, "seed.yaml"),
	});
	const say = (text: string): boolean => process.stdout.write(`\n# ${text}\n`);
	const orgsync = async (words: string, keyFile = "alice.private"): Promise<void> => {
		process.stdout.write(`$ orgsync ${words}\n`);
		const { status } = await run(words.split(" "), { ORGSYNC_URL: emulator.url, ORGSYNC_KEY_FILE: keyFile });
		if (status !== 0) process.stdout.write(`(exit code ${status})\n`);
	};
	say("alice applies. The tag changes at once; the removal of the policy needs another approval.");
	await orgsync("apply -f document.yaml --yes --quiet");
	say("Her pipeline runs again. It joins the pending activity and opens no other.");
	await orgsync("apply -f document.yaml --yes --quiet");
	say("A second runner, with a journal of its own, finds it too.");
	await orgsync("apply -f document.yaml --yes --quiet --journal second.sqlite");
	say("What is pending, and what does it need?");
	await orgsync("status -f document.yaml");
	say("bob reviews and approves it, with his own key and journal.");
	await orgsync("approve -f document.yaml --yes --journal bob.sqlite", "bob.private");
	say("alice's pipeline runs again: nothing to do.");
	await orgsync("apply -f document.yaml --yes --quiet");
	const policies = emulator
		.state(organizationId)
		.activities.filter(({ type }) => type === "ACTIVITY_TYPE_DELETE_POLICIES");
	say(`Activities that remove the policy, in all: ${policies.length}.`);
	await emulator.close();
}

/** Runs a command while this process keeps serving; what it shows before it acts is printed among the rest. */
async function run(
	words: readonly string[],
	settings: Readonly<Record<string, string>>,
): Promise<{ status: number | null }> {
	const env = { ...process.env, ...settings };
	const child = spawn(process.execPath, [commandFile, ...words], { cwd: folder, env, stdio: ["ignore", "inherit", 1] });
	return new Promise((resolve) => child.once("exit", (status) => resolve({ status })));
}

try {
	await main();
} finally {
	rmSync(folder, { recursive: true, force: true });
}
