/** Runs one step of the GitHub action as a process: `node main.js prepare|run|publish`, in the environment of the runner. */
import type { Terminal } from "../cli/output/output.ts";
import { sleep } from "../cli/output/sleep.ts";
import { Outlet, settleStreams } from "../cli/output/streams.ts";
import { exitCodes } from "../common/errors.ts";
import { framesOf, hideSecrets } from "../common/hide-secrets.ts";
import { annotate } from "./step.ts";
import { runStep } from "./steps.ts";

const stdout = new Outlet(process.stdout);
const stderr = new Outlet(process.stderr);

const terminal: Terminal = {
	stdin: process.stdin,
	stdout,
	stderr,
	environment: process.env,
	directory: process.cwd(),
	now: Date.now,
	steadyNow: () => performance.now(),
	sleep,
};

// A defect. Node would print its stack, with all secrets that are in its message.
process.on("uncaughtException", async ({ message, stack = "" }) => {
	annotate(terminal, "error", `unexpected error: ${hideSecrets(message)}. Hint: please report this`);
	stderr.write(`${hideSecrets(framesOf(stack))}\n`);
	process.exit(await settleStreams(exitCodes.error, stdout, stderr));
});

// Should the event loop run dry before the step has ended, that is a defect.
process.exitCode = exitCodes.error;
const code = await runStep(process.argv[2] ?? "", terminal);
process.exitCode = await settleStreams(code, stdout, stderr);
