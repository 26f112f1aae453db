/**
 * The context of a session in its process: that of the program, or that of a provider.
 */
import { findProjectFolder } from "./project-folder.ts";
import type { SessionContext } from "./session.ts";

/** Environment, project folder and clocks of this process. */
export function processContext(): SessionContext {
	return {
		environment: process.env,
		directory: findProjectFolder(process.cwd()),
		now: () => Date.now(),
		steadyNow: () => performance.now(),
		sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
	};
}

/** The address of the engine that started this process as a dynamic provider: its last argument. Otherwise undefined. */
export function engineAddress(): string | undefined {
	const [, script = "", ...words] = process.argv;
	const address = words.at(-1);
	return script.includes("dynamic-provider") && address !== undefined && /:\d+$/.test(address) ? address : undefined;
}
