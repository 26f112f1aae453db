/** The Pulumi project of a program or provider, its environment and its clocks. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../../wire/credentials.ts";
import type { SharedClaims } from "./claims.ts";
import type { Deadline } from "./deadline.ts";

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

/** What a session gets from its process. Nothing below reads environment, clocks or folders directly. */
export interface SessionContext {
	readonly environment: Environment;
	/** The project's folder, in which the journal is kept. */
	readonly directory: string;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Milliseconds from an arbitrary start, never set back. */
	readonly steadyNow: () => number;
	readonly sleep: (ms: number) => Promise<void>;
	readonly warn?: (line: string) => void;
	/** Where all processes of one engine share claims. */
	readonly sharedClaims?: SharedClaims | undefined;
	/** Once aborted, requests in flight end and no other starts. */
	readonly signal?: AbortSignal;
	/** Until when the call in progress may work; undefined without a limit. */
	readonly deadline?: () => Deadline | undefined;
}
