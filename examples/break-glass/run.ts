/**
 * Access that ends on its own, played on the emulator with its clock moved: an emergency grants a tag for four hours, a schedule
 * applies the document, and after the end it removes the user. Run it with `node examples/break-glass/run.ts` after
 * `npm run build`.
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
const folder = mkdtempSync(join(tmpdir(), "orgsync-break-glass-"));
const { d = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
const privateKey = Buffer.from(d, "base64url").toString("hex");
const { publicKey } = createApiKeyStamper({ privateKey });
const seed = readFileSync(join(here, "seed.yaml"), "utf8").replace("ALICE_PUBLIC_KEY", `"${publicKey}"`);

async function main(): Promise<void> {
	const document = join(folder, "document.yaml");
	cpSync(join(here, "document.yaml"), document);
	writeFileSync(join(folder, "alice.private"), privateKey, { mode: 0o600 });
	const [begin, startedAt] = [Date.parse("2026-11-02T09:00:00Z"), Date.now()];
	const emulator = await startEmulator({
		now: () => begin + Date.now() - startedAt,
		dataFile: join(folder, "service.sqlite"),
		seed: parseSeed(seed, "seed.yaml"),
	});
	const setTime = (time: string): number => emulator.setClock({ nowMs: Date.parse(`2026-11-02T${time}:10Z`) });
	const say = (text: string): boolean => process.stdout.write(`\n# ${text}\n`);
	const orgsync = async (...words: readonly string[]): Promise<void> => {
		const shown = words.map((word) => (word.includes(" ") ? `'${word}'` : word));
		process.stdout.write(`$ orgsync ${shown.join(" ")}\n`);
		const { status } = await run(words, { ORGSYNC_URL: emulator.url, ORGSYNC_KEY_FILE: "alice.private" });
		if (status !== 0) process.stdout.write(`(exit code ${status})\n`);
	};
	const applyOnSchedule = (): Promise<void> => orgsync("apply", "-f", "document.yaml", "--yes", "--quiet");

	setTime("14:20");
	say("14:20 UTC. Both signers are away, and bob has to sign. alice writes that into the document.");
	await orgsync("grant", "bob", "signers", "--for", "4h", "--reason", "incident 4711", "-f", "document.yaml");
	say("The members in the document now:");
	process.stdout.write(readFileSync(document, "utf8").replace(/^[\s\S]*members:\n|limits[\s\S]*$/g, ""));
	say("She has it reviewed and merged. The schedule applies it.");
	await applyOnSchedule();
	setTime("18:00");
	say("18:00 UTC. The schedule has nothing to do. A plan shows what ends soon.");
	await applyOnSchedule();
	await orgsync("plan", "-f", "document.yaml");
	setTime("18:30");
	say("18:30 UTC. The access has ended, so bob must not have the tag.");
	await orgsync("drift", "-f", "document.yaml");
	say("The schedule removes him. No one had to remember it.");
	await applyOnSchedule();
	say("Later, the entry is removed from the document.");
	await orgsync("drift", "-f", "document.yaml", "--accept", "userTag:signers");
	const isAsBefore = readFileSync(document, "utf8") === readFileSync(join(here, "document.yaml"), "utf8");
	say(`The document is as it was before: ${isAsBefore}.`);
	await emulator.close();
}

/** Runs a command while this process keeps serving. */
async function run(
	words: readonly string[],
	settings: Readonly<Record<string, string>>,
): Promise<{ status: number | null }> {
	const env = { ...process.env, ...settings };
	const child = spawn(process.execPath, [commandFile, ...words], { cwd: folder, env, stdio: "inherit" });
	return new Promise((resolve) => child.once("exit", (status) => resolve({ status })));
}

try {
	await main();
} finally {
	rmSync(folder, { recursive: true, force: true });
}
