/**
 * What a resource keeps in Pulumi's state besides its inputs: activities that have not ended, with their bytes, and what
 * was last applied. With it another machine, which has no journal, goes on where this one stopped.
 *
 * The rule it keeps: bodies and fingerprints, never a key, a stamp or a bundle.
 */
import { type RemovalKindName, removalKindNames } from "../plan/kinds/names.ts";
import type { LastApplied, LastAppliedTag } from "../plan/organization.ts";
import type { Outcome, Report, StepResult } from "../plan/report.ts";
import type { AppliedObject, Journal, JournalEntry } from "../sync/journal.ts";
import { decodeExactly, isKeptOutcome, type KeptActivity } from "./kept-read.ts";

export interface Kept {
	readonly activities: readonly KeptActivity[];
	readonly applied: readonly AppliedObject[];
}

/**
 * What the state of a resource should keep: every activity of the report that did not complete, and of those that it kept
 * before the ones that have not ended, also when nobody wants them any more: they may still be approved.
 */
export function keepActivities(
	report: Report | undefined,
	journal: Pick<Journal, "entry">,
	earlier: readonly KeptActivity[] = [],
): readonly KeptActivity[] {
	const told = keepReported(report, journal);
	const open = earlier.flatMap((one): readonly KeptActivity[] => {
		if (told.some(({ fingerprint }) => fingerprint === one.fingerprint)) return [];
		const entry = journal.entry(one.fingerprint);
		const outcome = entry === undefined ? undefined : (entry.outcome ?? "unknown");
		return outcome === "unknown" || outcome === "awaiting-approval" || outcome === "awaiting-authenticator"
			? [{ ...one, outcome }]
			: [];
	});
	return [...told, ...open];
}

function keepReported(report: Report | undefined, journal: Pick<Journal, "entry">): readonly KeptActivity[] {
	// A step sent in parts stands for several activities, and each of them may still be approved.
	type Told = Pick<StepResult, "outcome" | "activityId" | "fingerprint">;
	const told = (report?.steps ?? []).flatMap((step): readonly Told[] => (step.parts.length > 0 ? step.parts : [step]));
	return told.flatMap(({ outcome, activityId, fingerprint }): readonly KeptActivity[] => {
		if (!isKeptOutcome(outcome) || fingerprint === null) return [];
		const entry = journal.entry(fingerprint);
		const kept = keptOutcome(outcome, entry);
		if ((entry === undefined && activityId === null) || !isKeptOutcome(kept)) return [];
		const known = { activityId, fingerprint, outcome: kept };
		if (entry === undefined) return [known];
		const { body, requestDigest, covers, sentAtMs } = entry;
		return [{ ...known, body: body.bytes, requestDigest, covers, sentAt: new Date(sentAtMs).toISOString() }];
	});
}

/** A step that was not attempted because of an activity leaves that activity as it was. */
function keptOutcome(outcome: Outcome, entry: JournalEntry | undefined): Outcome {
	if (outcome !== "not-attempted") return outcome;
	return entry === undefined || entry.outcome === null || entry.outcome === "abandoned" ? "unknown" : entry.outcome;
}

/** Puts what the state keeps into a journal that does not know it yet. The activities were read by readKeptActivities. */
export async function restoreKept(organizationId: string, kept: Kept, journal: Journal, nowMs: number): Promise<void> {
	for (const { activityId, fingerprint, outcome, body, covers, sentAt } of kept.activities) {
		const decoded = body === undefined ? undefined : decodeExactly(body);
		if (decoded === undefined || journal.entry(fingerprint) !== undefined) continue;
		await journal.recordSending(
			decoded,
			decoded.requestDigest,
			covers ?? [],
			sentAt === undefined ? nowMs : Date.parse(sentAt),
		);
		journal.recordOutcome(fingerprint, outcome, activityId, nowMs);
	}
	if (kept.applied.length === 0) return;
	const memory = journal.lastApplied(organizationId);
	const newer = kept.applied.filter((applied) => isNewer(applied, memory));
	if (newer.length > 0) journal.recordApplied(organizationId, newer);
}

/** The memory with what the state keeps, where that is newer. */
export function mergeMemory(memory: LastApplied, { applied }: Kept): LastApplied {
	const newer = applied.filter((item) => isNewer(item, memory));
	const removed = (kind: RemovalKindName): LastApplied["removed"][RemovalKindName] => ({
		...memory.removed[kind],
		...Object.fromEntries(
			newer.filter((item) => item.kind === kind).map((item) => [item.id, { appliedAt: appliedAtOf(item) }]),
		),
	});
	return {
		userTags: {
			...memory.userTags,
			...Object.fromEntries(newer.flatMap((item) => (item.kind === "userTag" ? [[item.id, item.tag] as const] : []))),
		},
		removed: Object.fromEntries(removalKindNames.map((kind) => [kind, removed(kind)])),
	};
}

/** Whether it was applied later than what is remembered, or is the same and knows the tag's `updatedAt` from a refresh. */
function isNewer(applied: AppliedObject, memory: LastApplied): boolean {
	const [kept, remembered] = [appliedAtOf(applied), rememberedAt(applied, memory)];
	if (kept !== remembered) return kept > remembered;
	return applied.kind === "userTag" && applied.tag.updatedAt !== "" && memory.userTags[applied.id]?.updatedAt === "";
}

function appliedAtOf(applied: AppliedObject): string {
	return applied.kind === "userTag" ? applied.tag.appliedAt : applied.appliedAt;
}

function rememberedAt(applied: AppliedObject, memory: LastApplied): string {
	const { kind, id } = applied;
	const remembered = kind === "userTag" ? memory.userTags[id] : memory.removed[kind]?.[id];
	return remembered?.appliedAt ?? "";
}

/** A tag as it was last applied, in the form in which it is kept. */
export function keepTag(id: string, tag: LastAppliedTag | undefined): readonly AppliedObject[] {
	return tag === undefined ? [] : [{ kind: "userTag", id, tag }];
}
