/**
 * The parts of components that have drifted. A component compares its document with the live organization; the engine then
 * asks the same process how each part differs, and must hear of drift although the inputs are unchanged.
 */
import type { Drift } from "../part-drift.ts";

export class DriftedParts {
	readonly #drift = new Map<string, Drift>();

	/** Records what a component found for a part; undefined for one that is in sync. */
	record(urn: string, drift: Drift | undefined): void {
		if (drift === undefined) this.#drift.delete(urn);
		else this.#drift.set(urn, drift);
	}

	/** How live state differs, by property path; undefined if it is not known to differ. */
	find(urn: string): Drift | undefined {
		return this.#drift.get(urn);
	}
}
