/**
 * A fleet that one document and a list describe, played on the emulator: check it, find the desk without a row, apply, and see
 * where a mistake in a row is reported. Run it with `node examples/fleet/run.ts` after `npm run build`.
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
const folder = mkdtempSync(join(tmpdir(), "orgsync-fleet-"));

async function main(): Promise<void> {
	for (const name of ["desks.yaml", "desks.csv", "exceptions"]) {
		cpSync(join(here, name), join(folder, name), { recursive: true });
	}
	const { d = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
	const privateKey = Buffer.from(d, "base64url").toString("hex");
	writeFileSync(join(folder, "ann.private"), privateKey, { mode: 0o600 });
	const { publicKey } = createApiKeyStamper({ privateKey });
	const seed = readFileSync(join(here, "seed.yaml"), "utf8").replace("ANN_PUBLIC_KEY", `"${publicKey}"`);
	const emulator = await startEmulator({ seed: parseSeed(seed, "seed.yaml") });
	const say = (text: string): boolean => process.stdout.write(`\n# ${text}\n`);
	const orgsync = async (words: string, ...more: readonly string[]): Promise<void> => {
		process.stdout.write(`$ orgsync ${words}\n`);
		const status = await run([...words.split(" "), ...more]);
		if (status !== 0) process.stdout.write(`(exit code ${status})\n`);
	};
	const service = ["--url", emulator.url, "--key-file", "ann.private"];
	say("One document and three rows; the FX desk has a document of its own, too.");
	await orgsync("validate -f .");
	say("Which desks does no document manage?");
	await orgsync("organizations -f . --organization 0f1e2d3c-0000-4c8e-9f35-000000000000", ...service);
	await orgsync("apply -f . --yes --quiet", ...service);
	await orgsync("drift -f .", ...service);
	say("Someone edits the list: the deputy of the Equities desk is not an id any more.");
	const list = readFileSync(join(folder, "desks.csv"), "utf8");
	writeFileSync(join(folder, "desks.csv"), list.replace("000000000003,50%", "00000000,50%"));
	await orgsync("validate -f .");
	await emulator.close();
}

/** Runs a command while this process keeps serving. */
async function run(words: readonly string[]): Promise<number | null> {
	const child = spawn(process.execPath, [commandFile, ...words], { cwd: folder, stdio: ["inherit", "inherit", 1] });
	return new Promise((resolve) => child.once("exit", resolve));
}

try {
	await main();
} finally {
	rmSync(folder, { recursive: true, force: true });
}
