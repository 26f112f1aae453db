/** The third step of the action, without a key: writes comment and issue with GitHub's token, from what the step before found. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ExitCode, exitCodes, OrgsyncError } from "../common/errors.ts";
import { isRecord } from "../common/json.ts";
import type { Github } from "./github.ts";
import { findMerged } from "./reviewed.ts";
import type { Environment, Settings } from "./settings.ts";
import { annotate, githubOf, type Step, settingsOf, temporaryOf } from "./step.ts";
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
	if (pullRequest !== null) {
		const creates = settings.comment === "true" || changes === "true" || code !== "0";
		await writeComment(github, pullRequest, body, settings.commentAuthor, creates);
	}
	if (order !== "") await writeIssue(github, order, body, settings);
}

/** The pull request to comment on: that of the event; after an apply, the one that brought the commit; or none. */
async function pullRequestOf(settings: Settings, environment: Environment, github: Github): Promise<number | null> {
	const { command, comment, pullRequest } = settings;
	if (comment === "false") return null;
	if (command === "plan" || command === "test") return pullRequest;
	if (command !== "apply" || environment.GITHUB_EVENT_NAME !== "push") return null;
	return (await findMerged(github, environment.GITHUB_SHA ?? "")) ?? null;
}

/**
 * Updates our comment on the pull request; `creates`: whether one is created where there is none. Ours has the same first line, and
 * `author`, who owns the token, wrote it: anyone can write a comment that begins like ours.
 */
async function writeComment(
	github: Github,
	pullRequest: number,
	body: string,
	author: string,
	creates: boolean,
): Promise<void> {
	const path = `issues/${pullRequest}/comments`;
	const [marker = ""] = body.split("\n", 1);
	for await (const { id, user, body: text } of github.list(`${path}?per_page=100`)) {
		const isOurs = loginOf(user) === author && typeof text === "string" && text.startsWith(marker);
		if (typeof id !== "number" || !isOurs) continue;
		await github.write("PATCH", `issues/comments/${id}`, { body });
		return;
	}
	if (creates) await github.write("POST", path, { body });
}

function loginOf(user: unknown): unknown {
	return isRecord(user) ? user.login : undefined;
}

/** Opens, updates or closes the issue with this label that our token opened. */
async function writeIssue(github: Github, order: string, body: string, settings: Settings): Promise<void> {
	const label = `${settings.slug}-drift`;
	const number = await findIssue(github, label, settings.commentAuthor);
	if (number === undefined) {
		if (order !== "open") return;
		// Refused if it exists.
		await github.write("POST", "labels", { name: label, color: "d93f0b" }).catch(() => undefined);
		const title = "Drift: the organization is not in sync with its documents";
		await github.write("POST", "issues", { title, body, labels: [label] });
		return;
	}
	if (order !== "close") {
		await github.write("PATCH", `issues/${number}`, { body });
		return;
	}
	const said = `Everything is in sync with the documents again: ${settings.runUrl}`;
	await github.write("POST", `issues/${number}/comments`, { body: said });
	await github.write("PATCH", `issues/${number}`, { state: "closed", state_reason: "completed" });
}

async function findIssue(github: Github, label: string, author: string): Promise<number | undefined> {
	const query = new URLSearchParams({ labels: label, state: "open", per_page: "100" });
	for await (const { number, user, pull_request: request } of github.list(`issues?${query}`)) {
		if (typeof number === "number" && request === undefined && loginOf(user) === author) return number;
	}
	return undefined;
}
