/**
 * What the plan and the pending activities of one resource mean: lines beside it in the engine's output, which shows neither how creating it changes the live
 * object that it adopts, nor what the time or the change mean for who can do what. Beside secret inputs, lines count and name no one.
 */
import { quoteForShell, showAddress, showText } from "../../common/escape.ts";
import { factsOf, isExpired, isWithin, windowsOf } from "../../plan/access-window.ts";
import { nameOf, type PendingActivity, type RelatedActivity } from "../../plan/activities/pending.ts";
import { labelOf } from "../../plan/address.ts";
import { type Change, isWritten } from "../../plan/change.ts";
import { policyFields } from "../../plan/kinds/policy-content.ts";
import type { AccessWindow, DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import type { UserNames } from "../../plan/users.ts";
import { phraseText } from "../../render/print/text.ts";
import { describeImpact, summarizeImpact } from "../../render/sections/impact-words.ts";
import { describeWindow } from "../../render/sections/windows.ts";
import { sayPending } from "../../say/activities.ts";
import { describeApprovals } from "../../say/approvals.ts";
import { outcomeWords } from "../../say/outcomes.ts";
import type { MetaInputs } from "../inputs/inputs.ts";
import { isNameTaken } from "../session/plan-checks.ts";
import type { StoredActivity } from "../state/stored-state-check.ts";

type Meta = Pick<MetaInputs, "resource" | "secretInputs">;

/** Max lines of one kind about a resource; the rest is counted. */
const maxLines = 10;

/** Returns at most so many lines, and `more` of the number of the others. */
function cut(lines: readonly string[], more: (count: number) => string): readonly string[] {
	return lines.length > maxLines + 1 ? [...lines.slice(0, maxLines), more(lines.length - maxLines)] : lines;
}

/** Returns a line for each change of who can do what, worst first, and for each approval needed; none where nothing changes. */
export function describeConsequences({ resource, secretInputs = [] }: Meta, given: Plan): readonly string[] {
	const plan = withLiveNames(given);
	const names = secretInputs.length === 0;
	const found = describeImpact(plan);
	const sentences = found.map(({ sign, sentence }) => `${sign} ${phraseText(sentence)}`);
	const impact = names ? cut(sentences, (more) => `and ${more} more changes of who can do what`) : [];
	const summary = found.length > 0 && !names ? (summarizeImpact(plan) ?? "") : "";
	const approvals = describeApprovals(plan)
		.filter(({ verdict }) => verdict !== "runs")
		.map(({ verdict, sentence }) => (names ? phraseText(sentence) : withoutNames[verdict]));
	return [...impact, ...(summary === "" ? [] : [summary]), ...approvals].map((line) =>
		showText(`${resource}: ${line}`),
	);
}

/** Returns a line for each warning of the plan, and for each name that is taken; none beside secret inputs. */
export function describeWarnings(
	{ resource, secretInputs = [] }: Meta,
	{ warnings = [], problems }: Plan,
): readonly string[] {
	const taken = problems.filter(isNameTaken).map(({ path, code }) => {
		const noun = code === "policy-name-taken" ? "policy" : "user tag";
		return `another ${noun} is called ${labelOf(path)}: \`pulumi up\` waits until the program renames it, and fails otherwise`;
	});
	const lines = [...warnings.map(({ message }) => message), ...taken];
	return secretInputs.length > 0 ? [] : lines.map((line) => showText(`${resource}: ${line}`));
}

/** Returns the plan with live names as aliases: a resource has none, and a sentence about users is hard to read with their ids. */
function withLiveNames(plan: Plan): Plan {
	const named = Object.entries(plan.liveNames ?? {}).filter(([, name]) => name !== "");
	return { ...plan, userNames: { ...Object.fromEntries(named), ...plan.userNames } };
}

const withoutNames = {
	runs: "runs at once",
	pending: "will be pending approval",
	denied: "would be denied",
	unknown: "approval unknown",
} as const;

/** For example `signers: adopts the user tag approvers, renames it to signers`. Secret members are counted, not listed. */
export function describeCreate({ resource, secretInputs = [] }: Meta, { changes }: Plan): string | undefined {
	const hidesMembers = secretInputs.includes("members");
	const parts = changes.flatMap((change) => describeAdoption(change, hidesMembers));
	return parts.length === 0 ? undefined : showText(`${resource}: ${parts.join("; ")}`);
}

function describeAdoption(change: Change, hidesMembers: boolean): readonly string[] {
	const doubt = change.basis === "unknown" ? " (it may be in sync already: live state cannot be read)" : "";
	if (isWritten(change)) {
		const { before, after } = change;
		const fields = before === null ? [] : policyFields.filter((field) => before[field] !== after[field]);
		return before === null ? [] : [`adopts the policy ${before.name}, changes its ${fields.join(", ")}${doubt}`];
	}
	if (change.kind === "userTag") {
		if (change.action !== "update") return [];
		const { before, after, addUserIds, removeUserIds } = change;
		const list = (ids: readonly string[]): string => {
			const noun = ids.length === 1 ? "member" : "members";
			return hidesMembers ? `${ids.length} ${noun}` : `the ${noun} ${ids.join(", ")}`;
		};
		const done = [
			...(before.name === after.name ? [] : [`renames it to ${after.name}`]),
			...(addUserIds.length === 0 ? [] : [`adds ${list(addUserIds)}`]),
			...(removeUserIds.length === 0 ? [] : [`removes ${list(removeUserIds)}`]),
		];
		return [`adopts the user tag ${before.name}, ${done.join(", ")}${doubt}`];
	}
	if (change.action !== "remove") return [];
	const name = change.before === null || change.before.name === "" ? "" : ` (${change.before.name})`;
	return [`removes ${change.address}${name}${doubt}`];
}

/** For example `signers: removes the member ID: access expired …`: a line for each user outside their window. Secret ones are counted. */
export function describeWindows(
	{ resource, secretInputs = [] }: Meta,
	desired: DesiredOrganization,
	{ changes }: Plan,
	timeMs: number,
): readonly string[] {
	const removed = new Set(changes.flatMap((change) => (change.kind === "userTag" ? change.removeUserIds : [])));
	const outside = windowsOf(desired).filter((window) => !isWithin(window, timeMs));
	const lines = secretInputs.includes("members")
		? countRemoved(outside.filter(({ userId }) => removed.has(userId)).length)
		: outside.map((window) => describeOutside(window, removed.has(window.userId), timeMs));
	const shown = cut(lines, (more) => `${more} more users are outside their window`);
	return shown.map((line) => showText(`${resource}: ${line}`));
}

function countRemoved(count: number): readonly string[] {
	if (count === 0) return [];
	return [`removes ${count === 1 ? "1 member" : `${count} members`} outside the window`];
}

function describeOutside(window: AccessWindow, isRemoved: boolean, timeMs: number): string {
	const { userId } = window;
	const state = isExpired(window, timeMs) ? "expired" : "not-begun";
	const why = phraseText(describeWindow({ address: "", userId, ...factsOf(window), state }, null));
	return `${isRemoved ? "removes the member" : "does not add the member"} ${userId}: ${why}`;
}

/** A line for each pending, doubtful or rejected activity of the plan, for example `signers: activity ID is pending approval …`. */
export function describePending(meta: Meta, plan: Plan): readonly string[] {
	return plan.waiting.map((one) =>
		showText(`${meta.resource}: ${describeActivity(one, meta, withLiveNames(plan))}; ${describeEffect(one)}`),
	);
}

/** Which activity it is, since when, and who approved it. Beside secret inputs, no user is named. */
export function describeActivity(
	activity: PendingActivity,
	{ secretInputs = [] }: Partial<Meta>,
	names: UserNames = { userNames: {} },
): string {
	return phraseText(sayPending(secretInputs.length === 0 ? activity : { ...activity, approvedBy: null }, names));
}

function describeEffect(activity: RelatedActivity): string {
	const what = activity.covers.map(({ address }) => showAddress(address)).join(", ");
	const abandon = `\`pulumi config set orgsync:abandon ${quoteForShell(nameOf(activity))}\``;
	if (activity.relation === "rejected") {
		return `it would have made the desired change of ${what}: \`pulumi up\` does not submit it again; to override: \`ORGSYNC_RETRY_REJECTED=true pulumi up\``;
	}
	if (activity.state === "in-doubt") {
		return `it can still change ${what}: \`pulumi up\` does not touch that; once you know that it has ended: ${abandon}`;
	}
	return activity.relation === "same"
		? `it makes the desired change of ${what}: \`pulumi up\` joins it and submits nothing`
		: `it conflicts with the desired change of ${what}: \`pulumi up\` submits nothing until it ends; to override: ${abandon}`;
}

/** A line for each activity of the state that may be pending and that the plan does not name. */
export function describeStored(
	{ resource }: Meta,
	stored: readonly StoredActivity[],
	{ steps, waiting, problems }: Pick<Plan, "steps" | "waiting" | "problems">,
): readonly string[] {
	const isInSync = steps.length === 0 && problems.length === 0;
	return stored
		.filter(({ fingerprint }) => !waiting.some((one) => one.fingerprint === fingerprint))
		.filter(({ outcome }) => outcome === "unknown" || (isInSync && outcome.startsWith("awaiting")))
		.map((one) => {
			const learns = "`pulumi up` learns what became of it";
			const next = isInSync
				? `the object is in sync: ${learns}, and submits nothing`
				: `${learns}, and makes no second activity`;
			return showText(`${resource}: ${describeLastRead(one)}; ${next}`);
		});
}

/** A warning for each activity that did not end although its resource is in sync without it. */
export function describeLeft({ resource }: Meta, left: readonly StoredActivity[]): readonly string[] {
	return left.map((one) =>
		showText(
			`warning: ${resource}: ${describeLastRead(one)}; the program does not ask for it any more, and it can still change the object: reject it`,
		),
	);
}

function describeLastRead({ activityId, fingerprint, outcome }: StoredActivity): string {
	const named = activityId === null ? "a request" : `activity ${activityId}`;
	const state = outcome === "unknown" ? "is in doubt" : `was ${outcomeWords[outcome]} when it was last read`;
	return `${named} ${state}; fingerprint ${fingerprint}`;
}
