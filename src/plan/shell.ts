/**
 * Words of the commands that are shown to be typed or copied.
 */

/** The word as a shell takes it for one. */
export function quoteForShell(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
