/**
 * `wait`: reads pending activities again until they have ended. It submits nothing: what cannot be read stays in doubt.
 */
import { ConfigurationError, combineExitCodes, type ExitCode, exitCodes, ifAvailable } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { isRecord } from "../../json.ts";
import { addressesOf, type ObjectNames } from "../../plan/activity-objects.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Outcome } from "../../plan/report.ts";
import { resultHead, type WaitResult } from "../../render/result.ts";
import { checkSchema } from "../../schema.ts";
import { isOpen, type Journal, type JournalEntry, knownOutcome } from "../../sync/journal.ts";
import { outcomeOfActivity } from "../../sync/outcomes.ts";
import { validators } from "../../validators/requests.ts";
import { type Activity, readActivity } from "../../wire/activity.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, submitOfType, submits } from "../../wire/operations.ts";
import { parametersOf } from "../../wire/request-body.ts";
import { withConnection, withJournal } from "../connect.ts";
import type { Call } from "../output.ts";
import { namesFrom } from "./activity-names.ts";
import { findOrganizations, type OrganizationFlags } from "./selection.ts";

export interface WaitFlags extends OrganizationFlags {
	/** Seconds. */
	readonly wait: number;
}

interface Tracked {
	readonly organizationId: string;
	readonly activityId: string | null;
	/** Null if only its id is known. */
	readonly fingerprint: string | null;
	/** Null for an operation that orgsync does not submit. */
	readonly operation: string | null;
	/** Addresses of the objects that it changes. */
	readonly covers: readonly string[];
	/** Whether the journal has it: then it records the outcome. */
	readonly isOurs: boolean;
}

/** Its last known outcome. `isRead`: the service returned it. */
interface Ended extends Tracked {
	readonly outcome: Outcome;
	readonly isRead: boolean;
}

interface WaitRun extends Call<WaitFlags> {
	readonly journal: Journal;
	readonly reader: Reader;
}

/** Reads again until every activity that is pending in the organizations, or each that is named, has ended. */
export async function wait(activityIds: readonly string[], call: Call<WaitFlags>): Promise<WaitResult> {
	const organizations = await findOrganizations(call);
	return withConnection(call, ({ client }) =>
		withJournal(call, async (journal) => {
			const run: WaitRun = { ...call, journal, reader: client.reader };
			const { tracked, unlisted } = await track(organizations, activityIds, run);
			const ended = await pollUntilEnded(tracked, run);
			return {
				...resultHead("wait", combineExitCodes(ended.map(({ outcome }) => exitCodeOfOutcome[outcome])), null),
				activities: ended.map((one) => {
					const { activityId, fingerprint, operation, covers, outcome } = one;
					const message = explainDoubt(one, call.flags.reads);
					return { activityId, fingerprint, operation, covers, outcome, message };
				}),
				unlisted: unlisted[0] ?? null,
			};
		}),
	);
}

/** Returns all activities that are pending or in doubt, or those with these ids. Throws ConfigurationError for an unknown id. */
async function track(
	organizations: ReadonlyMap<string, DesiredOrganization | undefined>,
	activityIds: readonly string[],
	run: WaitRun,
) {
	const { readPendingActivities } = await import("../../sync/pending-activities.ts");
	const { journal, reader, terminal, flags } = run;
	const all: Tracked[] = [];
	const unlisted: string[] = [];
	const names = new Map<string, ObjectNames>();
	for (const [organizationId, desired] of organizations) {
		const own = journal.openEntries(organizationId);
		// An entry that ends while this waits is not among the open ones any more.
		const namesHere = namesFrom(organizationId, desired, journal);
		names.set(organizationId, namesHere);
		all.push(...own.map((entry) => trackEntry(entry, namesHere)));
		const ownFingerprints = new Set(own.map(({ body }) => body.fingerprint));
		const others = { openEntries: () => [], abandonedNames: (id: string) => journal.abandonedNames(id) };
		const options = { reads: flags.reads, nowMs: terminal.now(), confirms: true };
		const listed = await readPendingActivities(organizationId, reader, others, options);
		if (listed.unlisted !== null) unlisted.push(listed.unlisted);
		for (const activity of listed.activities) {
			const { activityId, fingerprint, operation } = activity;
			if (ownFingerprints.has(fingerprint)) continue;
			const covers = addressesOf(activity, namesHere);
			all.push({ organizationId, activityId, fingerprint, operation, covers, isOurs: false });
		}
	}
	if (activityIds.length === 0) return { tracked: all, unlisted };
	const tracked: Tracked[] = [];
	for (const id of activityIds) {
		const known = all.find((one) => one.activityId?.toLowerCase() === id.toLowerCase() || one.fingerprint === id);
		tracked.push(known ?? (await findNamed(id, names, run)));
	}
	return { tracked, unlisted: [] };
}

function trackEntry({ body, activityId }: JournalEntry, names: ObjectNames): Tracked {
	const { organizationId, fingerprint } = body;
	const operation = body.operation.name;
	const covers = addressesOf({ operation, parameters: parametersOf(body) }, names);
	return { organizationId, activityId, fingerprint, operation, covers, isOurs: true };
}

/** Returns an activity that is not listed as pending, because it may have ended. Throws ConfigurationError when it is unknown. */
async function findNamed(activityId: string, names: ReadonlyMap<string, ObjectNames>, run: WaitRun): Promise<Tracked> {
	for (const [organizationId, namesHere] of run.flags.reads === "auto" ? names : []) {
		const fields = { organizationId, activityId };
		// The service would reject what is no id, such as a fingerprint.
		if (checkSchema(validators, "operations/get_activity.json#/$defs/request", fields).length > 0) continue;
		const activity = await readNow(fields, run.reader);
		if (activity === undefined) continue;
		const operation = submitOfType(activity.type)?.name ?? null;
		const parameters = activity.intent ?? {};
		const covers = operation === null ? [] : addressesOf({ operation, parameters }, namesHere);
		return { organizationId, activityId, fingerprint: null, operation, covers, isOurs: false };
	}
	const message = `activity ${showText(activityId)} not found: neither this journal nor the service has it`;
	throw new ConfigurationError(message, { hint: "orgsync status lists pending activities" });
}

/** Returns an activity of any operation, or undefined if the service does not return it. Of an unknown one only the intent is wrong. */
async function readNow(
	{ organizationId, activityId }: Pick<Tracked, "organizationId" | "activityId">,
	reader: Reader,
): Promise<Activity | undefined> {
	const answer = await ifAvailable(reader.query(extendedReads.get_activity, { organizationId, activityId }));
	const activity = answer?.value.activity;
	if (!isRecord(activity) || String(activity.id).toLowerCase() !== activityId?.toLowerCase()) return undefined;
	return readActivity(submitOfType(activity.type) ?? submits.update_user_tag, activity);
}

/** Max pause between two reads. Each costs requests (docs/service.md#rates-and-limits). */
const maxPauseMs = 30_000;

async function pollUntilEnded(tracked: readonly Tracked[], run: WaitRun): Promise<readonly Ended[]> {
	const { terminal, output, flags } = run;
	const untilMs = terminal.now() + flags.wait * 1000;
	for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
		const now = await readAll(tracked, run);
		const pending = now.filter(({ outcome, isRead }) => isRead && (outcome === "unknown" || isPending(outcome)));
		const leftMs = untilMs - terminal.now();
		// An activity that cannot be read now cannot be read later either.
		if (pending.length === 0 || leftMs <= 0) return now;
		output.progress(`waiting: ${pending.length} not ended yet`);
		output.detail(`${pending.length} not ended yet`);
		await terminal.sleep(Math.min(pauseMs, leftMs));
	}
}

async function readAll(tracked: readonly Tracked[], run: WaitRun): Promise<readonly Ended[]> {
	const { settleOpenEntries } = await import("../../sync/settle.ts");
	const { journal, reader, terminal, flags } = run;
	const heard = new Set<string>();
	for (const id of new Set(tracked.filter(({ isOurs }) => isOurs).map(({ organizationId }) => organizationId))) {
		const settled = await settleOpenEntries(id, { reader, journal, reads: flags.reads, now: terminal.now });
		for (const fingerprint of settled.keys()) heard.add(fingerprint);
	}
	const ended: Ended[] = [];
	for (const one of tracked) {
		if (!one.isOurs) {
			const activity = flags.reads === "auto" ? await readNow(one, reader) : undefined;
			// The outcome depends on the status alone, which activities of every operation have.
			const outcome = activity === undefined ? "unknown" : outcomeOfActivity(activity).outcome;
			ended.push({ ...one, outcome, isRead: activity !== undefined });
			continue;
		}
		const entry = journal.entry(one.fingerprint ?? "");
		const outcome = entry === undefined ? "unknown" : knownOutcome(entry);
		ended.push({
			...one,
			activityId: entry?.activityId ?? one.activityId,
			outcome,
			isRead: heard.has(one.fingerprint ?? "") || (entry !== undefined && !isOpen(entry)),
		});
	}
	return ended;
}

function isPending(outcome: Outcome): boolean {
	return outcome === "awaiting-approval" || outcome === "awaiting-authenticator";
}

const exitCodeOfOutcome: Readonly<Record<Outcome, ExitCode>> = {
	completed: exitCodes.inSync,
	"awaiting-approval": exitCodes.pendingApproval,
	"awaiting-authenticator": exitCodes.pendingApproval,
	unknown: exitCodes.pendingApproval,
	rejected: exitCodes.rejectedOrDenied,
	denied: exitCodes.rejectedOrDenied,
	failed: exitCodes.error,
	"not-attempted": exitCodes.error,
};

/** Returns why the outcome is in doubt; null when it is known. */
function explainDoubt({ outcome, isRead, activityId }: Ended, reads: WaitFlags["reads"]): string | null {
	if (isRead) return outcome === "unknown" ? "it has a status that orgsync does not know" : null;
	const last = isPending(outcome)
		? "it was pending when it was last read"
		: activityId === null
			? "it was submitted without an answer"
			: "its outcome was never read";
	const why =
		reads === "documented"
			? "the documented queries do not show activities"
			: "the service does not show it to this key";
	return `${last}, and ${why}; apply submits the same request again and finds out`;
}
