/** What a policy says, as requests that create or update one write it. */
import type { PolicyContent } from "../change.ts";

/** The parameters of a request, of whatever form. */
type Written = Readonly<Record<string, unknown>>;

export const policyFields = ["name", "effect", "consensus", "condition", "notes", "time"] as const;

export function contentOf({ name, effect, consensus, condition, notes, time }: PolicyContent): PolicyContent {
	return { name, effect, consensus, condition, notes, time };
}

const textOf = (value: unknown, otherwise = ""): string => (typeof value === "string" ? value : otherwise);

export function newContent({ policyName, effect, consensus, condition, notes, time }: Written): PolicyContent {
	return {
		...{ name: textOf(policyName), effect: textOf(effect), consensus: textOf(consensus) },
		...{ condition: textOf(condition), notes: textOf(notes), time: textOf(time) },
	};
}

/** What the request leaves out is as it was: the service keeps it (docs/internals/service.md#extended-submits). */
export function updatedContent(parameters: Written, before: Partial<PolicyContent> = {}): PolicyContent {
	const { policyName, policyEffect, policyConsensus, policyCondition, policyNotes, time } = parameters;
	return {
		name: textOf(policyName, before.name ?? String(parameters.policyId).toLowerCase()),
		effect: textOf(policyEffect, before.effect),
		consensus: textOf(policyConsensus, before.consensus),
		condition: textOf(policyCondition, before.condition),
		notes: textOf(policyNotes, before.notes),
		time: textOf(time, before.time),
	};
}
