/** The worst that a plan does. What is dangerous is decided here, and every format and the question of apply name it first. */
import { type Guard, removalGuards } from "../guards/guards.ts";
import type { Plan } from "../plan.ts";
import { groupSteps } from "../step-groups.ts";
import type { PlanImpact } from "./impact.ts";

interface Danger {
	/** Lockouts, users who can act alone and could not, and powers that need fewer approvals, worst first. */
	readonly findings: readonly PlanImpact[];
	/** Guards of removals that refuse, also where they are overridden. */
	readonly overLimit: readonly Guard[];
	/** How many activities apply would submit. */
	readonly activities: number;
}

const dangerous: ReadonlySet<PlanImpact["change"]> = new Set(["nobody", "alone", "fewer"]);

/** Returns the danger of the plan; null where apply would submit nothing, or nothing dangerous. */
export function findDanger({ impact = [], guards, steps }: Pick<Plan, "impact" | "guards" | "steps">): Danger | null {
	const findings = impact.filter(({ change }) => dangerous.has(change));
	const overLimit = guards.filter(({ kind, refuses }) => refuses && removalGuards.has(kind));
	const activities = groupSteps(steps).sent.length;
	if (activities === 0 || findings.length + overLimit.length === 0) return null;
	return { findings, overLimit, activities };
}
