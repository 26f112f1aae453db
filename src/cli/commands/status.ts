/**
 * `status`: pending activities, and what was submitted without an answer. It submits nothing.
 */
import { exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { WaitingActivity } from "../../plan/waiting.ts";
import { renderWaitingActivity } from "../../render/waiting-text.ts";
import type { JournalEntry } from "../../sync/journal.ts";
import { findOrganizationId } from "../../wire/credentials.ts";
import { connect, viewJournal } from "../connect.ts";
import type { Output, Result, Terminal } from "../output.ts";
import { readDesired } from "../sources.ts";
import { documentsOf, findOrganization, type OrganizationFlags } from "./query.ts";

/** What is open in one organization. */
interface Open {
	readonly organizationId: string;
	/** Why there may be others; null when the service listed them all. */
	readonly unlisted: string | null;
	readonly activities: readonly WaitingActivity[];
	/** Abandoned from here and still pending at the service: somebody can approve them. */
	readonly abandoned: readonly WaitingActivity[];
	/** Bodies that were sent, or were about to be, and of which nobody knows whether they made an activity. */
	readonly unanswered: readonly {
		readonly fingerprint: string;
		readonly operation: string;
		readonly covers: readonly string[];
		readonly sentAt: string;
	}[];
}

/** What waits in each organization. Exit 8 when something does, else 0. */
export async function status(flags: OrganizationFlags, terminal: Terminal, output: Output): Promise<Result> {
	const { readPendingActivities } = await import("../../sync/pending-activities.ts");
	const organizations = await findOrganizations(flags, terminal);
	const journal = await viewJournal([...organizations.keys()], flags, terminal, output);
	const connection = await connect(flags, terminal, output);
	try {
		const open: Open[] = [];
		for (const organizationId of organizations.keys()) {
			const { activities, abandoned, unlisted } = await readPendingActivities(
				organizationId,
				connection.client.reader,
				journal,
				{
					reads: flags.reads,
					nowMs: terminal.now(),
					confirms: true,
				},
			);
			// What has no id was submitted from here, without an answer.
			const named = activities.filter(({ activityId }) => activityId !== null);
			const inDoubt = new Set(
				activities.map(({ activityId, fingerprint }) => (activityId === null ? fingerprint : "")),
			);
			const unanswered = journal.openEntries(organizationId).filter(({ body }) => inDoubt.has(body.fingerprint));
			open.push({
				organizationId,
				unlisted,
				activities: named,
				abandoned,
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
	{ organizationId, unlisted, activities, abandoned, unanswered }: Open,
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
	if (lines.length === 0) {
		lines.push(unlisted === null ? "  nothing waits" : "  nothing that this journal knows of waits");
	}
	for (const activity of abandoned) {
		const shown = renderWaitingActivity(activity, { userNames });
		lines.push(`  abandoned, not counted, and still pending: ${activity.operation}: ${shown}`);
	}
	if (unlisted !== null) lines.push(`  what others submitted is unknown: ${showText(unlisted)}`);
	return `Organization ${showText(organizationId)}\n${lines.join("\n")}\n`;
}

/** The organizations of the documents, or the one that is named, each with its document where there is one. */
export async function findOrganizations(
	flags: OrganizationFlags,
	terminal: Terminal,
): Promise<ReadonlyMap<string, DesiredOrganization | undefined>> {
	const implied = flags.local !== true && findOrganizationId(terminal.environment) === undefined;
	const files = implied ? documentsOf(flags, terminal) : flags.file;
	if (flags.organization === undefined && files.length > 0) {
		const organizations = await readDesired({ file: files, env: flags.env }, terminal);
		return new Map(organizations.map((desired) => [desired.organizationId, desired]));
	}
	return new Map([[await findOrganization(flags, terminal), undefined]]);
}
