/** The run of `apply` over several organizations: `--resume` skips those that its record left in sync. Evidence, not authority. */

import { randomBytes } from "node:crypto";
import { ConfigurationError, StorageError } from "../../../common/errors.ts";
import { showText } from "../../../common/escape.ts";
import type { DesiredFleet } from "../../../document/read/fleet.ts";
import { nextChangeAfter } from "../../../plan/access-window.ts";
import type { DesiredOrganization } from "../../../plan/organization.ts";
import { findsDifference, type Plan } from "../../../plan/plan.ts";
import type { Report } from "../../../plan/report.ts";
import type { ResumableRun } from "../../../render/result/result.ts";
import { type Journal, maxRunAgeMs, type RunRecord } from "../../../sync/journal/journal.ts";
import { findUrl } from "../../../wire/credentials.ts";
import type { Flags } from "../../flags/given-flags.ts";
import type { Call, Terminal } from "../../output/output.ts";

type RunFlags = Flags<"resume" | "plan" | "url" | "local" | "reads" | "only">;

/** Returns the run that `--resume` names, or a new one; undefined for one organization, or a saved plan: nothing to resume. */
export function chooseRun({ flags, terminal }: Call<RunFlags>, size: number): ResumableRun | undefined {
	if (flags.resume !== undefined) return { id: flags.resume, resumed: true };
	return size < 2 || flags.plan !== undefined ? undefined : { id: makeRunId(terminal), resumed: false };
}

/** Returns the time in UTC and random digits: an id that sorts by time and that people can find in a log. */
function makeRunId({ now }: Terminal): string {
	const [date = "", time = ""] = new Date(now()).toISOString().replaceAll(/[-:]/g, "").split("T");
	return `${date}-${time.slice(0, 6)}-${randomBytes(3).toString("hex")}`;
}

/** The record of a run while it runs. */
export type OpenRun = ReturnType<typeof openRun>;

type RunCall = Call<RunFlags>;

type Evidence = readonly [documentDigest: string, readPosition: number | undefined];

/** Begins the run, or goes on with the one that `--resume` names. Throws ConfigurationError if that one cannot be resumed. */
export function openRun({ id, resumed }: ResumableRun, fleet: DesiredFleet, journal: Journal, call: RunCall) {
	const size = fleet.organizationIds.length;
	const run = describeRun(id, size, call);
	const finished = new Set<string>();
	if (resumed) {
		refuseOther(id, run, journal);
		for (const organizationId of fleet.organizationIds) {
			const desired = fleet.load(organizationId);
			if (journal.hasFinished(id, organizationId, desired.digest) && !mayHaveChanged(desired, id, journal, run)) {
				finished.add(organizationId);
			}
		}
	} else journal.recordRun(run);
	call.output.note(
		resumed
			? `Run ${id}, resumed: ${finished.size} of ${size} organizations are not read again.`
			: `Run ${id}: to go on with it after an interruption, add --resume ${id}.`,
	);
	const skipped = new Set(finished);
	let isWritable = true;
	const record = (organizationId: string, ...[documentDigest, readPosition]: Evidence): void => {
		if (readPosition === undefined || !isWritable) return;
		try {
			journal.recordFinished(id, { organizationId, documentDigest, readPosition });
			finished.add(organizationId);
		} catch (error) {
			if (!(error instanceof StorageError)) throw error;
			// What was submitted must still be reported.
			isWritable = false;
			call.output.warn(`${error.message}; --resume ${id} will read more organizations than it has to`);
		}
	};
	return {
		/** Returns whether the run left the organization in sync before it was resumed. */
		isFinished: (organizationId: string) => skipped.has(organizationId),
		/** Records an organization that was read and is in sync. */
		recordUnchanged: ({ organizationId }: Plan, ...more: Evidence) => record(organizationId, ...more),
		/** Records an organization that was applied, if the result was read again and is in sync. */
		recordApplied: (plan: Plan, report: Report, ...more: Evidence) => {
			if (report.inSync && !hasMore(plan)) record(plan.organizationId, ...more);
		},
		/** Ends the run: one that finished all its organizations leaves nothing to resume. */
		end: () => {
			if (isWritable && finished.size === size) journal.endRun(id);
		},
	};
}

/** The clocks of the machine and of the service may differ by this much: then an organization is read once more. */
const clockMarginMs = 24 * 3_600_000;

/** Whether the document may want something else by now than when the run began, because a window begins or ends. */
function mayHaveChanged(desired: DesiredOrganization, id: string, journal: Journal, now: RunRecord): boolean {
	const next = nextChangeAfter(desired, (journal.run(id)?.startedAtMs ?? 0) - clockMarginMs);
	return next !== undefined && next <= now.startedAtMs + clockMarginMs;
}

/** Whether the plan has something to show that its steps do not change. */
function hasMore(plan: Plan): boolean {
	const { changes } = plan;
	return findsDifference({ ...plan, changes: [] }) || changes.some(({ action }) => action === "report");
}

function describeRun(id: string, size: number, { flags, terminal }: RunCall): RunRecord {
	const address = flags.url ?? findUrl(terminal.environment) ?? "";
	return {
		id,
		startedAtMs: terminal.now(),
		service: flags.local === true ? "local" : address.replace(/\/+$/, ""),
		reads: flags.reads,
		only: [...flags.only].sort(),
		size,
	};
}

/** Throws ConfigurationError if the journal does not have the run, or if it was made with other flags. */
function refuseOther(id: string, now: RunRecord, journal: Journal): void {
	const run = journal.run(id);
	if (run === undefined || now.startedAtMs - run.startedAtMs > maxRunAgeMs) {
		const latest = journal.run();
		throw new ConfigurationError(
			`--resume ${id}: the journal has no such run, because it is complete, older than 7 days, or in another journal`,
			{
				hint: `${latest === undefined || latest.id === id ? "" : `the latest run in this journal is ${latest.id}; `}without --resume, apply reads all organizations`,
			},
		);
	}
	const differences = [
		...(run.service === now.service ? [] : [`its service is ${run.service}`]),
		...(run.reads === now.reads ? [] : [`it read with --reads ${run.reads}`]),
		...(run.only.join("\n") === now.only.join("\n") ? [] : [`it had ${describeOnly(run.only)}`]),
	];
	if (differences.length === 0) return;
	throw new ConfigurationError(
		`--resume ${id}: the run was made with other flags: ${showText(differences.join(", "))}`,
		{ hint: "resume a run with the flags that it began with" },
	);
}

function describeOnly(only: readonly string[]): string {
	return only.length === 0 ? "no --only" : only.map((one) => `--only ${one}`).join(" ");
}
