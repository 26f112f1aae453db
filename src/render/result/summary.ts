/** What every format says of a result as a whole: verdict, error of the call, saved plan, overrides of the run. */

import type { OutdatedObject } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { describeTime } from "../../plan/access-window.ts";
import type { ThreeWay } from "../../plan/base/three-way.ts";
import { findDanger } from "../../plan/impact/danger.ts";
import type { SavedPlanFacts } from "../../plan/plan.ts";
import { describeOutdated } from "../../plan/stale.ts";
import { count } from "../../say/count.ts";
import { isDiscovery, summarizeDiscovery } from "../discovery.ts";
import { findSoonEnding } from "../expiry-words.ts";
import { describeOverride } from "../overrides-text.ts";
import { summarizeAliases, summarizeReverted } from "../sections/base.ts";
import { summarizePowers } from "../sections/powers.ts";
import { summarizeVotes } from "../sections/votes.ts";
import { errorOfCall } from "./errors.ts";
import type { FoundOrganization } from "./found.ts";
import { showOrganization } from "./organization-name.ts";
import {
	assessFound,
	type OrganizationResult,
	organizationsOf,
	type State,
	states,
	type Tone,
} from "./organizations.ts";
import { type CommandResult, type ErrorDescription, isCompared, isPowers } from "./result.ts";
import { isVotes } from "./votes.ts";

export interface Summary {
	/** One sentence. Of errors it says only that they exist. */
	readonly verdict: string;
	/** The worst of all organizations. */
	readonly tone: Tone;
}

export function summarizeResult(result: CommandResult): Summary {
	const { command, problems } = result;
	const error = errorAbove(result);
	if (error !== null) {
		const verdict =
			problems.length > 0
				? `orgsync ${command} could not start: ${count(problems.length, "problem", "problems")} in the documents.`
				: `orgsync ${command} stopped: ${causes[error.code] ?? "an error occurred"}.`;
		return { verdict, tone: "bad" };
	}
	if (isPowers(result)) {
		const { verdict, isUnknown } = summarizePowers(result.organizations);
		return { verdict, tone: isUnknown ? "attention" : "good" };
	}
	if (isDiscovery(result)) return summarizeDiscovery(result);
	if (isVotes(result)) return { verdict: summarizeVotes(result), tone: result.exitCode === 0 ? "good" : "attention" };
	return tallyOf(result).summarize();
}

/** Returns the count of the organizations of the result, those without a plan included. */
export function tallyOf(result: CommandResult): Tally {
	const tally = new Tally();
	for (const one of isCompared(result) ? result.organizations : []) tally.add(one, assessFound(result.command, one));
	return tally;
}

/** Counts organizations one after the other, for the verdict on all of them. Keeps none. */
export class Tally {
	readonly #states = new Map<State, number>();
	readonly #tones = new Set<Tone>();
	#count = 0;
	#aliases = 0;
	#reverted = 0;
	/** How many have access that ends soon. */
	#ending = 0;
	/** How many have a dangerous plan that was not started. */
	#dangerous = 0;
	/** The verdict on the first: that on all of them, where it is the only one. */
	#first: string | undefined;

	/** Adds an organization; of one without a plan only its state is known, and whether access ends soon there. */
	add(found: FoundOrganization, one: OrganizationResult | null): void {
		const state = stateOfFound(found, one);
		if (state === undefined) return;
		this.#count += 1;
		this.#states.set(state, (this.#states.get(state) ?? 0) + 1);
		this.#tones.add(one?.tone ?? states[state][1]);
		if (one !== null) this.#addPlanned(one);
		else if (found.endsSoon !== undefined) this.#ending += 1;
	}

	#addPlanned(one: OrganizationResult): void {
		this.#first ??= one.verdict;
		if (one.results === null && summarizeAliases(one.threeWay) !== "") this.#aliases += 1;
		if (summarizeReverted(one.threeWay, one.plan) !== "") this.#reverted += 1;
		if (findSoonEnding(one.plan) !== null) this.#ending += 1;
		if (one.results === null && one.drift === null && findDanger(one.plan) !== null) this.#dangerous += 1;
	}

	/** Returns how many organizations are in each state, in the order in which it matters. */
	get states(): Readonly<Partial<Record<State, number>>> {
		const inOrder = (Object.keys(states) as State[]).filter((state) => this.#states.has(state));
		return Object.fromEntries(inOrder.map((state) => [state, this.#states.get(state)]));
	}

	summarize(): Summary {
		const tone = (["bad", "attention"] as const).find((one) => this.#tones.has(one)) ?? "good";
		if (this.#count === 0) return { verdict: "Nothing to show: there is no organization.", tone };
		if (this.#count === 1 && this.#first !== undefined) return { verdict: this.#first, tone };
		const counted = Object.entries(this.states).map(([state, found]) => `${found} ${states[state as State][0]}`);
		const all = count(this.#count, "organization", "organizations");
		return { verdict: `${all}: ${counted.join(", ")}.${this.#describeSome()}`, tone };
	}

	/** Returns in how many organizations a plan is dangerous, an alias means another user, apply would revert changes made outside, or access ends soon. */
	#describeSome(): string {
		return [
			...(this.#dangerous === 0
				? []
				: [` \u26a0 ${count(this.#dangerous, "plan is dangerous", "plans are dangerous")}.`]),
			...(this.#aliases === 0 ? [] : [` In ${this.#aliases} of them an alias now means another user.`]),
			...(this.#reverted === 0
				? []
				: [` In ${this.#reverted} of them apply would revert changes made outside that this change does not mention.`]),
			...(this.#ending === 0 ? [] : [` In ${this.#ending} of them access ends soon.`]),
		].join("");
	}
}

/** Returns what an organization is counted as; `one` is its assessment, if it has a plan. */
export function stateOfFound({ failed, state }: FoundOrganization, one: OrganizationResult | null): State | undefined {
	return one?.state ?? (failed === undefined ? state : stateOfUnplanned(failed.error));
}

/** Returns what an organization without a plan is counted as. */
export function stateOfUnplanned({ code }: ErrorDescription): State {
	return code === "live-problem" ? "impossible" : "unread";
}

/** Causes that fit into a verdict; the message follows it in every format. */
const causes: Readonly<Record<string, string>> = {
	guard: "blocked by a guard, nothing was submitted",
	"stale-plan": "the saved plan is stale, nothing was submitted",
	"plan-applied": "the saved plan was already applied, nothing was submitted",
	"plan-model": "another version of orgsync made the saved plan, nothing was submitted",
	"plan-too-old": "the saved plan is too old, nothing was submitted",
	"live-problem": "the organization cannot converge, nothing was submitted",
	configuration: "flags, environment or files are wrong",
	"not-authorized": "the service did not accept the key",
	service: "the service returned an error",
	transport: "no usable answer came",
	storage: "a file of orgsync cannot be used",
};

/**
 * Returns the error to show above all organizations; null where each that failed has its own. Objects that changed since a
 * saved plan was made have a list of their own in every format, so they are left out here.
 */
export function errorAbove(result: CommandResult): ErrorDescription | null {
	const error = errorOfCall(result);
	if (error === null || describeAllOutdated(result).length === 0) return error;
	return { ...error, message: error.message.split(":\n")[0] ?? error.message };
}

/** Returns the objects that changed since the saved plan was made, one line each. */
export function describeAllOutdated(result: CommandResult): readonly string[] {
	const plans = new Map(organizationsOf(result).map(({ plan }) => [plan.organizationId, plan]));
	return outdatedIn(result).map((one) => {
		const about = plans.size > 1 ? `organization ${showOrganization(plans.get(one.organizationId) ?? one)}: ` : "";
		return `${about}${describeOutdated(one)}`;
	});
}

export function outdatedIn(result: CommandResult): readonly OutdatedObject[] {
	return "outdated" in result ? (result.outdated ?? []) : [];
}

/** Returns the saved plan of a result; null where there is none. */
export function savedPlanOf(result: CommandResult): SavedPlanFacts | null {
	return "savedPlan" in result ? (result.savedPlan ?? null) : null;
}

/**
 * Returns which saved plan it is and what was done with it, in one sentence; null where there is none. `ran` is whether
 * `apply` ran it, for a result without its reports.
 */
export function describeSavedPlan(
	result: CommandResult,
	ran = isCompared(result) && result.organizations.some(({ report }) => report !== undefined),
): string | null {
	const savedPlan = savedPlanOf(result);
	if (savedPlan === null) return null;
	const { digest, readAt, generatedBy, statedByFile, validUntil } = savedPlan;
	if (result.command !== "apply") {
		if (statedByFile !== undefined) return describeStated(savedPlan, result);
		return `Saved plan ${digest}${readAt === null ? "" : ` of ${readAt}`}, made by ${showMaker(generatedBy)}${validUntil === undefined ? "" : `, valid until ${describeTime(validUntil)}`}.`;
	}
	const stated = statedByFile === undefined ? ` of ${readAt}` : ` (read at ${readAt}, as stated by the file)`;
	const which = `saved plan ${digest}${readAt === null ? "" : stated}`;
	return ran ? `Ran the ${which}.` : `The ${which} was not run.`;
}

/** Returns which saved plan it is, and which of its parts only its file states. */
function describeStated({ digest, readAt, generatedBy, validUntil }: SavedPlanFacts, result: CommandResult): string {
	const all = isCompared(result) ? result.organizations : [];
	const hasBase = droppedOf(result).length > 0 || all.some(({ threeWay }) => threeWay !== undefined);
	const hasImpact = all.some(({ plan }) => plan?.impact !== undefined);
	const hasWindows = all.some(({ plan }) => plan?.serviceTime !== undefined);
	const stated = [
		...(readAt === null ? [] : [`read at ${readAt}`]),
		`made by ${showMaker(generatedBy)}`,
		...(validUntil === undefined ? [] : [`valid until ${describeTime(validUntil)}`]),
		"live values, names, problems, guards, overrides, pending activities, unread and unmanaged objects",
		...(hasWindows ? ["access with an end"] : []),
		...(hasImpact ? ["impact and approvals"] : []),
		...(hasBase ? ["the comparison with the base"] : []),
	];
	return `Saved plan ${digest}. As stated by the file, not verified: ${stated.join(", ")}.`;
}

/** Name and version as they are; anything else in quotes, for a file could say more than that. */
function showMaker(generatedBy: string): string {
	return /^orgsync [\w.+-]+$/.test(generatedBy) ? generatedBy : showText(JSON.stringify(generatedBy));
}

/** Returns the overrides of the whole run, and of the run that made a saved plan, one line each. */
export function describeRunOverrides(result: CommandResult): readonly string[] {
	// The plan of this run used the same overrides as the run.
	const planned = result.command === "plan" ? [] : (savedPlanOf(result)?.overrides ?? []);
	return [
		...(result.overrides ?? []).map((one) => describeOverride(one)),
		...planned.map((one) => `${describeOverride(one)}, when the plan was made`),
	];
}

/** Returns the organizations that are only in the base. */
export function droppedOf(result: CommandResult): readonly ThreeWay[] {
	return "dropped" in result ? (result.dropped ?? []) : [];
}
