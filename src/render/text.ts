/**
 * Plan to text for a terminal or a log. Colours are the caller's: it hands in a style, and the plain one changes nothing.
 */
import { clipMiddle, showAddress, showName, showRename, showText, showValue } from "../escape.ts";
import { parseAddress, printScope } from "../plan/address.ts";
import type { Change, RemovalChange, ReportChange, TagChange, Unread } from "../plan/change.ts";
import type { Guard } from "../plan/guards.ts";
import { kinds } from "../plan/kinds/index.ts";
import { blockingGuards } from "../plan/overrides.ts";
import type { Plan } from "../plan/plan.ts";
import { coveredAddresses } from "../plan/step.ts";
import { groupSteps } from "../plan/step-groups.ts";
import type { PlannedDifference } from "../plan/three-way.ts";
import { describeOwner, showUser } from "../plan/user-labels.ts";
import { renderOverrides } from "./overrides-text.ts";
import { renderProblem } from "./problem-text.ts";
import { plainStyle, type Style } from "./style.ts";
import { renderWaiting, waitingHeadings } from "./waiting-text.ts";

export { plainStyle, type Style };

/** Headings that stand above the same things in every format. */
export const headings = {
	problems: "This organization cannot converge",
	guards: "Guards that block apply",
	...waitingHeadings,
	unread: "Could not be read",
	unlooked: "Organizations that could not be read",
} as const;

/** What the signs mean, in every format and whatever the command: what apply would do, never what was done before it. */
export const signsMean = "Signs show what apply would do: + add, - remove, ~ change, ! report only.";

/** Whether a sign of these changes could be taken for what was done before. */
export function needsSigns({ changes }: Pick<Plan, "changes">): boolean {
	return changes.some(({ action }) => action !== "report");
}

/** What is added to a line of a change; empty for nothing. */
export type NoteOf = (change: Change, what: PlannedDifference["what"], userId: string | null) => string;

const noNote: NoteOf = () => "";

/**
 * The plan as text: every change, what could not be read, and a sentence that sums it up. Ends with a newline. `lead` are
 * lines before the changes.
 */
export function renderPlan(
	plan: Plan,
	style: Style,
	summary: string = summarizePlan(plan),
	lead: readonly string[] = [],
	note: NoteOf = noNote,
): string {
	const problems = plan.problems.map((problem) => `  ${renderProblem(problem)}`);
	const lines = [
		style.strong(`Organization ${showText(plan.organizationId)}`),
		"",
		...lead,
		...plan.changes.flatMap((change) => [...renderChange(change, plan, style, note), ""]),
		...(problems.length === 0 ? [] : [style.remove(`${headings.problems}:`), ...problems, ""]),
		...renderUnread(plan, style),
		...renderWaiting(plan, style),
		...renderGuards(plan, style),
		...renderOverrides(plan.overrides, style, plan.guards),
		summary,
	];
	return `${lines.join("\n")}\n`;
}

/**
 * One sentence: how many activities would be submitted for what, or that there is nothing to do. `guardsStand` is where
 * the reader finds the guards that refuse.
 */
export function summarizePlan(plan: Plan, guardsStand: "above" | "below" = "above"): string {
	if (plan.problems.length > 0) {
		return `Cannot converge: ${count(plan.problems.length, "problem", "problems")} in the live organization. Apply would submit nothing.`;
	}
	const reported = plan.changes.filter(({ action }) => action === "report").length;
	const note = reported === 0 ? "" : ` ${count(reported, "difference is", "differences are")} report-only.`;
	if (plan.changes.length === 0) return `No changes. ${describeInSync(plan)}`;
	if (plan.steps.length === 0) return `Nothing to submit.${note}`;
	const { sent, held } = countSteps(plan);
	const waits = held.map((said) => ` ${capitalize(said)}.`).join("");
	const refused = blockingGuards(plan).length > 0 ? ` A guard blocks it: see ${guardsStand}.` : "";
	if (sent === 0) return `Nothing to submit.${waits}${note}`;
	return `Plan: ${count(sent, "activity", "activities")}. ${capitalize(countByKind(plan))}.${refused}${waits}${note}`;
}

/** How many activities apply would submit, and in words why it would not submit the others. */
function countSteps({ steps }: Plan): { readonly sent: number; readonly held: readonly string[] } {
	const { sent, pending, rejected, behind } = groupSteps(steps);
	const [waits, were] = [pending.length, rejected.length];
	return {
		sent: sent.length,
		held: [
			...(waits === 0
				? []
				: [`${count(waits, "step is waiting for a pending activity", "steps are waiting for pending activities")}`]),
			...(were === 0
				? []
				: [`${count(were, "step was", "steps were")} rejected and ${were === 1 ? "needs" : "need"} --retry-rejected`]),
			...(behind.length === 0 ? [] : [`${count(behind.length, "step depends", "steps depend")} on a rejected step`]),
		],
	};
}

/** One sentence for whoever looks for drift: what is not as the document says, and what `apply` would do about it. */
export function summarizeDrift(plan: Plan): string {
	const differing = plan.changes.length + plan.problems.length;
	if (differing === 0) return `No drift. ${describeInSync(plan)}`;
	return `Drift: ${count(differing, "object", "objects")} drifted; ${summarizeCure(plan)}.`;
}

/** What apply would do about the differences. */
export function summarizeCure(plan: Plan): string {
	if (plan.problems.length > 0) return "apply cannot fix it";
	if (plan.steps.length === 0) return "report-only";
	const { sent, held } = countSteps(plan);
	const submits = sent === 0 ? [] : [`apply would submit ${count(sent, "activity", "activities")}`];
	return [...submits, ...held].join(", ");
}

/** Returns the sentence that nothing differs, as far as the organization could be read. */
export function describeInSync({ unread }: Pick<Plan, "unread">): string {
	return `The organization is in sync${unread.length === 0 ? "" : ", as far as it could be read"}.`;
}

function countByKind(plan: Plan): string {
	const covered = new Set<string>(coveredAddresses(groupSteps(plan.steps).sent));
	return kinds
		.flatMap(({ name, action, words: [one, many] }) => {
			const found = plan.changes.filter((change) => change.kind === name && covered.has(change.address)).length;
			return found === 0 ? [] : [`${count(found, one, many)} to ${action}`];
		})
		.join(", ");
}

/** The change in as many lines as it takes, the first beginning with its sign (`signsMean`). */
export function renderChange(change: Change, plan: Plan, style: Style, note: NoteOf = noNote): readonly string[] {
	if (change.kind === "userTag") return renderTag(change, plan, style, note);
	if (change.action === "remove") {
		const name =
			change.before === null || change.before.name === "" ? "" : `  ${showName(clipMiddle(change.before.name))}`;
		const doubt = describeDoubt(change);
		const unsure = doubt === null ? "" : style.warn(`  ${doubt}`);
		const owner = describeOwner(change.userId, plan);
		return [
			`${style.remove("-")} ${showAddress(change.address)}${owner}${name}${unsure}${note(change, "remove", null)}`,
		];
	}
	return [
		`${style.warn("!")} ${showAddress(change.address)}${describeOwner(change.userId, plan)}  ${style.warn(describeReported(change))}`,
		...differingFields(change).map(({ field, live, document }) => `    ${field}: live ${live}, document ${document}`),
	];
}

/** Why a difference that orgsync cannot close is there. */
export function describeReported({ before }: ReportChange): string {
	return `${before === null ? "not found" : "differs"}; report-only`;
}

/** The fields that differ, both sides as a reader would write them; none when the object is not there. */
export function differingFields({
	before,
	after,
}: ReportChange): readonly { readonly field: string; readonly live: string; readonly document: string }[] {
	if (before === null) return [];
	return Object.keys(after).map((field) => ({
		field: showText(field),
		live: showValue(before[field]),
		document: showValue(after[field]),
	}));
}

/** What is not known about a change although it is planned; null when all is. */
export function describeDoubt(change: TagChange | RemovalChange): string | null {
	if (change.kind !== "userTag") {
		return change.basis === "unknown" ? "may already be gone: it could not be read" : null;
	}
	if (change.lastApplied !== null) {
		const since = change.lastApplied.changedSince ? "; the tag was changed elsewhere since" : "";
		return `members as last applied at ${showText(change.lastApplied.at)}, not live${since}`;
	}
	return change.basis === "unknown" ? "members could not be read: these changes may not be needed" : null;
}

function renderTag(change: TagChange, plan: Plan, style: Style, note: NoteOf): readonly string[] {
	const name = (userId: string): string => showUser(userId, plan);
	const lines = [`${style.update("~")} ${showAddress(change.address)}  ${style.faint(showText(change.tagId))}`];
	if (change.before.name !== change.after.name) {
		const names = showRename(change.before.name, change.after.name).join(" -> ");
		lines.push(`    ${style.update("name:")} ${names}${note(change, "rename", null)}`);
	}
	const add = (user: string) => `    ${style.add("+ member")} ${name(user)}${note(change, "add-member", user)}`;
	const remove = (user: string) =>
		`    ${style.remove("- member")} ${name(user)}${note(change, "remove-member", user)}`;
	const doubt = describeDoubt(change);
	const unsure = doubt === null ? [] : [`    ${style.warn(doubt)}`];
	return [...lines, ...change.addUserIds.map(add), ...change.removeUserIds.map(remove), ...unsure];
}

/** What could not be read, under its heading; no line when all was. */
export function renderUnread(plan: Plan, style: Style): readonly string[] {
	if (plan.unread.length === 0) return [];
	return [style.warn(`${headings.unread}:`), ...describeUnread(plan).map((line) => `  ${line}`), ""];
}

/** What could not be read and why, one line a reason; at most five addresses in each. */
export function describeUnread(plan: Pick<Plan, "unread">): readonly string[] {
	const byReason = Map.groupBy(plan.unread, ({ because, standsIn }) => `${because}\u0000${standsIn}`);
	return [...byReason.values()].flatMap((group) => {
		const first = group[0];
		if (first === undefined) return [];
		const shown = group.slice(0, 5).map((one) => `${isOfTag(one) ? "members of " : ""}${showAddress(printScope(one))}`);
		const more = group.length > shown.length ? ` and ${group.length - shown.length} more` : "";
		const instead = first.standsIn === "last-applied" ? "; using the last-applied state" : "";
		return [`${shown.join(", ")}${more}: ${showText(first.because)}${instead}`];
	});
}

/** Of a tag that was found, only the members can be unknown. */
function isOfTag(one: Unread): boolean {
	return one.scope === "object" && parseAddress(one.address)?.kind === "userTag";
}

/** Guards that refuse, under their heading. */
export function renderGuards(plan: Plan, style: Style): readonly string[] {
	const refusing = blockingGuards(plan);
	if (refusing.length === 0) return [];
	return [style.remove(`${headings.guards}:`), ...refusing.map((guard) => `  ${renderGuard(guard)}`), ""];
}

/** What a guard found and how it is acknowledged, in one line. */
export function renderGuard(guard: Guard): string {
	const { found, allowed, meant } = describeGuard(guard);
	return `${found} (${allowed}); to override: ${meant}`;
}

/** What a guard found, what is allowed, and the flag that acknowledges it. */
export function describeGuard({ kind, found, limit, message }: Guard): {
	readonly found: string;
	readonly allowed: string;
	readonly meant: string;
} {
	return { found: showText(message), allowed: `allowed: ${limit}`, meant: `--allow ${kind}=${found}` };
}

/** `1 tag`, `2 tags`. */
export function count(number: number, one: string, many: string): string {
	return `${number} ${number === 1 ? one : many}`;
}

/** The text with a capital at its beginning. */
export function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
