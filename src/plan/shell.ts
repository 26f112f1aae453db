/** Returns the word quoted so that a shell takes it as one word. */
export function quoteForShell(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
