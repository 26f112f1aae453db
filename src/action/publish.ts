/**
 * The third step of the action: writes the comment and the issue with the token of GitHub. It has no key of the service, and
 * takes what it writes from the step before.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ExitCode, exitCodes, OrgsyncError } from "../common/errors.ts";
import type { Github } from "./github.ts";
import { findMerged } from "./reviewed.ts";
import type { Environment, Settings } from "./settings.ts";
import { annotate, githubOf, type Step, settingsOf, temporaryOf } from "./step.ts";
import { writeComment, writeIssue } from "./threads.ts";
import { filesOf } from "./words.ts";

/** Writes the comment and the issue. What was applied is applied: a comment that fails is only a warning then. */
export async function publish({ terminal }: Step): Promise<ExitCode> {
	const { environment } = terminal;
	const settings = settingsOf(environment);
	const page = join(filesOf(temporaryOf(environment), settings).result, "comment.md");
	if (!existsSync(page)) return exitCodes.inSync;
	try {
		await write(readFileSync(page, "utf8"), settings, environment);
	} catch (error) {
		if (settings.command !== "apply" || !(error instanceof OrgsyncError)) throw error;
		annotate(terminal, "warning", `The comment was not written: ${error.message}. Hint: ${error.hint}`);
	}
	return exitCodes.inSync;
}

async function write(body: string, settings: Settings, environment: Environment): Promise<void> {
	const { RESULT_CHANGES: changes, RESULT_CODE: code, RESULT_ISSUE: order = "" } = environment;
	const github = githubOf(environment);
	const pullRequest = await pullRequestOf(settings, environment, github);
	const [marker = ""] = body.split("\n", 1);
	const author = settings.commentAuthor;
	if (pullRequest !== null) {
		const creates = settings.comment === "true" || changes === "true" || code !== "0";
		await writeComment(github, pullRequest, { body, marker, author, creates });
	}
	if (order === "") return;
	const title = "Drift: the organization is not in sync with its documents";
	await writeIssue(github, {
		...{ order, label: `${settings.slug}-drift`, title, body },
		...{ author, runUrl: settings.runUrl },
	});
}

/** The pull request to comment on: that of the event; after an apply, the one that brought the commit; or none. */
async function pullRequestOf(settings: Settings, environment: Environment, github: Github): Promise<number | null> {
	const { command, comment, pullRequest } = settings;
	if (comment === "false") return null;
	if (command === "plan") return pullRequest;
	if (command !== "apply" || environment.GITHUB_EVENT_NAME !== "push") return null;
	return (await findMerged(github, environment.GITHUB_SHA ?? "")) ?? null;
}
