/**
 * The steps in rounds: a round starts after the one before it, and its steps run in parallel.
 */

import { nameOf } from "../plan/activities/pending.ts";
import type { Plan } from "../plan/plan.ts";
import type { PartResult, StepResult } from "../plan/report.ts";
import type { Step } from "../plan/step.ts";
import type { CommandContext } from "../plan/suggested-command.ts";
import { describeVotes } from "./activity-events.ts";
import { describeForecast } from "./approval-words.ts";
import { fold, renderDoubt } from "./html-details.ts";
import { curveQuotes, type Html, html, sentence } from "./html-text.ts";
import type { OrganizationResult } from "./organizations.ts";
import { outcomeWords, toneOf } from "./outcome-words.ts";
import { phraseHtml } from "./print/html.ts";
import {
	describeAwaitedOf,
	describeExplainCommand,
	describeHold,
	describeOutcome,
	describePartActivity,
	describeWrong,
	listCovers,
	partsHeading,
} from "./report-text.ts";
import { count } from "./text.ts";

/** Returns the steps in rounds; null when there is none. `id` is unique on the page. */
export function renderSteps(one: OrganizationResult, id: string): Html | null {
	const { plan, report, results, failed } = one;
	const byId = new Map((results ?? []).map((result) => [result.step.id, result]));
	const steps = report?.steps.map(({ step }) => step) ?? plan.steps;
	if (steps.length === 0) return null;
	const rounds = [...Map.groupBy(steps, roundOf(steps))].sort(([left], [right]) => left - right);
	const body = html`<ol class="rounds">${rounds.map(
		([, ofRound], index) =>
			html`<li><p class="round">${titleOf(index, ofRound.length)}</p><ul class="steps">${ofRound.map((step) =>
				renderStep(step, byId.get(step.id), { id, plan, missing: missingOf(one), commands: one.commands }),
			)}</ul></li>`,
	)}</ol>`;
	const calm = failed === null && (results ?? []).every(({ outcome }) => outcome === "completed");
	if (results === null || steps.length <= maxStepsOpen || !calm) return body;
	return fold(`${count(steps.length, "step", "steps")} in ${count(rounds.length, "round", "rounds")}`, body);
}

/** More results than this are folded, unless one of the steps did not complete. */
const maxStepsOpen = 20;

function titleOf(index: number, number: number): string {
	const together = number === 1 ? "1 step" : `${count(number, "step", "steps")}, in parallel`;
	return index === 0 ? `First: ${together}` : `Then: ${together}`;
}

/** Returns the number of rounds before a step: one more than before the last of those it depends on. */
function roundOf(steps: readonly Step[]): (step: Step) => number {
	const rounds = new Map<string, number>();
	// A step follows those it depends on. Only a plan from a file may differ: its order is shown as far as it is known.
	for (const step of steps) {
		rounds.set(step.id, Math.max(0, ...step.dependsOn.map((other) => (rounds.get(other) ?? 0) + 1)));
	}
	return (step) => rounds.get(step.id) ?? 0;
}

interface StepContext {
	readonly plan: Plan;
	/** Prefix of ids on the page. */
	readonly id: string;
	/** What a step without a result shows in place of it. */
	readonly missing: Html | null;
	readonly commands: CommandContext | undefined;
}

/** What a step shows that apply did not send. */
const notSent = html`<span class="word attention">not sent</span> `;

/** Returns what a step without a result shows: one may have been under way when an error ended the work. */
function missingOf({ command, failed, results }: OrganizationResult): Html | null {
	if (failed !== null) return html`<span class="word attention">no result</span> `;
	return command === "apply" && results === null ? notSent : null;
}

function renderStep(step: Step, result: StepResult | undefined, { id, missing, plan, commands }: StepContext): Html {
	const { operation, reason, dependsOn, earlierActivity, covers } = step;
	const after =
		dependsOn.length === 0
			? null
			: html`<span class="after">after ${dependsOn.map((other, index) => html`${index === 0 ? "" : ", "}<a href="#${id}-${other}">${other}</a>`)}</span> `;
	const waits =
		earlierActivity === null || result !== undefined
			? null
			: html`<p class="doubt">${describeHold(earlierActivity)} <code>${nameOf(earlierActivity)}</code>: ${earlierActivity.relation === "rejected" ? html`needs <code>--retry-rejected</code>` : "nothing is sent"}</p>`;
	return html`<li id="${id}-${step.id}"><p><span class="step">${step.id}</span> ${result === undefined && earlierActivity === null ? missing : outcomeOf(result)}${sentence(reason)}</p>
<p class="soft"><code>${operation}</code> ${after}${operation === "update_user_tag" ? null : html`<span class="covers">${listCovers(covers.map(({ address }) => address))}</span>`}</p>${waits}${result === undefined && earlierActivity === null ? renderForecast(step, plan) : null}${renderOutcome(result, plan, commands)}</li>\n`;
}

/** Returns what is foretold of the step; null where policies were not asked for. */
function renderForecast(step: Step, plan: Plan): Html | null {
	const said = describeForecast(step, plan);
	if (said === null) return null;
	return html`<p class="${step.approval?.verdict === "runs" ? "soft" : "doubt"}">${phraseHtml(said)}</p>`;
}

/** Returns the outcome of a step in a word; null without a result. */
function outcomeOf(result: StepResult | undefined): Html | null {
	if (result === undefined) return null;
	return html`<span class="word ${toneOf(result)}">${outcomeWords[result.outcome]}</span> `;
}

function renderOutcome(result: StepResult | undefined, plan: Plan, commands: CommandContext | undefined): Html | null {
	if (result === undefined) return null;
	const parts = result.parts.length === 0 ? null : renderParts(result.parts, plan, commands);
	const said = describeWrong(result);
	const wrong = said === null ? null : html`<p class="doubt">${said}</p>`;
	const votes = describeVotes(result, plan).map((vote) => html`<p class="soft">${vote}</p>`);
	if (result.outcome === "completed") return html`${wrong}${votes}${parts}`;
	const foretold = describeAwaitedOf(result, plan);
	const awaited = foretold === null ? null : html`<p class="doubt">${phraseHtml(foretold)}</p>`;
	const { activityId, fingerprint, policyEvaluations } = result;
	return html`${awaited}${wrong}${votes}${result.message === null ? null : html`<p class="doubt">${curveQuotes(describeOutcome(result))}</p>`}${policyEvaluations.map(
		({ policyId, outcome }) =>
			html`<p class="soft">policy <code>${policyId ?? "(not set)"}</code>: ${outcome ?? "no outcome given"}</p>`,
	)}${
		activityId === null || parts !== null
			? null
			: html`<p class="soft">activity <code>${activityId}</code>${fingerprint === null ? null : html`, fingerprint <code>${fingerprint}</code>`}</p>`
	}${parts}`;
}

function renderParts(parts: readonly PartResult[], plan: Plan, commands: CommandContext | undefined): Html {
	return html`<p class="soft">${partsHeading}:</p><ul class="changes">${parts.map((part) => {
		const { address, outcome, message } = part;
		const named = describePartActivity(part);
		const explain = outcome.startsWith("awaiting") ? describeExplainCommand(part, plan, commands) : null;
		return html`<li><div><span class="word ${toneOf(part)}">${outcomeWords[outcome]}</span> <code>${address}</code>${
			message === null ? null : renderDoubt(curveQuotes(message))
		}${named === null ? null : html`<p class="soft">${named}</p>`}${explain === null ? null : html`<p class="soft">${explain}</p>`}</div></li>\n`;
	})}</ul>`;
}
