/**
 * What a change means for who can do what, played on the emulator, which decides by the policies of its seed: a lockout, an
 * escalation and a removed deny are blocked; a good change waits for one of two approvers. Run it with
 * `node examples/powers/run.ts` after `npm run build`.
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
interface Person {
	readonly privateKey: string;
	readonly publicKey: string;
}

function makePerson(): Person {
	const { d = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
	const privateKey = Buffer.from(d, "base64url").toString("hex");
	return { privateKey, publicKey: createApiKeyStamper({ privateKey }).publicKey };
}

const folder = mkdtempSync(join(tmpdir(), "orgsync-powers-"));
const alice = makePerson();
const carol = makePerson();
const seed = readFileSync(join(here, "seed.yaml"), "utf8")
	.replace("ALICE_PUBLIC_KEY", `"${alice.publicKey}"`)
	.replace("CAROL_PUBLIC_KEY", `"${carol.publicKey}"`);

async function main(): Promise<void> {
	for (const name of ["document", "lockout", "escalation", "export"]) {
		cpSync(join(here, `${name}.yaml`), join(folder, `${name}.yaml`));
	}
	writeFileSync(join(folder, "alice.private"), alice.privateKey, { mode: 0o600 });
	writeFileSync(join(folder, "carol.private"), carol.privateKey, { mode: 0o600 });
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
	say("Who can do what?");
	await orgsync("powers -f document.yaml");
	say("Can alice change who has a tag?");
	await orgsync("powers -f document.yaml --why alice USER/UPDATE");
	say("bob leaves. A plan that only removes him is blocked: no one could sign any more.");
	await orgsync("apply -f lockout.yaml --yes --quiet");
	say("alice asks to be an approver, too. Then no one else would have to agree with her.");
	await orgsync("apply -f escalation.yaml --yes --quiet");
	say("Someone removes an old policy. It is the one that keeps approvers from exporting wallets alone.");
	await orgsync("apply -f export.yaml --yes --quiet");
	say("A good change: carol becomes a signer. The plan says what it means, and who has to approve it.");
	await orgsync("plan -f document.yaml");
	await orgsync("apply -f document.yaml --yes --quiet");
	say("carol reviews and approves it, with her own key and journal.");
	await orgsync("approve -f document.yaml --yes --journal carol.sqlite", "carol.private");
	say("alice's pipeline runs again: nothing to do. Any two of three can sign now.");
	await orgsync("apply -f document.yaml --yes --quiet");
	await orgsync("powers -f document.yaml --group sign");
	await emulator.close();
}

/** Runs a command while this process keeps serving; its errors are printed among the rest. */
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
