/** What a command of the engine printed, and how it ended. */
export interface Answer {
	/** Null when a signal ended it. */
	readonly exitCode: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Standard output of a command that has to succeed. */
export function expectSuccess({ exitCode, stdout, stderr }: Answer): string {
	if (exitCode !== 0) throw new Error(`exit code ${exitCode}\n${stdout}\n${stderr}`);
	return stdout;
}

/** Both streams of an answer, for a look at what a person sees. */
export function shown({ stdout, stderr }: Answer): string {
	return stdout + stderr;
}
