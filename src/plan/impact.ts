/** What a plan means for who can do what, as it is saved and shown; policy/impact.ts finds it. */
import type { ImpactFinding } from "../policy/impact.ts";
import type { Ability } from "../policy/powers.ts";

/** Who could do it, or can; `together` is cut to the first sets, and `thresholds` says the whole. */
export interface AbilitySummary extends Ability {
	/** Why not everything is known; null where it is. */
	readonly unknown: string | null;
}

/** One change of one power. */
export interface PlanImpact extends Omit<ImpactFinding, "before" | "after"> {
	readonly before: AbilitySummary;
	readonly after: AbilitySummary;
}
