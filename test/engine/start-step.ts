/** Programs that make what is kept: they end when the process ends that makes it. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

const running = new Set<ChildProcess>();

process.on("exit", () => {
	// As Ctrl-C does: Go and pip then remove what is temporary.
	for (const child of running) child.kill("SIGINT");
});

export function startStep(program: string, words: readonly string[], options: SpawnOptions): ChildProcess {
	const child = spawn(program, words, options);
	running.add(child);
	child.once("exit", () => running.delete(child));
	return child;
}
