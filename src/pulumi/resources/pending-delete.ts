/**
 * Deletes a resource, unless one of its activities is pending: it could still be approved, and nothing would know of it. Those
 * are the activities of its state, and of the journal for its objects. Others, which only the service lists, are named.
 *
 * The service is asked only where state or journal know of one, or where deleting submits something: nothing else needs a key.
 */
import { quoteForShell, showText } from "../../common/escape.ts";
import { nameOf, type PendingActivity } from "../../plan/activities/pending.ts";
import { commonObjects } from "../../plan/activities/requests.ts";
import type { StepRequest } from "../../plan/step.ts";
import type { JournalSummary } from "../../sync/journal/journal.ts";
import { readPendingActivities, toPendingActivity } from "../../sync/read/pending-activities.ts";
import { nextPauseMs } from "../../sync/wait-for-end.ts";
import type { MetaInputs } from "../inputs/inputs.ts";
import { describeActivity } from "../notices/notices.ts";
import { isSameOwner } from "../session/claims.ts";
import type { Session } from "../session/session.ts";
import { readStoredActivities, type StoredActivity } from "../state/stored-state-check.ts";
import { ResourceFailure } from "./failure.ts";
import type { ResourceDefinition, ResourceInputs, ResourceOutputs } from "./resource.ts";

/** Which activities are looked for: those of the state, and those that change the same as these requests. */
interface Sought {
	readonly resource: string;
	readonly organizationId: string;
	readonly requests: readonly StepRequest[];
	readonly stored: readonly StoredActivity[];
}

/** Pending activities for the objects of a resource. */
interface Found {
	readonly own: readonly PendingActivity[];
	readonly others: readonly PendingActivity[];
}

const none: Found = { own: [], others: [] };

/** Deletes the resource and returns lines to print. Throws ResourceFailure while one of its activities is pending. */
export async function remove(
	definition: ResourceDefinition,
	olds: ResourceInputs & ResourceOutputs,
	session: Session,
): Promise<readonly string[]> {
	const { organizationId, resource } = olds;
	const inputs = definition.writtenIn(olds);
	const sought: Sought = {
		resource,
		organizationId,
		requests: definition.requestsFor(inputs),
		stored: readStoredActivities(
			olds.activities,
			session.stateContext(resource, organizationId, definition.operations),
		),
	};
	const owners = definition.claims(inputs).map(({ object }) => session.claims.find(organizationId, object, olds));
	const owner = owners.find((one) => one !== undefined);
	const { own, others } =
		owner === undefined ? await findPending(sought, definition.submitsAtDelete?.(olds) === true, session) : none;
	refusePending(own.filter((one) => definition.isContinuedByDelete?.(olds, one) !== true));
	const notice = await definition.remove?.(olds, session, others);
	// A replacement gets the state of what it replaces.
	const left = owner === undefined || isSameOwner(owner, olds) ? [] : await findKnown(sought, session);
	const lines = [
		...left.map((one) => `${describe(one, olds)}; the resource \`${owner?.resource}\` manages its object now`),
		...others.map((one) => `${describe(one, olds)}; it can still change what this resource managed`),
	];
	return [...(notice === undefined ? [] : [notice]), ...lines.map((line) => showText(`${resource}: ${line}`))];
}

/** Throws ResourceFailure that names these activities, if there is one. */
export function refusePending(pending: readonly PendingActivity[]): void {
	if (pending.length === 0) return;
	const isSeen = pending.every(({ state, saidBy }) => state === "pending" && saidBy === "service");
	const lines = [
		"not deleted, and nothing was submitted: a pending activity can still change its object",
		...pending.map((one) => `  ${describe(one)}`),
		isSeen
			? "  approve or reject it, or wait until it has ended; then run the command again"
			: "  once it has ended, `pulumi up` with the resource in the program learns what became of it",
		`  to delete the resource all the same: \`ORGSYNC_ABANDON=${quoteForShell(pending.map(nameOf).join(" "))} pulumi destroy\``,
	];
	throw new ResourceFailure(lines.map(showText).join("\n"));
}

function describe(activity: PendingActivity, meta: Partial<MetaInputs> = {}): string {
	return `${activity.operation}: ${describeActivity(activity, meta)}`;
}

/** The pending activities that the service shows. One that it works on is polled as long as the setting `wait` says. */
async function findPending(sought: Sought, submits: boolean, session: Session): Promise<Found> {
	const { resource, organizationId, stored } = sought;
	if (!submits && (await findKnown(sought, session)).length === 0) return none;
	const journal = await session.settle(resource, organizationId, { activities: stored });
	const read = async (): Promise<Found> => {
		const { touching, isListed } = await readTouching(sought, journal, session);
		const isOwn = ({ fingerprint }: PendingActivity): boolean =>
			isStored(sought, fingerprint) || journal.entry(fingerprint) !== undefined;
		const own = [...touching.filter(isOwn), ...(isListed ? [] : unseenIn(sought, touching))];
		return { own, others: touching.filter((one) => !isOwn(one)) };
	};
	const { now, sleep } = session.clock;
	const untilMs = now() + session.settings.waitMs;
	let found = await read();
	for (
		let pauseMs = nextPauseMs();
		found.own.some(isInProgress) &&
		now() + pauseMs <= Math.min(untilMs, now() + (session.deadline?.leftMs() ?? pauseMs));
		pauseMs = nextPauseMs(pauseMs)
	) {
		await sleep(pauseMs);
		session.expireReads(resource);
		found = await read();
	}
	return found;
}

/** The activities of the state and of the journal that have not ended, as far as these two know. Makes no request. */
async function findKnown(sought: Sought, session: Session): Promise<readonly PendingActivity[]> {
	const journal = await session.summarize({ activities: sought.stored });
	const open = journal.openEntries(sought.organizationId).map(toPendingActivity);
	return [...open.filter((one) => isSought(sought, one)), ...unseenIn(sought, open)];
}

/** The activities of the state that another client submitted, so that only a list has them. */
function unseenIn({ requests, stored }: Sought, seen: readonly PendingActivity[]): readonly PendingActivity[] {
	return stored.flatMap(({ activityId, fingerprint, outcome, body }): readonly PendingActivity[] => {
		const isOpen = outcome === "unknown" || outcome.startsWith("awaiting");
		if (body !== undefined || !isOpen || seen.some((one) => one.fingerprint === fingerprint)) return [];
		const { operation = "update_user_tag" } = requests[0] ?? {};
		const rest = { createdAt: null, approvedBy: null, saidBy: "journal" } as const;
		return [{ activityId, fingerprint, state: "in-doubt", operation, parameters: {}, ...rest }];
	});
}

async function readTouching(
	sought: Sought,
	journal: Pick<JournalSummary, "openEntries" | "abandonedNames">,
	session: Session,
): Promise<{ readonly touching: readonly PendingActivity[]; readonly isListed: boolean }> {
	const { resource, organizationId, requests } = sought;
	const { activities, unlisted } = await readPendingActivities(organizationId, session.readerFor(resource), journal, {
		reads: session.settings.reads,
		nowMs: session.clock.now(),
		operations: requests.map(({ operation }) => operation),
		listsAll: true,
	});
	return { touching: activities.filter((one) => isSought(sought, one)), isListed: unlisted === null };
}

function isSought(sought: Sought, activity: PendingActivity): boolean {
	const { requests } = sought;
	return isStored(sought, activity.fingerprint) || requests.some((one) => commonObjects(one, activity).length > 0);
}

function isStored({ stored }: Sought, fingerprint: string): boolean {
	return stored.some((one) => one.fingerprint === fingerprint);
}

function isInProgress(activity: PendingActivity): boolean {
	return (
		activity.state === "pending" &&
		(activity.status === "ACTIVITY_STATUS_CREATED" || activity.status === "ACTIVITY_STATUS_PENDING")
	);
}
