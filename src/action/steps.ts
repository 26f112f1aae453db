/** Runs one step of the action by its name, and turns its errors into annotations. */
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import type { Terminal } from "../cli/output/output.ts";
import { type ExitCode, OrgsyncError } from "../common/errors.ts";
import { annotate, type Step } from "./step.ts";

/** Each loads only what it needs. */
const steps = {
	prepare: async (step: Step) => (await import("./prepare.ts")).prepare(step),
	run: async (step: Step) => (await import("./command.ts")).runCommand(step),
	publish: async (step: Step) => (await import("./publish.ts")).publish(step),
} as const;

/** Returns the exit code of the step. Throws for a defect. */
export async function runStep(name: string, terminal: Terminal): Promise<ExitCode> {
	if (!isStep(name)) throw new Error(`no step of the action: ${name}`);
	const put: Step["put"] = (key, value) => putOutput(terminal, key, String(value));
	try {
		return await steps[name]({ terminal, put });
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		annotate(terminal, "error", error.hint === undefined ? error.message : `${error.message}. Hint: ${error.hint}`);
		return error.exitCode;
	}
}

function isStep(name: string): name is keyof typeof steps {
	return Object.hasOwn(steps, name);
}

/** Appends an output of the step. No value can end itself: the delimiter is random. */
function putOutput({ environment }: Terminal, key: string, value: string): void {
	const delimiter = randomUUID();
	appendFileSync(environment.GITHUB_OUTPUT ?? "", `${key}<<${delimiter}\n${value}\n${delimiter}\n`);
}
