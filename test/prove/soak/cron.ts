/** Commands as a schedule runs them: each a process of its own, in one folder, with one journal for each person. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../../scripts/manifest.ts";
import { makeKey } from "../../keys.ts";
import { endWithThis } from "../leftovers.ts";

export interface Ended {
	/** Null when a signal ended it. */
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export const keys = { alice: makeKey(), bob: makeKey() };

const clock = fileURLToPath(new URL("../../clock.cjs", import.meta.url));
/** A command that takes longer hangs. */
const hangMs = 90_000;

export interface CronOptions {
	readonly cwd: string;
	readonly url: string;
	readonly privateKey: string;
	/** How much later than on this machine it is for the command. */
	readonly aheadMs: number;
	/** Kills the process after so long; never when left out. */
	readonly killAfterMs?: number | undefined;
}

/** Runs orgsync to its end. Throws if it does not end in time, or shows a stack trace or a secret. */
export async function runOrgsync(words: readonly string[], options: CronOptions): Promise<Ended> {
	const { cwd, url, privateKey, aheadMs, killAfterMs } = options;
	const env = {
		PATH: process.env.PATH,
		HOME: `${cwd}/home`,
		TMPDIR: `${cwd}/temporary`,
		ORGSYNC_URL: url,
		ORGSYNC_API_PRIVATE_KEY: privateKey,
		TEST_CLOCK_AHEAD_MS: String(aheadMs),
	};
	const child = endWithThis(
		spawn(process.execPath, ["--require", clock, commandFile, ...words], { cwd, env, stdio: "pipe" }),
	);
	const texts = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name].setEncoding("utf8").on("data", (text: string) => {
			texts[name] += text;
		});
	}
	child.stdin.on("error", () => undefined).end();
	let hangs = false;
	const hang = setTimeout(() => {
		hangs = true;
		child.kill("SIGKILL");
	}, hangMs);
	const kill = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
	const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
	clearTimeout(hang);
	clearTimeout(kill);
	const shown = `${words.join(" ")} ended with ${code}\n${texts.stdout}${texts.stderr}`;
	if (hangs) throw new Error(`hangs for ${hangMs / 1000} s: ${shown}`);
	if (/^\s+at .+:\d+:\d+\)?$/m.test(texts.stderr)) throw new Error(`shows a stack trace: ${shown}`);
	if (shown.includes(privateKey)) throw new Error(`shows the private key: ${words.join(" ")}`);
	return { code, ...texts };
}

/** Throws unless the exit code is one of these. */
export function expectCode(words: string, { code, stdout, stderr }: Ended, allowed: readonly (number | null)[]): void {
	if (allowed.includes(code)) return;
	throw new Error(`${words} ended with ${code}, expected ${allowed.join(" or ")}\n${stdout}${stderr}`);
}
