/**
 * `status`: pending activities, and what was submitted without an answer. It submits nothing.
 */
import { exitCodes } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { namesOfUsers } from "../../plan/plan.ts";
import { type OpenActivities, resultHead, type StatusResult, type UnansweredRequest } from "../../render/result.ts";
import type { JournalEntry } from "../../sync/journal.ts";
import { findOrganizationId } from "../../wire/credentials.ts";
import { connect, viewJournal } from "../connect.ts";
import type { Output, Terminal } from "../output.ts";
import { readDesired } from "../sources.ts";
import { documentsOf, findOrganization, type OrganizationFlags } from "./query.ts";

/** Returns what is pending in each organization. Exit 8 when something is, else 0. */
export async function status(flags: OrganizationFlags, terminal: Terminal, output: Output): Promise<StatusResult> {
	const { readPendingActivities } = await import("../../sync/pending-activities.ts");
	const organizations = await findOrganizations(flags, terminal);
	const journal = await viewJournal([...organizations.keys()], flags, terminal, output);
	const connection = await connect(flags, terminal, output);
	try {
		const open: OpenActivities[] = [];
		for (const [organizationId, desired] of organizations) {
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
			// An activity without an id was submitted from here, without an answer.
			const named = activities.filter(({ activityId }) => activityId !== null);
			const inDoubt = new Set(activities.flatMap((one) => (one.activityId === null ? [one.fingerprint] : [])));
			const unanswered = journal.openEntries(organizationId).filter(({ body }) => inDoubt.has(body.fingerprint));
			open.push({
				organizationId,
				userNames: desired === undefined ? {} : namesOfUsers(desired),
				activities: named,
				abandoned,
				unanswered: unanswered.map(describeEntry),
				complete: unlisted === null,
				unlisted,
			});
		}
		const isPending = open.some(({ activities, unanswered }) => activities.length + unanswered.length > 0);
		return { ...resultHead("status", isPending ? exitCodes.pendingApproval : exitCodes.inSync, null), open };
	} finally {
		await connection.close();
	}
}

function describeEntry({ body, covers, sentAtMs }: JournalEntry): UnansweredRequest {
	const sentAt = new Date(sentAtMs).toISOString();
	return { fingerprint: body.fingerprint, operation: body.operation.name, covers, sentAt };
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
