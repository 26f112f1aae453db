/**
 * The journal of a project, as resources share it that are worked on side by side.
 */
import type { Journal } from "../sync/journal.ts";
import { type JournalFileOptions, openJournal } from "../sync/journal-file.ts";

/** Opens the journal in this file, made when it is not there. Throws what openJournal throws. */
export async function openSharedJournal(file: string, options: JournalFileOptions): Promise<Journal> {
	return withoutInFlight(await openJournal(file, options));
}

/**
 * The journal for resources that are worked on side by side: what one of them has in flight this moment is not open to the
 * others, who would ask the service what became of it.
 */
function withoutInFlight(journal: Journal): Journal {
	const inFlight = new Set<string>();
	return {
		...journal,
		claim: (requestDigest, choose, planDigest) => {
			const chooseAndNote: typeof choose = (entries) => {
				const decision = choose(entries);
				if (decision.kind === "send") inFlight.add(decision.entry.body.fingerprint);
				return decision;
			};
			return journal.claim(requestDigest, chooseAndNote, planDigest);
		},
		recordOutcome(fingerprint, ...more) {
			inFlight.delete(fingerprint);
			return journal.recordOutcome(fingerprint, ...more);
		},
		openEntries: (organizationId) =>
			journal.openEntries(organizationId).filter(({ body }) => !inFlight.has(body.fingerprint)),
	};
}
