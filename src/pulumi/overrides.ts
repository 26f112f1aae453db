/**
 * Shows each override that a resource uses once, so that the output and its logs record it.
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

/** The overrides as lines under their heading; empty if there are none. */
export function listOverrides(overrides: readonly Override[], guards: readonly Guard[]): string {
	if (overrides.length === 0) return "";
	return [`${overridesHeading}:`, ...overrides.map((one) => `  ${describeOverride(one, guards, spelling)}`), ""].join(
		"\n",
	);
}

/** Shows overrides, each once per resource. */
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

/** Whether `name`, in lower case, is the entry's activity id or fingerprint. */
export function isNamed({ activityId, body }: JournalEntry, name: string): boolean {
	return [activityId?.toLowerCase(), body.fingerprint.toLowerCase()].includes(name);
}
