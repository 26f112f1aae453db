/** The first step of the action, without a key: checks the inputs, and finds the reviewed plan with the token of GitHub. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Terminal } from "../cli/output/output.ts";
import { ConfigurationError, type ExitCode, exitCodes } from "../common/errors.ts";
import { readJson } from "../common/json.ts";
import { findReviewed } from "./reviewed.ts";
import { type Environment, readSettings, type Settings } from "./settings.ts";
import { annotate, githubOf, type Step, temporaryOf } from "./step.ts";
import { filesOf } from "./words.ts";

/** Checks the inputs and finds what the next steps need. Throws ConfigurationError before any request to the service. */
export async function prepare({ terminal, put }: Step): Promise<ExitCode> {
	const { environment } = terminal;
	const asked = readSettings(environment, readEvent(environment));
	const settings = { ...asked, base: findBase(asked, terminal) };
	const { command } = settings;
	const files = filesOf(temporaryOf(environment), settings);
	rmSync(files.folder, { recursive: true, force: true });
	for (const file of [files.journal, files.lastDrift, files.reviewed]) mkdirSync(dirname(file), { recursive: true });
	mkdirSync(files.result);
	if (settings.isFork) {
		annotate(
			terminal,
			"notice",
			"Validated only: reading the organization needs a key, and no secret goes to a fork. A maintainer can review the commits and push them to a branch of this repository.",
		);
	}
	if (command === "show") {
		const reviewed = await findReviewed(githubOf(environment), environment, settings.planWorkflow);
		put("plan-run", reviewed.run);
		put("pull-request", reviewed.pullRequest);
	}
	put("settings", JSON.stringify(settings));
	put("command", command);
	put("folder", files.folder);
	put("slug", settings.slug);
	put("artifact", `${settings.slug}-${command === "show" ? "plan" : command}`);
	put("saved-plan", command === "apply" && !settings.autoApprove);
	put("has-journal", command !== "validate" && command !== "show");
	return exitCodes.inSync;
}

/** Reads the event that GitHub wrote for this run. */
function readEvent({ GITHUB_EVENT_PATH: file = "" }: Environment): unknown {
	if (file === "") return null;
	const read = readJson(readFileSync(file, "utf8"));
	if ("value" in read) return read.value;
	throw new ConfigurationError(`GITHUB_EVENT_PATH: the file is ${read.mistake}`);
}

/** The base to compare with: for a pull request, the branch that it is merged into, if the checkout has that commit. */
function findBase({ command, base, pullRequest }: Settings, terminal: Terminal): string {
	if (base === "none") return "";
	if (base !== "" || command !== "plan" || pullRequest === null) return base;
	const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD", "HEAD^1"], {
		cwd: terminal.directory,
		encoding: "utf8",
	});
	// A merge of the branch is checked out; the branch itself has another parent.
	if (status === 0 && stdout.startsWith(`${terminal.environment.GITHUB_SHA}\n`)) return "HEAD^1";
	annotate(
		terminal,
		"warning",
		"The plan is not compared with a base: the checkout does not have the branch that it is merged into. Set fetch-depth: 2 for actions/checkout, or base: none.",
	);
	return "";
}
