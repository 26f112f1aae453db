/**
 * The journal of a project, as resources share it that are worked on side by side.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Journal, openJournal } from "../sync/journal.ts";

/** Opens the journal in this file, made when it is not there. Throws what openJournal throws. */
export async function openJournalFile(file: string): Promise<Journal> {
	const folder = dirname(file);
	if (basename(folder) === ".orgsync" && !existsSync(folder)) {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		// A journal is of one machine, not for version control.
		writeFileSync(join(folder, ".gitignore"), "*\n");
	}
	return withoutInFlight(await openJournal(file));
}

/**
 * The journal for resources that are worked on side by side: what one of them has in flight this moment is not open to the
 * others, who would ask the service what became of it.
 */
function withoutInFlight(journal: Journal): Journal {
	const inFlight = new Set<string>();
	return {
		...journal,
		sending(body, ...more) {
			inFlight.add(body.fingerprint);
			return journal.sending(body, ...more);
		},
		settled(fingerprint, ...more) {
			inFlight.delete(fingerprint);
			journal.settled(fingerprint, ...more);
		},
		open: (organizationId) => journal.open(organizationId).filter(({ body }) => !inFlight.has(body.fingerprint)),
	};
}
