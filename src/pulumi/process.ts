/**
 * What a session takes from the process it runs in: the program's, and that of its providers.
 */
import { findProjectFolder } from "./project-folder.ts";
import type { Surroundings } from "./session.ts";

/** Environment, project folder and clocks of this process. */
export function ownSurroundings(): Surroundings {
	return {
		environment: process.env,
		directory: findProjectFolder(process.cwd()),
		now: () => Date.now(),
		steadyNow: () => performance.now(),
		sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
	};
}
