/** The process of a program or of a provider: its project, its engine, its environment and clocks. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { SessionContext } from "./session.ts";

export function processContext(): SessionContext {
	return {
		environment: process.env,
		directory: projectFolder(),
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

const projectFiles = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** The project's folder: the nearest parent folder with a Pulumi.yaml; without one, the working folder. */
export function projectFolder(): string {
	for (let place = process.cwd(); ; place = dirname(place)) {
		if (projectFiles.some((name) => existsSync(join(place, name)))) return place;
		if (dirname(place) === place) return process.cwd();
	}
}

/** Whether the program runs with mocks (`pulumi.runtime.setMocks`) instead of an engine. */
export function isMocked(): boolean {
	const monitor = pulumi.runtime.getMonitor();
	return monitor !== undefined && "mocks" in monitor;
}
