/**
 * Which addresses `--accept` means. What a waiting activity would change is not among them: the document would say what
 * is there now, and be wrong once somebody approves.
 */

import { matchesGlob } from "../plan/only.ts";
import type { Plan } from "../plan/plan.ts";
import { isCovered } from "../plan/step.ts";
import { compareText } from "../plan/value.ts";
import { nameOf, settleOrAbandon, type Waiting } from "../plan/waiting.ts";

/** An address that a pattern fits and that is not accepted. */
export interface LeftOut {
	readonly address: string;
	readonly because: string;
}

export type Selection =
	| {
			/** What is accepted of each plan, in their order. */
			readonly chosen: readonly ReadonlySet<string>[];
			readonly leftOut: readonly LeftOut[];
	  }
	| { readonly refusals: readonly string[] };

/** The addresses at which an organization differs, sorted. */
export function differingAddresses({ changes, problems }: Pick<Plan, "changes" | "problems">): readonly string[] {
	return [...new Set([...changes.map(({ address }) => address), ...problems.map(({ path }) => path)])].sort(
		compareText,
	);
}

/**
 * What these addresses and patterns choose. Refused are a pattern that nothing fits, an address that a waiting activity
 * would change, and a pattern that only such addresses fit; where it fits others too, they are left out.
 */
export function selectAddresses(plans: readonly Plan[], patterns: readonly string[]): Selection {
	const fitting = plans.map((plan) => {
		const addresses = differingAddresses(plan);
		const waits = (address: string): boolean => waitingOver(address, plan) !== undefined;
		return patterns.map((pattern) => {
			const all = select(pattern, addresses);
			return { all, free: all.filter((address) => !waits(address)), isExact: all.includes(pattern) };
		});
	});
	const idle = patterns.filter((_, index) => fitting.every((ofPlan) => (ofPlan[index]?.all.length ?? 0) === 0));
	if (idle.length > 0) return { refusals: idle.map((pattern) => describeNoMatch(pattern, plans)) };
	const refused = new Set<string>();
	const leftOut = new Map<string, LeftOut>();
	for (const index of patterns.keys()) {
		const isIdle = fitting.every((ofPlan) => (ofPlan[index]?.free.length ?? 0) === 0);
		for (const [number, plan] of plans.entries()) {
			const { all = [], free = [], isExact = false } = fitting[number]?.[index] ?? {};
			for (const address of all.filter((one) => !free.includes(one))) {
				const because = tellWaiting(waitingOver(address, plan));
				if (isIdle || isExact) refused.add(`cannot accept ${address}: ${because}`);
				else leftOut.set(`${number} ${address}`, { address, because });
			}
		}
	}
	if (refused.size > 0) return { refusals: [...refused] };
	return {
		chosen: fitting.map((ofPlan) => new Set(ofPlan.flatMap(({ free }) => free))),
		leftOut: [...leftOut.values()],
	};
}

/** Of the addresses, the one that is spelled so, or those that the pattern fits. */
function select(pattern: string, addresses: readonly string[]): readonly string[] {
	if (addresses.includes(pattern)) return [pattern];
	return addresses.filter((address) => matchesGlob(pattern, address));
}

function waitingOver(address: string, { waiting }: Plan): Waiting | undefined {
	// Of what was rejected nothing can come any more.
	return waiting.find((one) => one.relation !== "rejected" && isCovered(address, one));
}

function tellWaiting(waiting: Waiting | undefined): string {
	if (waiting === undefined) return "";
	if (waiting.state === "in-doubt")
		return `something was sent for it and never answered: ${settleOrAbandon(nameOf(waiting))}`;
	return `activity ${nameOf(waiting)} waits and would change this: have it rejected first, or give it up`;
}

/** Most differences that a refusal lists. */
const maxListed = 10;

function describeNoMatch(pattern: string, plans: readonly Plan[]): string {
	const all = [...new Set(plans.flatMap(differingAddresses))];
	const listed = all.slice(0, maxListed).join(", ");
	const more = all.length > maxListed ? `, and ${all.length - maxListed} more` : "";
	return `nothing to accept at ${pattern}; ${all.length === 0 ? "nothing differs" : `what differs: ${listed}${more}`}`;
}
