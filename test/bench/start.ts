/** How fast commands start: whole processes against bare Node, side by side in one run. `node test/bench/start.ts` runs it alone. */
import { execFileSync } from "node:child_process";
import { createECDH } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandFile, root } from "../../scripts/manifest.ts";
import { localSeed } from "../../src/cli/local-seed.ts";
import { type Measured, median, printTable } from "./run.ts";
import { serve } from "./serve.ts";

const privateKey = "2e".repeat(32);
const rounds = 25;

/** The commands, and how many times bare Node each may take. */
const commands: readonly (readonly [words: string, aim: number])[] = [
	["--version", 1.2],
	["validate", 2],
	["plan", 3],
	["plan --local", 4],
];

export async function benchStart(): Promise<readonly Measured[]> {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const exchange = createECDH("prime256v1");
	exchange.setPrivateKey(privateKey, "hex");
	writeFileSync(join(folder, "seed.yaml"), localSeed(exchange.getPublicKey("hex", "compressed")));
	writeFileSync(join(folder, "key.private"), privateKey, { mode: 0o600 });
	copyFileSync(join(root, "examples/quickstart/document.yaml"), join(folder, "orgsync.yaml"));
	const { child, url } = await serve([commandFile, "emulator", "--seed", join(folder, "seed.yaml")]);
	const env = { PATH: process.env.PATH, HOME: folder, ORGSYNC_URL: url, ORGSYNC_KEY_FILE: "key.private" };
	const time = (words: readonly string[]): number => {
		const start = performance.now();
		execFileSync(process.execPath, words, { cwd: folder, env, stdio: "pipe" });
		return performance.now() - start;
	};
	const times = new Map<string, number[]>([
		["bare", []],
		...commands.map(([words]) => [words, []] as [string, number[]]),
	]);
	for (let round = 0; round < rounds; round += 1) {
		times.get("bare")?.push(time(["-e", "0"]));
		for (const [words] of commands) times.get(words)?.push(time([commandFile, ...words.split(" ")]));
	}
	child.kill();
	rmSync(folder, { recursive: true, force: true });
	const bare = median(times.get("bare") ?? []);
	return commands.map(([words, aim]) => {
		const ours = median(times.get(words) ?? []);
		return {
			what: `orgsync ${words}${words.startsWith("plan") ? " of one organization on loopback" : ""}, against bare node -e 0`,
			measured: `${(ours / bare).toFixed(2)} times (${ours.toFixed(0)} ms to ${bare.toFixed(0)} ms)`,
			aim: `at most ${aim} times`,
		};
	});
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printTable(await benchStart());
