/** Runs one step of the GitHub action as a process: `node main.js prepare|run|publish`, in the environment of the runner. */
import { Outlet, settleStreams } from "../cli/streams.ts";
import { exitCodes } from "../errors.ts";
import { runStep } from "./steps.ts";

const stdout = new Outlet(process.stdout);
const stderr = new Outlet(process.stderr);

// Should the event loop run dry before the step has ended, that is a defect.
process.exitCode = exitCodes.error;
const code = await runStep(process.argv[2] ?? "", {
	stdin: process.stdin,
	stdout,
	stderr,
	environment: process.env,
	directory: process.cwd(),
	now: Date.now,
	steadyNow: () => performance.now(),
	sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});
process.exitCode = await settleStreams(code, stdout, stderr);
