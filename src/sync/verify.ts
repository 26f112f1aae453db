/** Reads again what an apply has changed, and compares it with the desired state. */

import { OrgsyncError } from "../common/errors.ts";
import { showName } from "../common/escape.ts";
import { subjectOf } from "../plan/activities/requests.ts";
import { printScope } from "../plan/address.ts";
import { diff } from "../plan/diff.ts";
import { type DesiredOrganization, type LastApplied, type LiveOrganization, policiesOf } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report, StepResult } from "../plan/report.ts";
import { coveredAddresses } from "../plan/step.ts";
import { reasonText } from "../say/reason.ts";
import type { Reader } from "../wire/client.ts";
import type { AppliedObject, Journal } from "./journal/journal.ts";
import { readLive } from "./read/read.ts";

interface Verification extends Pick<Report, "left" | "unverified"> {
	/** By address of a policy or tag: why it is not what its update or creation asked for. */
	readonly kept: ReadonlyMap<string, string>;
}

interface VerifyContext {
	readonly reader: Reader;
	readonly journal: Journal;
}

/** The verification of an apply that reads nothing afterwards. */
export const notVerified: Verification = { left: null, unverified: null, kept: new Map() };

/** Returns what still differs of what completed steps changed. An error is a reason: the report must not be lost. */
export async function verify(
	desired: DesiredOrganization,
	plan: Plan,
	completed: readonly StepResult[],
	context: VerifyContext,
): Promise<Verification> {
	try {
		return await findLeft(desired, plan, completed, context);
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return { ...notVerified, unverified: error.message };
	}
}

async function findLeft(
	desired: DesiredOrganization,
	plan: Plan,
	completed: readonly StepResult[],
	{ reader, journal }: VerifyContext,
): Promise<Verification> {
	const covered = new Set<string>(coveredAddresses(completed.map(({ step }) => step)));
	const kinds = new Set<string>(plan.changes.filter(({ address }) => covered.has(address)).map(({ kind }) => kind));
	// Policies name the tags of the document.
	const isTouched = (kind: string): boolean =>
		kinds.has(kind) || (kind === "userTag" && kinds.has("policy") && policiesOf(desired).length > 0);
	const touched = { ...desired, rules: [], objects: desired.objects.filter(({ kind }) => isTouched(kind)) };
	const { live } = await readLive(touched, reader, journal.lastApplied(plan.organizationId), plan.reads);
	recordUpdateTimes(live, completed, plan, journal);
	const { changes, problems, unread } = diff(touched, {
		...live,
		lastApplied: journal.lastApplied(plan.organizationId),
	});
	// What can no longer be read was compared only with what was just applied.
	const lostSight = unread.find((one) => !plan.unread.some((before) => printScope(before) === printScope(one)));
	// A tag that others renamed or deleted meanwhile is a problem now, and its change is not made any more.
	const lost = new Set(problems.map(({ path }) => path));
	const left = [...changes, ...plan.changes.filter(({ address }) => lost.has(address))];
	const done = completedAddresses(plan, completed);
	const replaced = findReplaced(completed, live, journal.lastApplied(plan.organizationId));
	const kept = new Map([...findKeptFields(plan, live), ...replaced].filter(([address]) => done.has(address)));
	return {
		kept,
		left: left.filter(({ address }) => done.has(address) && !kept.has(address)),
		unverified: lostSight === undefined ? null : `${printScope(lostSight)}: ${reasonText(lostSight.because)}`,
	};
}

const clearableFields = ["consensus", "condition", "notes", "time"] as const;

/** Returns which updates cleared fields that the service has still: what an empty text does is not documented. */
function findKeptFields({ changes }: Plan, { policies }: LiveOrganization): ReadonlyMap<string, string> {
	const live = new Map(policies?.known === true ? policies.value.map((policy) => [policy.id, policy]) : []);
	return new Map(
		changes.flatMap((change): readonly (readonly [string, string])[] => {
			if (change.kind !== "policy" || change.action !== "update") return [];
			const { id, before, after, address } = change;
			const kept = clearableFields.filter(
				(field) => after[field] === "" && before?.[field] !== "" && live.get(id)?.[field] === before?.[field],
			);
			return kept.length === 0 ? [] : [[address, keptText(kept)]];
		}),
	);
}

function keptText(fields: readonly string[]): string {
	return `the service kept what the update clears: ${fields.join(", ")}. Write a text there (\`true\` as consensus or condition), or remove the policy, apply, and create it again`;
}

/** Returns which created policies and tags are not those that have their names now. */
function findReplaced(
	completed: readonly StepResult[],
	live: LiveOrganization,
	{ policies = {}, userTags }: LastApplied,
): readonly (readonly [string, string])[] {
	return completed.flatMap(({ step: { operation, parameters, covers } }) => {
		const isTag = operation === "create_user_tag";
		const [list, applied] = isTag ? [live.userTags, userTags] : [live.policies, policies];
		if (!(isTag || operation === "create_policies") || list?.known !== true) return [];
		return covers.flatMap(({ address, id }) => {
			const name = isTag ? parameters.userTagName : id;
			const holder = list.value.find((one) => one.name === name);
			if (holder !== undefined && applied[holder.id] !== undefined) return [];
			const renamed = list.value.find((one) => applied[one.id]?.name === name);
			const became = renamed === undefined ? "deleted" : `renamed to ${showName(renamed.name)} (${renamed.id})`;
			const message =
				holder === undefined
					? `it was created, and it was ${became} since: the next run creates another`
					: `it was created, and ${holder.id} has its name now, which is another ${isTag ? "tag" : "policy"}. Plan again: it is compared then`;
			return [[address, message] as const];
		});
	});
}

/** Returns the addresses of changes all of whose steps completed. */
function completedAddresses(plan: Plan, completed: readonly StepResult[]): ReadonlySet<string> {
	const ids = new Set(completed.map(({ step }) => step.id));
	const unfinished = new Set<string>(coveredAddresses(plan.steps.filter(({ id }) => !ids.has(id))));
	const covered = coveredAddresses(completed.map(({ step }) => step));
	return new Set(covered.filter((address) => !unfinished.has(address)));
}

/** Adds the tags' `updatedAt` to what was last applied to them, so that a later change by others is noticed. */
function recordUpdateTimes(
	live: LiveOrganization,
	completed: readonly StepResult[],
	{ organizationId }: Plan,
	journal: Journal,
): void {
	if (!live.userTags.known) return;
	const { userTags } = journal.lastApplied(organizationId);
	const changed = new Set(completed.map(({ step }) => subjectOf(step)));
	const applied = live.userTags.value.flatMap(({ id, updatedAt }): readonly AppliedObject[] => {
		const known = changed.has(id) ? userTags[id] : undefined;
		return known?.updatedAt === "" ? [{ kind: "userTag", id, value: { ...known, updatedAt } }] : [];
	});
	if (applied.length > 0) journal.recordApplied(organizationId, applied);
}
