/**
 * What a command found or did, as every format for people is given it, and the one-line verdict on it. Plain data: it is
 * what `--format json` prints, so a saved answer can be rendered later.
 */
import { type ExitCode, exitCodes, type MovedObject, type Problem } from "../errors.ts";
import { showText } from "../escape.ts";
import type { OrganizationDrift } from "../plan/drift.ts";
import { blockingGuards, type Override } from "../plan/overrides.ts";
import { findsDifference, type Plan } from "../plan/plan.ts";
import { exitCodeOf, type Report, type StepResult } from "../plan/report.ts";
import type { SavedPlanFacts } from "../plan/saved.ts";
import { tellMoved } from "../plan/stale.ts";
import { groupSteps } from "../plan/step-groups.ts";
import type { ThreeWay } from "../plan/three-way.ts";
import { summarizeFindings } from "./drift-words.ts";
import { tellOverride } from "./overrides-text.ts";
import { notApplied, summarizeBroken, summarizeReport } from "./report-text.ts";
import { count, summarizeDrift, summarizePlan } from "./text.ts";
import { summarizeAliases } from "./three-way-aliases.ts";
import { summarizeUndone } from "./three-way-text.ts";

/** Why something could not go on. */
export interface ToldError {
	readonly code: string;
	readonly message: string;
	readonly hint: string | null;
}

/** An organization in which an error ended the work, so that there is no report. */
export interface Broken {
	readonly organizationId: string;
	readonly error: ToldError;
	/** What was over by then. */
	readonly steps: readonly StepResult[];
}

/** The answer of `plan`, `drift` or `apply`; with `error`, of any command. */
export interface CommandResult {
	readonly command: string;
	/** One an organization; left out when the work could not go on. */
	readonly plans?: readonly Plan[];
	/** Of a plan with a base: one an organization, and those that only the base speaks of. */
	readonly threeWay?: readonly ThreeWay[];
	/** Of `apply`: one an organization, without those that broke off; none when nothing was begun. */
	readonly reports?: readonly Report[];
	/** Of `drift`: one an organization. */
	readonly drift?: readonly OrganizationDrift[];
	/**
	 * Organizations in which an error ended the work; `error` is then that of the first. One without a plan could not even
	 * be read.
	 */
	readonly broken?: readonly Broken[];
	/** Of `plan --out`, `show` and `apply --plan`: which saved plan it is. */
	readonly savedPlan?: SavedPlanFacts;
	/** Of `apply --plan`: what is not what it was when it was planned; then nothing was sent. */
	readonly moved?: readonly MovedObject[];
	/** Problems of the documents. */
	readonly problems?: readonly Problem[];
	readonly error?: ToldError | null;
	/** Overrides of the whole run; left out when there is none. */
	readonly overrides?: readonly Override[];
	/** Name and version of the program, for the foot of a page. */
	readonly generatedBy?: string;
}

/** How good the news is; every format shows it in its own way, and never by colour alone. */
export type Tone = "good" | "attention" | "bad";

/** One organization with its plan and, after an apply, its report. */
export interface OrganizationResult {
	readonly command: string;
	readonly plan: Plan;
	/** Null without a base. */
	readonly threeWay: ThreeWay | null;
	readonly report: Report | null;
	readonly broken: Broken | null;
	/** What moved, since when and by whom; null of every command but `drift`. */
	readonly drift: OrganizationDrift | null;
	/** What became of the steps, of a report or of one that broke off; null when nothing was begun. */
	readonly results: readonly StepResult[] | null;
	/** Overrides that were used: of a report those of the report, else those that the plan uses. */
	readonly overrides: readonly Override[];
	readonly state: State;
	readonly tone: Tone;
	/** One sentence. It holds counts and our own words only, nothing that has to be escaped. */
	readonly verdict: string;
}

const states = {
	impossible: ["that cannot become what the document says", "bad"],
	unread: ["that could not be read", "bad"],
	refused: ["refused by a guard", "bad"],
	interrupted: ["interrupted", "bad"],
	failed: ["not converged", "bad"],
	brokenOff: ["broken off", "bad"],
	unseen: ["that could not be looked at", "bad"],
	partlyApplied: ["partly applied", "bad"],
	rejected: ["rejected or denied", "bad"],
	inDoubt: ["held up by what was sent before", "attention"],
	rejectedBefore: ["rejected before", "attention"],
	waiting: ["waiting for somebody", "attention"],
	changing: ["to change", "attention"],
	drifted: ["not as the document says", "attention"],
	reported: ["with differences that can only be reported", "attention"],
	notApplied: ["not applied", "attention"],
	applied: ["applied", "good"],
	unchanged: ["as the document says", "good"],
} as const satisfies Readonly<Record<string, readonly [words: string, tone: Tone]>>;

/** What an organization is counted as; in the order in which it matters to a reader. */
type State = keyof typeof states;

const statesAfterApply: Readonly<Partial<Record<ExitCode, State>>> = {
	[exitCodes.converged]: "applied",
	[exitCodes.waiting]: "waiting",
	[exitCodes.rejectedOrDenied]: "rejected",
	[exitCodes.partlyApplied]: "partlyApplied",
	[exitCodes.interrupted]: "interrupted",
};

/** Every organization of the result, in its order. */
export function organizationsOf(result: CommandResult): readonly OrganizationResult[] {
	const { command, plans = [], reports = [] } = result;
	const reported = new Map(reports.map((report) => [report.organizationId, report]));
	const threeWays = new Map((result.threeWay ?? []).map((one) => [one.organizationId, one]));
	const brokenOff = new Map((result.broken ?? []).map((one) => [one.organizationId, one]));
	const drifts = new Map((result.drift ?? []).map((one) => [one.organizationId, one]));
	return plans.map((plan) => {
		const report = reported.get(plan.organizationId) ?? null;
		const broken = brokenOff.get(plan.organizationId) ?? null;
		const drift = drifts.get(plan.organizationId) ?? null;
		const results = (report ?? broken)?.steps ?? null;
		const state = drift === null ? stateOf(command, plan, report, broken) : stateOfDrift(drift, plan);
		const threeWay = threeWays.get(plan.organizationId) ?? null;
		const aliases = results === null ? summarizeAliases(threeWay) : "";
		const undone = results === null ? summarizeUndone(threeWay, plan) : "";
		const verdict =
			drift === null ? `${tellOne(command, plan, report, broken)}${aliases}${undone}` : summarizeFindings(drift, plan);
		// An alias that means somebody else is to be looked at, also where nothing is to be done.
		const tone = states[state][1] === "good" && aliases !== "" ? "attention" : states[state][1];
		const overrides = report?.overrides ?? plan.overrides ?? [];
		return { command, plan, threeWay, report, broken, drift, results, overrides, state, tone, verdict };
	});
}

/** The organizations of the result that could not be read, so that there is nothing to say of them but why. */
export function unreadOf({ command, plans = [], broken = [], savedPlan }: CommandResult): readonly Broken[] {
	if (command === "show") {
		const error = { code: "not-planned", message: "it could not be read when the plan was made", hint: null };
		return (savedPlan?.unread ?? []).map((organizationId) => ({ organizationId, error, steps: [] }));
	}
	const planned = new Set(plans.map(({ organizationId }) => organizationId));
	return broken.filter(({ organizationId }) => !planned.has(organizationId));
}

function stateOf(command: string, plan: Plan, report: Report | null, broken: Broken | null): State {
	if (report !== null) return stateOfReport(report, plan);
	if (broken === null) return stateOfPlan(plan, command);
	if (plan.problems.length > 0) return "impossible";
	return broken.steps.some(({ outcome }) => outcome === "completed") ? "partlyApplied" : "brokenOff";
}

function stateOfDrift({ verdict }: OrganizationDrift, plan: Plan): State {
	if (verdict === "could-not-look") return "unseen";
	if (verdict === "waiting") return "waiting";
	if (verdict === "as-documented") return "unchanged";
	if (plan.problems.length > 0) return "impossible";
	return plan.steps.length === 0 ? "reported" : "drifted";
}

/** What had nothing to submit is not counted as applied. */
function stateOfReport(report: Report, plan: Plan): State {
	const state = statesAfterApply[exitCodeOf(report)] ?? "failed";
	if (state !== "applied" || report.steps.length > 0) return state;
	return findsDifference(plan) ? "reported" : "unchanged";
}

function stateOfPlan(plan: Plan, command: string): State {
	if (plan.problems.length > 0) return "impossible";
	if (!findsDifference(plan)) return "unchanged";
	if (blockingGuards(plan).length > 0) return "refused";
	if (command === "apply") return "notApplied";
	if (plan.steps.length === 0) return "reported";
	const { sent, rejected } = groupSteps(plan.steps);
	if (sent.length === 0) {
		if (plan.steps.some(({ earlierActivity }) => earlierActivity?.state === "in-doubt")) return "inDoubt";
		return rejected.length > 0 ? "rejectedBefore" : "waiting";
	}
	return command === "drift" ? "drifted" : "changing";
}

function tellOne(command: string, plan: Plan, report: Report | null, broken: Broken | null): string {
	if (report !== null) return summarizeReport(report);
	if (broken !== null) return summarizeBroken(broken.steps.length, plan.steps.length);
	if (command === "apply") return notApplied;
	return command === "drift" ? summarizeDrift(plan) : summarizePlan(plan, "below");
}

/** A step that was submitted part by part as one result for each part. */
function splitParts(result: StepResult): readonly StepResult[] {
	const { step, parts } = result;
	if (parts.length === 0) return [result];
	return parts.map(({ address, ...part }) => {
		const covers = step.covers.filter((one) => one.address === address);
		return { ...result, ...part, step: { ...step, covers }, policyEvaluations: [], parts: [] };
	});
}

/** What became of the steps that make a change, by its address; the first that did not complete, where several do. */
export function resultsByAddress(results: readonly StepResult[] | null): ReadonlyMap<string, StepResult> {
	const byAddress = new Map<string, StepResult>();
	for (const result of (results ?? []).flatMap(splitParts)) {
		for (const { address } of result.step.covers) {
			const earlier = byAddress.get(address);
			if (earlier === undefined || earlier.outcome === "completed") byAddress.set(address, result);
		}
	}
	return byAddress;
}

/**
 * The error that is told above all organizations; null where each that broke off has its own. What moved has a list of its
 * own in every format, so it is left out here.
 */
export function errorAbove({ error = null, broken = [], moved = [] }: CommandResult): ToldError | null {
	if (error === null || (broken.length > 0 && !ofTheWholeCall.has(error.code))) return null;
	return moved.length === 0 ? error : { ...error, message: error.message.split(":\n")[0] ?? error.message };
}

/** Errors that no organization has by itself: they keep a call from sending anything to any. */
const ofTheWholeCall = new Set(["guard", "stale-plan", "plan-applied"]);

/** Which saved plan it is and what was done with it, in one sentence; null where there is none. */
export function tellSavedPlan(result: CommandResult): string | null {
	const { command, savedPlan } = result;
	if (savedPlan === undefined) return null;
	const { digest, readAt, generatedBy, statedByFile } = savedPlan;
	if (command !== "apply") {
		if (statedByFile !== undefined) return tellStated(savedPlan, result.threeWay !== undefined);
		return `Saved plan ${digest}${readAt === null ? "" : ` of ${readAt}`}, made by ${showMaker(generatedBy)}.`;
	}
	const stated = statedByFile === undefined ? ` of ${readAt}` : ` (read at ${readAt}, as stated by the file)`;
	const which = `saved plan ${digest}${readAt === null ? "" : stated}`;
	const ran = (result.reports ?? []).length > 0;
	return ran ? `Ran the ${which}.` : `The ${which} was not run.`;
}

/** Which saved plan it is, and what of it nobody but its file says. */
function tellStated({ digest, readAt, generatedBy }: SavedPlanFacts, hasBase: boolean): string {
	const stated = [
		...(readAt === null ? [] : [`read at ${readAt}`]),
		`made by ${showMaker(generatedBy)}`,
		"live values, names, problems, guards, overrides, pending activities, unread and unmanaged objects",
		...(hasBase ? ["the comparison with the base"] : []),
	];
	return `Saved plan ${digest}. As stated by the file, not verified: ${stated.join(", ")}.`;
}

/** Name and version as they are; anything else in quotes, for a file could say more than that. */
function showMaker(generatedBy: string): string {
	return /^orgsync [\w.+-]+$/.test(generatedBy) ? generatedBy : showText(JSON.stringify(generatedBy));
}

/** Overrides of the whole run, and of the run that made a saved plan, one line each. */
export function tellRunOverrides({ overrides = [], savedPlan }: Pick<CommandResult, "overrides" | "savedPlan">) {
	const whenPlanned = (savedPlan?.overrides ?? []).map((one) => `${tellOverride(one)}, when the plan was made`);
	return [...overrides.map((one) => tellOverride(one)), ...whenPlanned];
}

/** What moved since the saved plan was made, one line an object. */
export function listMoved({ moved = [], plans = [] }: CommandResult): readonly string[] {
	return moved.map((one) => `${plans.length > 1 ? `organization ${one.organizationId}: ` : ""}${tellMoved(one)}`);
}

/** The verdict on everything in one sentence, with the worst tone of all. Of errors it says only that there is one. */
export function judgeResult(result: CommandResult): { readonly verdict: string; readonly tone: Tone } {
	const { command, problems = [] } = result;
	const error = errorAbove(result);
	if (error !== null) {
		const verdict =
			problems.length > 0
				? `orgsync ${command} could not begin: ${count(problems.length, "problem", "problems")} of the documents.`
				: `orgsync ${command} could not go on: ${causes[error.code] ?? "there was an error"}.`;
		return { verdict, tone: "bad" };
	}
	const organizations = organizationsOf(result);
	const counted: readonly Pick<OrganizationResult, "state" | "tone">[] = [
		...organizations,
		...unreadOf(result).map(({ error: { code } }) => {
			return { state: code === "live-problem" ? ("impossible" as const) : ("unread" as const), tone: "bad" as const };
		}),
	];
	const [first] = organizations;
	if (counted.length === 0) return { verdict: "Nothing to show: there is no organization.", tone: "good" };
	if (first !== undefined && counted.length === 1) return { verdict: first.verdict, tone: first.tone };
	const tones = counted.map(({ tone }) => tone);
	return {
		verdict: `${count(counted.length, "organization", "organizations")}: ${countStates(counted)}.${tellWhereUndone(organizations)}`,
		tone: (["bad", "attention"] as const).find((tone) => tones.includes(tone)) ?? "good",
	};
}

/** Of several organizations, in how many apply would undo what the change does not mention. */
function tellWhereUndone(organizations: readonly OrganizationResult[]): string {
	const count = (tell: (one: OrganizationResult) => string) => organizations.filter((one) => tell(one) !== "").length;
	const moved = count(({ threeWay, results }) => (results === null ? summarizeAliases(threeWay) : ""));
	const found = count(({ threeWay, plan }) => summarizeUndone(threeWay, plan));
	return [
		...(moved === 0 ? [] : [` In ${moved} of them an alias means another user from now on.`]),
		...(found === 0
			? []
			: [` In ${found} of them apply would undo what was changed outside and this change does not mention.`]),
	].join("");
}

/** The organizations that only the base speaks of. */
export function droppedOf({ threeWay = [] }: CommandResult): readonly ThreeWay[] {
	return threeWay.filter(({ head }) => head === null);
}

/** Errors whose cause fits into a verdict; the message follows it in every format. */
const causes: Readonly<Record<string, string>> = {
	guard: "a guard refused, nothing was sent",
	"stale-plan": "the saved plan is stale, nothing was sent",
	"plan-applied": "the saved plan was applied already, nothing was sent",
	"plan-too-old": "the saved plan is too old, nothing was sent",
	"live-problem": "the organization cannot become what the document says, nothing was sent",
	configuration: "flags, environment or files are wrong",
	"not-authorized": "the key was not accepted",
	service: "the service refused",
	transport: "no usable answer came",
	storage: "a file of orgsync cannot be used",
};

function countStates(organizations: readonly Pick<OrganizationResult, "state">[]): string {
	const byState = Map.groupBy(organizations, ({ state }) => state);
	return (Object.keys(states) as State[])
		.flatMap((state) => {
			const found = byState.get(state)?.length ?? 0;
			return found === 0 ? [] : [`${found} ${states[state][0]}`];
		})
		.join(", ");
}
