/** The Pulumi project of a program or provider, its environment and its clocks. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionContext } from "./session-context.ts";

export function processContext(): SessionContext {
	return {
		environment: process.env,
		directory: projectFolder(),
		now: () => Date.now(),
		steadyNow: () => performance.now(),
		sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
	};
}

const projectFiles = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** The project's folder: the nearest parent folder with a Pulumi.yaml; without one, the working folder. */
export function projectFolder(): string {
	for (let place = process.cwd(); ; place = dirname(place)) {
		if (projectFiles.some((name) => existsSync(join(place, name)))) return place;
		if (dirname(place) === place) return process.cwd();
	}
}
