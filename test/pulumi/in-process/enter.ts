/** The process of a test as that of a command: its folder, environment, clock and listeners, and afterwards as they were. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { vi } from "vitest";
import { clockEnvironment } from "../../clock.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const { setLater } = createRequire(import.meta.url)("../../clock.cjs") as { setLater(ms: number): void };

/** Makes the folder and the environment of this process those of the command; returns what undoes it. */
export function enter(folder: string, env: Environment): () => void {
	const before = { cwd: process.cwd(), env: { ...process.env } };
	process.chdir(folder);
	// Files that providers share are in the project's own temporary folder, as each real engine has files of its own.
	const temporary = join(folder, "..", "tmp");
	mkdirSync(temporary, { recursive: true });
	for (const [name, value] of Object.entries({ ...env, TMPDIR: mkdtempSync(join(temporary, "run-")) })) {
		if (value === undefined) delete process.env[name];
		else process.env[name] = value;
	}
	const { TEST_CLOCK_AHEAD_MS: ahead } = env;
	if (ahead !== undefined) setLater(Number(ahead) - Number(clockEnvironment().TEST_CLOCK_AHEAD_MS));
	const keepListeners = ownListeners();
	return () => {
		setLater(0);
		keepListeners();
		process.chdir(before.cwd);
		for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
		Object.assign(process.env, before.env);
	};
}

/** A provider ends its process with its engine; here it must not. Returns what takes its listeners away. */
function ownListeners(): () => void {
	const input = (["on", "resume"] as const).map((name) => vi.spyOn(process.stdin, name).mockReturnThis());
	const events = ["SIGINT", "SIGTERM", "exit"] as const;
	const before = events.map((event) => process.listeners(event as "exit"));
	return () => {
		for (const spy of input) spy.mockRestore();
		for (const [index, event] of events.entries()) {
			for (const listener of process.listeners(event as "exit")) {
				if (before[index]?.includes(listener) !== true) process.off(event, listener);
			}
		}
	};
}
