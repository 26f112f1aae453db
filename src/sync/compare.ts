/**
 * A document held against the live organization: reads, then decides. It is handed a Reader and a memory, so neither
 * planning nor drift detection can change anything.
 */
import type { DesiredOrganization, Memory } from "../plan/organization.ts";
import { makePlan, type Plan, type Reads } from "../plan/plan.ts";
import type { Reader } from "../wire/client.ts";
import { readLive } from "./read.ts";

export interface Comparison {
	readonly desired: DesiredOrganization;
	readonly plan: Plan;
	/** See ReadResult in read.ts: a time by the service's clock before which nothing was read. */
	readonly serverTimeMs: number | undefined;
}

export interface CompareOptions {
	readonly reads: Reads;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** The plan for this document as the organization is now. Throws what readLive throws. */
export async function compareLive(
	desired: DesiredOrganization,
	reader: Reader,
	memory: Memory,
	options: CompareOptions,
): Promise<Comparison> {
	const readAtMs = options.now();
	const { live, serverTimeMs } = await readLive(desired, reader, memory, options.reads);
	return { desired, plan: makePlan(desired, live, { reads: options.reads, readAtMs }), serverTimeMs };
}
