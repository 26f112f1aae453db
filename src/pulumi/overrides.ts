/**
 * Overrides that resources use, shown once each: a reader of the output, or of its log later, finds who let what pass.
 */

import { showText } from "../escape.ts";
import type { Guard } from "../plan/guards.ts";
import type { Override } from "../plan/overrides.ts";
import { describeOverride, overridesHeading, type Spelling } from "../render/overrides-text.ts";
import type { JournalEntry } from "../sync/journal.ts";
import { environmentName } from "./settings.ts";

/** How overrides are set here; no setting weakens TLS. */
const spelling: Spelling = {
	allow: "orgsync:allow",
	abandon: "orgsync:abandon",
	"retry-rejected": environmentName("retryRejected"),
	insecure: "",
};

/** Returns overrides as lines under their heading; empty where there is none. */
export function listOverrides(overrides: readonly Override[], guards: readonly Guard[]): string {
	if (overrides.length === 0) return "";
	return [`${overridesHeading}:`, ...overrides.map((one) => `  ${describeOverride(one, guards, spelling)}`), ""].join(
		"\n",
	);
}

/** Shows overrides, none of them twice beside the same resource. */
export class OverrideLog {
	readonly #print: (line: string) => void;
	readonly #shown = new Set<string>();

	constructor(print: (line: string) => void) {
		this.#print = print;
	}

	show(resource: string, overrides: readonly Override[], guards: readonly Guard[] = []): void {
		for (const override of overrides) {
			const key = JSON.stringify([resource, override]);
			if (this.#shown.has(key)) continue;
			this.#shown.add(key);
			this.#print(showText(`${resource}: override used: ${describeOverride(override, guards, spelling)}`));
		}
	}
}

/** Whether the entry's activity or fingerprint has this name, in small letters. */
export function isNamed({ activityId, body }: JournalEntry, name: string): boolean {
	return [activityId?.toLowerCase(), body.fingerprint.toLowerCase()].includes(name);
}
