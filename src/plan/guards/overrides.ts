/** Overrides: safeguards that an operator switched off. Only those that made a difference are recorded. */

import { defined, nonEmpty } from "../../common/defined.ts";
import { nameOf, type PendingActivity, touches } from "../activities/pending.ts";
import { powerLimits } from "../organization.ts";
import { coveredAddresses, type Step } from "../step.ts";
import { sameValue } from "../value.ts";
import type { Allowed, Guard, GuardKind } from "./guards.ts";

interface AllowOverride {
	readonly flag: "allow";
	readonly kind: GuardKind;
	readonly number: number;
}

/** One override that was used. `flag` is that of the command line, without its dashes. */
export type Override =
	/** A guard of this kind would have blocked the plan; it found this number. */
	| AllowOverride
	/** A pending activity, or a request in doubt, that holds nothing back any more: its id, or the request's fingerprint. */
	| { readonly flag: "abandon"; readonly activity: string }
	/** Steps that are submitted although the same was rejected before, and what they change. */
	| { readonly flag: "retry-rejected"; readonly steps: number; readonly covers: readonly string[] }
	/** TLS was weakened, so the service is not authenticated. It is recorded for a run, not for an organization. */
	| { readonly flag: "insecure" };

interface Overridden {
	readonly overrides?: readonly Override[];
}

interface Guarded extends Overridden {
	readonly guards: readonly Guard[];
}

/** Returns the overrides that a plan itself uses: abandoned activities that it touches, and rejected steps. */
export function overridesInPlan(
	steps: readonly Step[],
	abandoned: readonly PendingActivity[],
	retried: readonly Step[],
): readonly Override[] {
	const touched = abandoned.filter((activity) => steps.some((step) => touches(step, activity)));
	return [...touched.map((activity) => abandonOf(nameOf(activity))), ...retriesOf(retried)];
}

export function abandonOf(activity: string): Override {
	return { flag: "abandon", activity };
}

/** Returns the record of these steps; none where there is no step. */
export function retriesOf(steps: readonly Pick<Step, "covers">[]): readonly Override[] {
	if (steps.length === 0) return [];
	return [{ flag: "retry-rejected", steps: steps.length, covers: coveredAddresses(steps) }];
}

/** Returns the addresses that a plan changes by steps that were rejected before. */
export function retriedIn({ overrides = [] }: Overridden): ReadonlySet<string> {
	return new Set(overrides.flatMap((one) => (one.flag === "retry-rejected" ? one.covers : [])));
}

/** Returns the plan with these overrides beside its own, none of them twice; the same plan where there is none. */
export function withOverrides<P extends Overridden>(plan: P, more: readonly Override[]): P {
	if (more.length === 0) return plan;
	const known = plan.overrides ?? [];
	const added = more.filter(
		(one, index) => ![...known, ...more.slice(0, index)].some((other) => sameValue(one, other)),
	);
	return { ...plan, overrides: [...known, ...added] };
}

/** Returns the records of the values without which some of these guards would refuse. */
export function allowsOf(guards: readonly Guard[], allowed: Allowed): readonly AllowOverride[] {
	const passed = guards.filter(({ kind, found, refuses }) => refuses && allowed.get(kind)?.has(found) === true);
	return passed.map(({ kind, found }) => ({ flag: "allow", kind, number: found }));
}

export function withoutAllowed<P extends Overridden>(plan: P): Omit<P, "overrides"> & Overridden {
	const { overrides = [], ...others } = plan;
	const kept = overrides.filter(({ flag }) => flag !== "allow");
	return { ...others, ...defined({ overrides: nonEmpty(kept) }) };
}

/** Returns the guards that keep apply from sending anything: those that refuse, and that no override lets pass. */
export function blockingGuards({ guards, overrides = [] }: Guarded): readonly Guard[] {
	return guards.filter((guard) => guard.refuses && !overrides.some((one) => isFor(one, guard)));
}

/** Returns the guards that block nothing, and that a reader has to know of: what they judge is allowed, or not known. */
export function warningGuards({ guards }: Guarded): readonly Guard[] {
	return guards.filter(
		({ kind, refuses }) =>
			!refuses &&
			(["oldNames", "stranded", "unsafeMoments"].includes(kind) || powerLimits.some((limit) => limit === kind)),
	);
}

export function isFor(override: Override, { kind, found }: Guard): boolean {
	return override.flag === "allow" && override.kind === kind && override.number === found;
}
