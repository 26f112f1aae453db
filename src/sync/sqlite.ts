/**
 * The door to node:sqlite for whoever keeps a journal.
 */

/**
 * node:sqlite without its warning: in the oldest Node that orgsync runs on it is marked experimental, and nobody who reads
 * that can act on it.
 */
export async function importSqlite(): Promise<typeof import("node:sqlite")> {
	const emitWarning = process.emitWarning;
	process.emitWarning = (warning: string | Error, ...more: unknown[]) => {
		if (!String(warning).startsWith("SQLite is an experimental feature")) {
			Reflect.apply(emitWarning, process, [warning, ...more]);
		}
	};
	try {
		return await import("node:sqlite");
	} finally {
		process.emitWarning = emitWarning;
	}
}
