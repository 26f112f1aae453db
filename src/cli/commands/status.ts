/**
 * `status`: what waits, and what was sent and never answered; it submits nothing. `wait`: stays until what this journal
 * holds open has ended.
 */
import { ConfigurationError, type ExitCode, exitCodes } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { showText } from "../../plan/render/escape.ts";
import { renderWaitingActivity } from "../../plan/render/waiting-text.ts";
import type { WaitingActivity } from "../../plan/waiting.ts";
import type { SettleContext } from "../../sync/apply.ts";
import type { Journal, JournalEntry } from "../../sync/journal.ts";
import type { Sent } from "../../sync/send.ts";
import { findOrganizationId } from "../../wire/credentials.ts";
import { type ConnectionFlags, connect, openJournalOf, viewJournal } from "../connect.ts";
import { readDesired } from "../sources.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { documentsOf, findOrganization, type OrganizationFlags } from "./query.ts";

/** What is open in one organization. */
interface Open {
	readonly organizationId: string;
	/** Why there may be others; null when the service listed them all. */
	readonly unlisted: string | null;
	readonly activities: readonly WaitingActivity[];
	/** Bodies that were sent, or were about to be, and of which nobody knows whether they made an activity. */
	readonly unanswered: readonly {
		readonly fingerprint: string;
		readonly operation: string;
		readonly covers: readonly string[];
		readonly sentAt: string;
	}[];
}

/** What waits in each organization. Exit 8 when something does, else 0. */
export async function status(flags: OrganizationFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const { readWaiting } = await import("../../sync/waiting.ts");
	const organizations = await findOrganizations(flags, terminal);
	const journal = await viewJournal([...organizations.keys()], flags, terminal);
	const connection = await connect(flags, terminal, voice);
	try {
		const open: Open[] = [];
		for (const organizationId of organizations.keys()) {
			const { activities, unlisted } = await readWaiting(
				organizationId,
				connection.client.reader,
				journal,
				flags.reads,
				terminal.now(),
			);
			// What has an id is shown with the activities: each is told once.
			const named = activities.filter(({ activityId }) => activityId !== null);
			const unanswered = journal.open(organizationId).filter(({ activityId, body }) => {
				return activityId === null && !named.some(({ fingerprint }) => fingerprint === body.fingerprint);
			});
			open.push({
				organizationId,
				unlisted,
				activities: named,
				unanswered: unanswered.map(describeEntry),
			});
		}
		const waits = open.some(({ activities, unanswered }) => activities.length + unanswered.length > 0);
		return {
			exitCode: waits ? exitCodes.waiting : exitCodes.converged,
			text: () => open.map((one) => renderOpen(one, organizations.get(one.organizationId))).join("\n"),
			json: { open: open.map(({ unlisted, ...one }) => ({ ...one, complete: unlisted === null })) },
		};
	} finally {
		await connection.close();
	}
}

function describeEntry({ body, covers, sentAtMs }: JournalEntry): Open["unanswered"][number] {
	const sentAt = new Date(sentAtMs).toISOString();
	return { fingerprint: body.fingerprint, operation: body.operation.name, covers, sentAt };
}

function renderOpen(
	{ organizationId, unlisted, activities, unanswered }: Open,
	desired: DesiredOrganization | undefined,
): string {
	const userNames = Object.fromEntries(Object.entries(desired?.users ?? {}).map(([alias, id]) => [id, alias]));
	const lines = [
		...activities.map((activity) => `  ${activity.operation}: ${renderWaitingActivity(activity, { userNames })}`),
		...unanswered.map(
			({ fingerprint, operation, covers, sentAt }) =>
				`  ${operation}: sent ${sentAt} and never answered, for ${showText(covers.join(", "))}; fingerprint ${fingerprint}`,
		),
	];
	if (lines.length === 0)
		lines.push(unlisted === null ? "  nothing waits" : "  nothing that this journal knows of waits");
	if (unlisted !== null) lines.push(`  what others submitted is unknown: ${showText(unlisted)}`);
	return `Organization ${showText(organizationId)}\n${lines.join("\n")}\n`;
}

/** The organizations of the documents, or the one that is named, each with its document where there is one. */
async function findOrganizations(
	flags: OrganizationFlags,
	terminal: Terminal,
): Promise<ReadonlyMap<string, DesiredOrganization | undefined>> {
	const implied = flags.local !== true && findOrganizationId(terminal.environment) === undefined;
	const files = implied ? documentsOf(flags, terminal) : flags.file;
	if (flags.organization === undefined && files.length > 0) {
		const organizations = await readDesired(files, terminal);
		return new Map(organizations.map((desired) => [desired.organizationId, desired]));
	}
	return new Map([[await findOrganization(flags, terminal), undefined]]);
}

export interface WaitFlags extends OrganizationFlags, ConnectionFlags {
	readonly wait: number;
}

/** Asks again until every activity that this journal holds open has ended, or the time is up. */
export async function wait(
	activityIds: readonly string[],
	flags: WaitFlags,
	terminal: Terminal,
	voice: Voice,
): Promise<Result> {
	const organizations = [...(await findOrganizations(flags, terminal)).keys()];
	const connection = await connect(flags, terminal, voice);
	const journal = await openJournalOf(flags, terminal);
	try {
		const wanted = findEntries(organizations, activityIds, journal);
		const context: SettleContext = {
			reader: connection.client.reader,
			submitter: connection.client.submitter,
			journal,
			reads: flags.reads,
			now: terminal.now,
			sleep: terminal.sleep,
			waitMs: 0,
		};
		const ended = await pollUntilEnded(wanted, organizations, context, flags.wait * 1000, voice);
		return {
			exitCode: worstOf(ended),
			text: () => renderEnded(ended),
			json: { activities: ended.map(({ activityId, outcome, message }) => ({ activityId, outcome, message })) },
		};
	} finally {
		journal.close();
		await connection.close();
	}
}

type Ended = Pick<Sent, "activityId" | "outcome" | "message">;

function findEntries(
	organizations: readonly string[],
	activityIds: readonly string[],
	journal: Journal,
): readonly JournalEntry[] {
	const open = organizations.flatMap((id) => journal.open(id)).filter(({ activityId }) => activityId !== null);
	const stranger = activityIds.find((id) => !open.some(({ activityId }) => activityId === id));
	if (stranger === undefined)
		return activityIds.length === 0 ? open : open.filter((entry) => activityIds.includes(entry.activityId ?? ""));
	throw new ConfigurationError(`the journal holds no open activity ${showText(stranger)}`, {
		hint: "orgsync status lists what waits",
	});
}

/** Longest pause between two questions; the number of requests is the cost (service-facts.md, "Rates and limits"). */
const longestPauseMs = 30_000;

async function pollUntilEnded(
	wanted: readonly JournalEntry[],
	organizations: readonly string[],
	context: SettleContext,
	waitMs: number,
	voice: Voice,
): Promise<readonly Ended[]> {
	const { settle } = await import("../../sync/apply.ts");
	const untilMs = context.now() + waitMs;
	for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
		for (const id of organizations) await settle(id, context);
		const now = wanted
			.map(({ body }) => context.journal.entry(body.fingerprint))
			.filter((entry) => entry !== undefined);
		const waiting = now.filter(
			({ outcome }) => outcome === null || outcome === "unknown" || outcome.startsWith("awaiting"),
		);
		const leftMs = untilMs - context.now();
		if (waiting.length === 0 || leftMs <= 0) {
			return now.map(({ activityId, outcome }) => ({
				activityId,
				outcome: outcome === null || outcome === "abandoned" ? "unknown" : outcome,
				message: null,
			}));
		}
		voice.progress(`waiting: ${waiting.length} not ended yet`);
		voice.detail(`${waiting.length} not ended yet`);
		await context.sleep(Math.min(pauseMs, leftMs));
	}
}

function worstOf(ended: readonly Ended[]): ExitCode {
	const has = (...outcomes: Sent["outcome"][]): boolean => ended.some(({ outcome }) => outcomes.includes(outcome));
	if (has("rejected", "denied")) return exitCodes.rejectedOrDenied;
	if (has("failed", "unknown", "not-attempted")) return exitCodes.error;
	return has("awaiting-approval", "awaiting-authenticator") ? exitCodes.waiting : exitCodes.converged;
}

function renderEnded(ended: readonly Ended[]): string {
	if (ended.length === 0) return "Nothing waits.\n";
	return ended
		.map(({ activityId, outcome }) => `${showText(activityId ?? "")}: ${outcome.replaceAll("-", " ")}\n`)
		.join("");
}
