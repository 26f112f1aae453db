/**
 * What a resource keeps in Pulumi's state besides its inputs: activities that have not ended, with their bytes, and what
 * was last applied. With it another machine, which has no journal, goes on where this one stopped.
 *
 * The rule it keeps: bodies and fingerprints, never a key, a stamp or a bundle.
 */
import type { Memory, RememberedTag } from "../plan/organization.ts";
import type { Outcome, Report } from "../plan/report.ts";
import type { Applied, Journal, JournalEntry } from "../sync/journal.ts";
import { decodeSubmit } from "../wire/body.ts";

/** An activity that has not completed, as it stands in the state. */
export interface KeptActivity {
	/** Null when it was sent and never answered. */
	readonly activityId: string | null;
	readonly fingerprint: string;
	readonly outcome: Outcome;
	/** The exact request body; left out when somebody else submitted it. */
	readonly body?: string;
	readonly wish?: string;
	readonly covers?: readonly string[];
	readonly sentAt?: string;
}

export interface Kept {
	readonly activities: readonly KeptActivity[];
	readonly applied: readonly Applied[];
}

/** What the state of a resource should keep of a report: every activity that did not complete. */
export function keepActivities(report: Report, journal: Pick<Journal, "entry">): readonly KeptActivity[] {
	return report.steps.flatMap(({ outcome, activityId, fingerprint }): readonly KeptActivity[] => {
		// Nothing can come of what was denied: the next run sends new bytes.
		if (outcome === "completed" || outcome === "denied" || fingerprint === null) return [];
		const entry = journal.entry(fingerprint);
		if (entry === undefined && activityId === null) return [];
		const told = { activityId, fingerprint, outcome: keptOutcome(outcome, entry) };
		if (entry === undefined) return [told];
		const { body, wish, covers, sentAtMs } = entry;
		return [{ ...told, body: body.bytes, wish, covers, sentAt: new Date(sentAtMs).toISOString() }];
	});
}

/** A step that was not attempted because of an activity leaves that activity as it was. */
function keptOutcome(outcome: Outcome, entry: JournalEntry | undefined): Outcome {
	if (outcome !== "not-attempted") return outcome;
	return entry === undefined || entry.outcome === null || entry.outcome === "abandoned" ? "unknown" : entry.outcome;
}

/** Puts what the state keeps into a journal that does not know it yet. */
export async function restoreKept(organizationId: string, kept: Kept, journal: Journal, nowMs: number): Promise<void> {
	for (const { activityId, fingerprint, outcome, body, wish, covers, sentAt } of kept.activities) {
		if (body === undefined || wish === undefined || journal.entry(fingerprint) !== undefined) continue;
		const decoded = decodeSubmit(body);
		if (decoded === undefined || decoded.fingerprint !== fingerprint) continue;
		await journal.sending(decoded, wish, covers ?? [], sentAt === undefined ? nowMs : Date.parse(sentAt));
		journal.settled(fingerprint, outcome, activityId, nowMs);
	}
	const memory = journal.memory(organizationId);
	const newer = kept.applied.filter((applied) => isNewer(applied, memory));
	if (newer.length > 0) journal.remember(organizationId, newer);
}

/** The memory with what the state keeps, where that is newer. */
export function mergeMemory(memory: Memory, { applied }: Kept): Memory {
	const newer = applied.filter((item) => isNewer(item, memory));
	const removed = (kind: Applied["kind"]) =>
		Object.fromEntries(
			newer.filter((item) => item.kind === kind).map((item) => [item.id, { appliedAt: appliedAtOf(item) }]),
		);
	return {
		userTags: {
			...memory.userTags,
			...Object.fromEntries(newer.flatMap((item) => (item.kind === "userTag" ? [[item.id, item.tag] as const] : []))),
		},
		removedPolicies: { ...memory.removedPolicies, ...removed("policy") },
		removedOauthProviders: { ...memory.removedOauthProviders, ...removed("oauthProvider") },
		removedTvcApps: { ...memory.removedTvcApps, ...removed("tvcApp") },
	};
}

/** Whether it was applied later than what is remembered, or is the same and knows the tag's `updatedAt` from a refresh. */
function isNewer(applied: Applied, memory: Memory): boolean {
	const [kept, remembered] = [appliedAtOf(applied), rememberedAt(applied, memory)];
	if (kept !== remembered) return kept > remembered;
	return applied.kind === "userTag" && applied.tag.updatedAt !== "" && memory.userTags[applied.id]?.updatedAt === "";
}

function appliedAtOf(applied: Applied): string {
	return applied.kind === "userTag" ? applied.tag.appliedAt : applied.appliedAt;
}

function rememberedAt(applied: Applied, memory: Memory): string {
	const { id } = applied;
	const remembered: Record<Applied["kind"], { readonly appliedAt: string } | undefined> = {
		userTag: memory.userTags[id],
		policy: memory.removedPolicies[id],
		oauthProvider: memory.removedOauthProviders[id],
		tvcApp: memory.removedTvcApps[id],
	};
	return remembered[applied.kind]?.appliedAt ?? "";
}

/** A tag as it was last applied, in the form in which it is kept. */
export function keepTag(id: string, tag: RememberedTag | undefined): readonly Applied[] {
	return tag === undefined ? [] : [{ kind: "userTag", id, tag }];
}
