/** The large figures above a page: of one organization what its sections show, of several how many are in each state. */
import { type Counted, countChanges } from "../../plan/change-counts.ts";
import { outcomesOf, resultsByAddress } from "../../plan/report.ts";
import { coveredAddresses } from "../../plan/step.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { count } from "../../say/count.ts";
import type { Tone } from "../../say/outcomes.ts";
import { isAlone, type OrganizationResult, organizationsOf, type State, states } from "../result/organizations.ts";
import type { CommandResult } from "../result/result.ts";
import { tallyOf } from "../result/summary.ts";
import { driftFigures, type Figure } from "./drift.ts";
import { pendingSections } from "./pending.ts";

const looks: Readonly<Record<Tone, string>> = { bad: "r", attention: "w", good: "a" };

/** Returns the figures in their order; none of several organizations that are all in the same state. */
export function figuresOf(result: CommandResult): readonly Figure[] {
	if (isAlone(result))
		return organizationsOf(result).flatMap((one) => (one.drift === null ? planFigures(one) : driftFigures(one.drift)));
	const counted = countStates(result);
	return counted.length < 2 ? [] : counted.map(({ number, words, tone }) => [String(number), words, looks[tone]]);
}

/** Returns how many of several organizations need a look, for a page whose figures count them; null when none does. */
export function headlineOf(result: CommandResult, tone: Tone): string | null {
	const counted = countStates(result);
	const sum = (of: typeof counted): number => of.reduce((total, { number }) => total + number, 0);
	const urgent = sum(counted.filter((one) => one.tone !== "good"));
	if (sum(counted) < 2 || urgent === 0) return null;
	const verb = urgent === 1 ? "needs" : "need";
	return `${urgent} of ${count(sum(counted), "organization", "organizations")} ${verb} ${tone === "bad" ? "action" : "attention"}`;
}

function countStates(result: CommandResult) {
	return Object.entries(tallyOf(result).states).map(([state, number]) => {
		const [words, tone] = states[state as State];
		return { number, words, tone };
	});
}

/** Returns the figures of a plan as in its verdict: only what would be submitted counts, of all that the sections show. */
function planFigures(one: OrganizationResult): readonly Figure[] {
	const { plan, threeWay, results } = one;
	const { gained, lost, removals, reported } = countChanges(plan, countedIn(one));
	const [waiting = 0, inDoubt = 0, rejected = 0] = pendingSections(plan).map(({ rows: { length } }) => length);
	const awaiting = outcomesOf(results ?? []).filter((outcome) => outcome.startsWith("awaiting"));
	const beforeApply = (number: number): number => (results === null ? number : 0);
	type Row = readonly [sign: string, number: Counted | number, one: string, many: string, look: string];
	const rows: readonly Row[] = [
		["+", gained, "membership gained", "memberships gained", "a"],
		["\u2212", lost, "membership lost", "memberships lost", "r"],
		["\u2212", removals, "removal", "removals", "r"],
		["", reported, "report-only", "report-only", "w"],
		["", beforeApply(threeWay?.reverts.length ?? 0), "outside change reverted", "outside changes reverted", "w"],
		["", results === null ? waiting : awaiting.length, "pending activity", "pending activities", "w"],
		["", beforeApply(inDoubt), "request in doubt", "requests in doubt", "w"],
		["", beforeApply(rejected), "rejected", "rejected", "w"],
	];
	const figures = rows.flatMap(([sign, number, single, many, look]): Figure[] => {
		const { counted, all } = typeof number === "number" ? { counted: number, all: number } : number;
		const shown = counted === all ? `${sign}${all}` : `${sign}${counted} of ${all}`;
		return counted === 0 ? [] : [[shown, all === 1 ? single : many, look]];
	});
	return [...firstFigure(one), ...figures];
}

/** Returns whether a change counts: of a plan what it would submit, after an apply what completed. */
function countedIn({ command, plan, results }: OrganizationResult): (address: string) => boolean {
	if (results !== null) {
		const byAddress = resultsByAddress(results);
		return (address) => byAddress.get(address)?.outcome === "completed";
	}
	if (command === "apply") return () => false;
	const covered = new Set<string>(coveredAddresses(groupSteps(plan.steps).sent));
	return (address) => covered.has(address);
}

/** Returns how much is to be submitted, or was; nothing where there was nothing to do. */
function firstFigure({ command, plan, report, results }: OrganizationResult): readonly Figure[] {
	const sent = groupSteps(plan.steps).sent.length;
	if (results === null && command === "apply") return [[`0 of ${sent}`, "activities submitted", ""]];
	if (results === null) return [[String(sent), sent === 1 ? "activity to submit" : "activities to submit", ""]];
	const total = (report?.steps ?? plan.steps).length;
	const completed = results.filter(({ outcome }) => outcome === "completed").length;
	return total === 0 ? [] : [[`${completed} of ${total}`, "steps completed", ""]];
}
