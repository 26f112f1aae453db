/** The journal of a project, for resources that are applied concurrently. */
import { showText } from "../../common/escape.ts";
import { watchFile } from "../../common/files.ts";
import { type JournalFileOptions, openJournal } from "../../sync/journal/file.ts";
import type { Journal } from "../../sync/journal/journal.ts";

/** Opens the journal in this file, or creates it. Throws what openJournal throws. */
export async function openSharedJournal(file: string, options: JournalFileOptions): Promise<Journal> {
	const journal = withoutInFlight(await openJournal(file, options));
	return file === ":memory:" ? journal : warnIfRemoved(journal, file, options);
}

/** Warns once if the file was removed or replaced when an outcome is recorded. */
function warnIfRemoved(journal: Journal, file: string, { notice }: JournalFileOptions): Journal {
	const isReplaced = watchFile(file);
	let hasWarned = false;
	return {
		...journal,
		recordOutcome(...outcome) {
			if (!hasWarned && isReplaced()) {
				hasWarned = true;
				notice?.(
					`warning: the journal ${showText(file)} was removed or replaced during this run: only Pulumi's state records what the run submitted`,
				);
			}
			return journal.recordOutcome(...outcome);
		},
	};
}

/** Hides requests in flight from the open entries: other resources would query the service for their activities. */
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
