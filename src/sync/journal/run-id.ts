/** Whether the text is the id of a run: the time when it began, in UTC, and six random digits. */
export function isRunId(text: string): boolean {
	return /^\d{8}-\d{6}-[0-9a-f]{6}$/.test(text);
}
