/** Imports node:sqlite without its warning: the oldest Node that orgsync supports marks it as experimental. */
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
