/** What every format says of a result as a whole: its verdict, and the error of the call. */

import { stalePlanMessage } from "../../common/errors.ts";
import { findDanger } from "../../plan/impact/danger.ts";
import { count } from "../../say/count.ts";
import { type Summary, type Verdict, verdictOf, withSentences } from "../../say/verdict.ts";
import { summarizeAliases, summarizeReverted } from "../sections/base.ts";
import { summarizeCases } from "../sections/cases.ts";
import { summarizeDiscovery } from "../sections/discovery.ts";
import { summarizeLint } from "../sections/lint.ts";
import { summarizePowers } from "../sections/powers.ts";
import { summarizeVotes } from "../sections/votes.ts";
import { findSoonEnding } from "../sections/windows.ts";
import { errorOfCall } from "./errors.ts";
import type { FoundOrganization } from "./found.ts";
import { assessFound, type OrganizationResult, type State, states, type Tone } from "./organizations.ts";
import { type CommandResult, type ErrorDescription, isCompared, isFailure } from "./result.ts";

export function summarizeResult(result: CommandResult): Summary {
	const { command, problems } = result;
	const error = errorAbove(result);
	if (error !== null || isFailure(result)) {
		const headline =
			problems.length > 0
				? `orgsync ${command} could not start: ${count(problems.length, "problem", "problems")} in the documents`
				: `orgsync ${command} stopped: ${causes[error?.code ?? ""] ?? "an error occurred"}`;
		return { verdict: verdictOf(headline), tone: "bad" };
	}
	switch (result.command) {
		case "test":
			return summarizeCases(result);
		case "powers":
			return summarizePowers(result.organizations);
		case "lint":
			return summarizeLint(result.organizations);
		case "organizations":
			return summarizeDiscovery(result);
		case "approve":
		case "reject":
			return { verdict: summarizeVotes(result), tone: result.exitCode === 0 ? "good" : "attention" };
		default:
			return tallyOf(result).summarize();
	}
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
	/** How many have an alias that means another user, changes that apply would revert, access that ends soon, and a dangerous plan that was not started. */
	readonly #some = { aliases: 0, reverted: 0, ending: 0, dangerous: 0 };
	/** The verdict on the first: that on all of them, where it is the only one. */
	#first: Verdict | undefined;

	/** Adds an organization; of one without a plan only its state is known, and whether access ends soon there. */
	add(found: FoundOrganization, one: OrganizationResult | null): void {
		const state = stateOfFound(found, one);
		if (state === undefined) return;
		this.#count += 1;
		this.#states.set(state, (this.#states.get(state) ?? 0) + 1);
		this.#tones.add(one?.tone ?? states[state][1]);
		if (one !== null) this.#addPlanned(one);
		else if (found.endsSoon !== undefined) this.#some.ending += 1;
	}

	#addPlanned(one: OrganizationResult): void {
		this.#first ??= one.verdict;
		const some = this.#some;
		if (one.results === null && summarizeAliases(one.threeWay) !== "") some.aliases += 1;
		if (summarizeReverted(one.threeWay, one.plan) !== "") some.reverted += 1;
		if (findSoonEnding(one.plan) !== null) some.ending += 1;
		if (one.results === null && one.drift === null && findDanger(one.plan) !== null) some.dangerous += 1;
	}

	/** Returns how many organizations are in each state, in the order in which it matters. */
	get states(): Readonly<Partial<Record<State, number>>> {
		const inOrder = (Object.keys(states) as State[]).filter((state) => this.#states.has(state));
		return Object.fromEntries(inOrder.map((state) => [state, this.#states.get(state)]));
	}

	summarize(): Summary {
		const tone = (["bad", "attention"] as const).find((one) => this.#tones.has(one)) ?? "good";
		if (this.#count === 0) return { verdict: verdictOf("Nothing to show: there is no organization"), tone };
		if (this.#count === 1 && this.#first !== undefined) return { verdict: this.#first, tone };
		const counted = Object.entries(this.states).map(([state, found]) => `${found} ${states[state as State][0]}`);
		const all = count(this.#count, "organization", "organizations");
		return { verdict: withSentences(verdictOf(`${all}: ${counted.join(", ")}`), ...this.#describeSome()), tone };
	}

	/** Returns in how many organizations a plan is dangerous, an alias means another user, apply would revert changes made outside, or access ends soon. */
	#describeSome(): readonly string[] {
		const { dangerous, aliases, reverted, ending } = this.#some;
		const inSome = (some: number, what: string): string => (some === 0 ? "" : `In ${some} of them ${what}.`);
		return [
			dangerous === 0 ? "" : `\u26a0 ${count(dangerous, "plan is dangerous", "plans are dangerous")}.`,
			inSome(aliases, "an alias now means another user"),
			inSome(reverted, "apply would revert changes made outside that this change does not mention"),
			inSome(ending, "access ends soon"),
		];
	}
}

/** Returns what an organization is counted as; `one` is its assessment, if it has a plan. */
export function stateOfFound({ failed, state }: FoundOrganization, one: OrganizationResult | null): State | undefined {
	if (one !== null || failed === undefined) return one?.state ?? state;
	return failed.error.code === "live-problem" ? "impossible" : "unread";
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
	return error === null || (result.outdated ?? []).length === 0 ? error : { ...error, message: stalePlanMessage };
}
