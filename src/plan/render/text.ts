/**
 * Plan to text for a terminal or a log. Colours are the caller's: it hands in a style, and the plain one changes nothing.
 */
import type { Problem } from "../../errors.ts";
import type { Change, TagChange } from "../change.ts";
import { kinds } from "../kinds.ts";
import type { Plan } from "../plan.ts";
import { learnOrGiveUp, nameOf, type Waiting, type WaitingActivity } from "../waiting.ts";
import { showText, showValue } from "./escape.ts";

/** How parts of the text are marked; each function gets text and returns it marked. */
export interface Style {
	readonly add: (text: string) => string;
	readonly remove: (text: string) => string;
	readonly update: (text: string) => string;
	readonly warn: (text: string) => string;
	readonly faint: (text: string) => string;
	readonly strong: (text: string) => string;
}

const same = (text: string): string => text;

/** Marks nothing. */
export const plainStyle: Style = { add: same, remove: same, update: same, warn: same, faint: same, strong: same };

/** The plan as text: every change, what could not be read, and a sentence that sums it up. Ends with a newline. */
export function renderPlan(plan: Plan, style: Style, summary: string = summarizePlan(plan)): string {
	const lines = [style.strong(`Organization ${showText(plan.organizationId)}`), ""];
	for (const change of plan.changes) lines.push(...renderChange(change, plan, style), "");
	if (plan.problems.length > 0) {
		lines.push(style.remove("This organization cannot become what the document says:"));
		lines.push(...plan.problems.map((problem) => `  ${renderProblem(problem)}`), "");
	}
	lines.push(...renderUnread(plan, style), ...renderWaiting(plan, style), ...renderGuards(plan, style));
	lines.push(summary);
	return `${lines.join("\n")}\n`;
}

/** `file:line:column: message`, on one line. */
export function renderProblem({ file, line, column, message }: Problem): string {
	return `${showText(file)}:${line}:${column}: ${showText(message)}`;
}

/** One sentence: how many activities would be submitted for what, or that there is nothing to do. */
export function summarizePlan(plan: Plan): string {
	if (plan.problems.length > 0) {
		return `Not possible: ${count(plan.problems.length, "problem", "problems")} of the live organization. Nothing would be submitted.`;
	}
	const reported = plan.changes.filter(({ action }) => action === "report").length;
	const note = reported === 0 ? "" : ` ${count(reported, "difference", "differences")} can only be reported.`;
	if (plan.changes.length === 0) return `No changes. ${asTheDocumentSays(plan)}`;
	if (plan.steps.length === 0) return `Nothing to submit.${note}`;
	const { sent, held } = countSteps(plan);
	const waits = held === 0 ? "" : ` ${count(held, "step waits", "steps wait")} for activities submitted before.`;
	const refused = plan.guards.some(({ refuses }) => refuses) ? " A guard refuses it: see above." : "";
	if (sent === 0) return `Nothing to submit.${waits}${note}`;
	return `Plan: ${count(sent, "activity", "activities")}. ${capitalize(countByKind(plan))}.${refused}${waits}${note}`;
}

function countSteps(plan: Plan): { sent: number; held: number } {
	const sent = plan.steps.filter(({ waitsFor }) => waitsFor === null).length;
	return { sent, held: plan.steps.length - sent };
}

/** One sentence for whoever looks for drift: what is not as the document says, and what `apply` would do about it. */
export function summarizeDrift(plan: Plan): string {
	const differing = plan.changes.length + plan.problems.length;
	if (differing === 0) return `No drift. ${asTheDocumentSays(plan)}`;
	const cure =
		plan.problems.length > 0
			? "apply cannot mend it"
			: plan.steps.length === 0
				? "that can only be reported"
				: describeCure(plan);
	return `Drift: ${count(differing, "object is", "objects are")} not as the document says; ${cure}.`;
}

function describeCure(plan: Plan): string {
	const { sent, held } = countSteps(plan);
	if (held === 0) return `apply would submit ${count(sent, "activity", "activities")}`;
	const waits = `${count(held, "step waits", "steps wait")} for activities submitted before`;
	return sent === 0 ? waits : `apply would submit ${count(sent, "activity", "activities")}, ${waits}`;
}

function asTheDocumentSays(plan: Plan): string {
	const known = plan.unread.length === 0 ? "The" : "As far as is known, the";
	return `${known} organization is as the document says.`;
}

function countByKind(plan: Plan): string {
	const covered = new Set(plan.steps.filter(({ waitsFor }) => waitsFor === null).flatMap(({ covers }) => covers));
	return kinds
		.flatMap(({ name, action, words: [one, many] }) => {
			const found = plan.changes.filter((change) => change.kind === name && covered.has(change.address)).length;
			return found === 0 ? [] : [`${count(found, one, many)} to ${action}`];
		})
		.join(", ");
}

function renderChange(change: Change, plan: Plan, style: Style): readonly string[] {
	if (change.kind === "userTag") return renderTag(change, plan, style);
	if (change.action === "remove") {
		const name = change.before === null || change.before.name === "" ? "" : `  ${showText(change.before.name)}`;
		const unsure = change.basis === "unknown" ? style.warn("  not known to be there; removed once, to be sure") : "";
		return [`${style.remove("-")} ${showText(change.address)}${name}${unsure}`];
	}
	const why = change.before === null ? "is not there" : "differs";
	const { before } = change;
	return [
		`${style.warn("!")} ${showText(change.address)}  ${style.warn(`${why}; it can only be reported`)}`,
		...(before === null
			? []
			: Object.keys(change.after).map(
					(field) =>
						`    ${showText(field)}: live ${showValue(before[field])}, document ${showValue(change.after[field])}`,
				)),
	];
}

function renderTag(change: TagChange, plan: Plan, style: Style): readonly string[] {
	const name = (userId: string): string => {
		return showText(plan.userNames[userId] ?? userId);
	};
	const unsure = change.basis === "unknown";
	const lines = [`${style.update("~")} ${showText(change.address)}  ${style.faint(showText(change.tagId))}`];
	if (change.before.name !== change.after.name) {
		lines.push(`    ${style.update("name:")} ${showText(change.before.name)} -> ${showText(change.after.name)}`);
	}
	lines.push(...change.addUserIds.map((user) => `    ${style.add("+ member")} ${name(user)}`));
	lines.push(...change.removeUserIds.map((user) => `    ${style.remove("- member")} ${name(user)}`));
	if (change.lastApplied !== null) {
		const since = change.lastApplied.changedSince ? "; the tag was changed by somebody else since" : "";
		lines.push(
			`    ${style.warn(`members are as last applied ${showText(change.lastApplied.at)}, not as live${since}`)}`,
		);
	} else if (unsure) {
		lines.push(`    ${style.warn("who has this tag cannot be read: these are not known to be needed")}`);
	}
	return lines;
}

function renderUnread(plan: Plan, style: Style): readonly string[] {
	if (plan.unread.length === 0) return [];
	const byReason = Map.groupBy(plan.unread, ({ because, standsIn }) => `${because}\u0000${standsIn}`);
	return [
		style.warn("Unknown, because it could not be read:"),
		...[...byReason.values()].flatMap((group) => {
			const first = group[0];
			if (first === undefined) return [];
			const shown = group
				.slice(0, 5)
				.map(({ address }) => `${address.startsWith("userTag:") ? "members of " : ""}${showText(address)}`);
			const more = group.length > shown.length ? ` and ${group.length - shown.length} more` : "";
			const instead = first.standsIn === "memory" ? "; what orgsync last applied stands in" : "";
			return [`  ${shown.join(", ")}${more}: ${showText(first.because)}${instead}`];
		}),
		"",
	];
}

const statusWords: Readonly<Record<string, string>> = {
	ACTIVITY_STATUS_CONSENSUS_NEEDED: "waits for approval",
	ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: "waits for an authenticator",
	ACTIVITY_STATUS_CREATED: "has not begun",
	ACTIVITY_STATUS_PENDING: "is under way",
};

/**
 * An activity that waits, in one line: what it waits for, since when, and who approved it. Of what nobody knows the end of,
 * when it was sent and what is missing.
 */
export function renderWaitingActivity(activity: WaitingActivity, userNames: Plan["userNames"]): string {
	const { activityId, fingerprint, status, createdAt, approvedBy, saidBy } = activity;
	if (status === null) {
		const sent = createdAt === null ? "sent before" : `sent ${createdAt}`;
		const answer = activityId === null ? "no answer came" : `activity ${activityId} has a status that nobody knows`;
		return showText(`${sent}, and ${answer}; fingerprint ${fingerprint}`);
	}
	const state = Object.hasOwn(statusWords, status) ? statusWords[status] : `has the status ${status}`;
	const since = createdAt === null ? "" : ` since ${createdAt}`;
	const approvers = (approvedBy ?? []).map((userId) => userNames[userId.toLowerCase()] ?? userId);
	const votes = approvers.length === 0 ? "" : `, approved by ${approvers.join(", ")}`;
	const source = saidBy === "journal" ? ", as last known" : "";
	return showText(`activity ${activityId} ${state}${since}${votes}${source}; fingerprint ${fingerprint}`);
}

function renderWaiting(plan: Plan, style: Style): readonly string[] {
	const waits = plan.waiting.filter(({ status }) => status !== null);
	const inDoubt = plan.waiting.filter(({ status }) => status === null);
	const lines: string[] = [];
	if (waits.length > 0) lines.push(style.warn("Activities that wait:"));
	for (const activity of waits) {
		const covers = showText(activity.covers.join(", "));
		const verdict =
			activity.verdict === "joins"
				? `does what is wanted for ${covers}: apply joins it and submits nothing for that`
				: `would change ${covers} otherwise: apply leaves that alone until it ends, or --abandon ${showText(nameOf(activity))}`;
		lines.push(`  ${renderWaitingActivity(activity, plan.userNames)}`, `    ${verdict}`);
	}
	if (waits.length > 0) lines.push("");
	if (inDoubt.length > 0) lines.push(style.warn("Sent before, and nobody knows what became of it:"));
	for (const activity of inDoubt) {
		const what = `${activity.operation} (${describeParameters(activity, plan.userNames)})`;
		lines.push(`  ${showText(what)}: ${renderWaitingActivity(activity, plan.userNames)}`);
		lines.push(`    it may still change ${showText(activity.covers.join(", "))}: apply leaves that alone`);
		lines.push(`    ${showText(learnOrGiveUp(nameOf(activity)))}`);
	}
	if (inDoubt.length > 0) lines.push("");
	return lines;
}

/** What was asked for, without what is empty; users by the names of the document. */
function describeParameters({ parameters }: Waiting, userNames: Plan["userNames"]): string {
	const nameOfUser = (value: unknown): string => userNames[String(value).toLowerCase()] ?? String(value);
	return Object.entries(parameters)
		.map(([key, value]) => [key, Array.isArray(value) ? value : [value]] as const)
		.filter(([, values]) => values.length > 0)
		.map(([key, values]) => `${key} ${values.map(nameOfUser).join(", ")}`)
		.join("; ");
}

function renderGuards(plan: Plan, style: Style): readonly string[] {
	const refusing = plan.guards.filter(({ refuses }) => refuses);
	if (refusing.length === 0) return [];
	const lines = refusing.map(
		({ kind, found, limit, message }) =>
			`  ${showText(message)} (allowed: ${limit}); when this is meant: --allow ${kind}=${found}`,
	);
	return [style.remove("Guards that keep apply from sending anything:"), ...lines, ""];
}

function count(number: number, one: string, many: string): string {
	return `${number} ${number === 1 ? one : many}`;
}

function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
