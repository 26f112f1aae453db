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
	if (command === "plan" || command === "test") return pullRequest;
	if (command !== "apply" || environment.GITHUB_EVENT_NAME !== "push") return null;
	return (await findMerged(github, environment.GITHUB_SHA ?? "")) ?? null;
}

interface Comment {
	readonly body: string;
	/** The first line of ours. */
	readonly marker: string;
	/** The login of the token's owner: anyone can write a comment that begins like ours. */
	readonly author: string;
	/** Whether a comment is created if there is none. */
	readonly creates: boolean;
}

/** Updates our comment on the pull request, or creates it. */
async function writeComment(github: Github, pullRequest: number, comment: Comment): Promise<void> {
	const path = `issues/${pullRequest}/comments`;
	for await (const one of github.list(`${path}?per_page=100`)) {
		if (!isOurs(one, comment)) continue;
		await github.write("PATCH", `issues/comments/${one.id}`, { body: comment.body });
		return;
	}
	if (comment.creates) await github.write("POST", path, { body: comment.body });
}

function isOurs({ id, user, body }: Record<string, unknown>, { author, marker }: Comment): boolean {
	return typeof id === "number" && loginOf(user) === author && typeof body === "string" && body.startsWith(marker);
}

function loginOf(user: unknown): unknown {
	return isRecord(user) ? user.login : undefined;
}

interface Issue {
	readonly order: string;
	readonly label: string;
	readonly title: string;
	readonly body: string;
	readonly author: string;
	readonly runUrl: string;
}

/** Opens, updates or closes the issue with this label that our token opened. */
async function writeIssue(github: Github, issue: Issue): Promise<void> {
	const number = await findIssue(github, issue);
	if (number === undefined) {
		if (issue.order !== "open") return;
		// Refused if it exists.
		await github.write("POST", "labels", { name: issue.label, color: "d93f0b" }).catch(() => undefined);
		await github.write("POST", "issues", { title: issue.title, body: issue.body, labels: [issue.label] });
		return;
	}
	if (issue.order !== "close") {
		await github.write("PATCH", `issues/${number}`, { body: issue.body });
		return;
	}
	const said = `Everything is in sync with the documents again: ${issue.runUrl}`;
	await github.write("POST", `issues/${number}/comments`, { body: said });
	await github.write("PATCH", `issues/${number}`, { state: "closed", state_reason: "completed" });
}

async function findIssue(github: Github, { label, author }: Issue): Promise<number | undefined> {
	const query = new URLSearchParams({ labels: label, state: "open", per_page: "100" });
	for await (const { number, user, pull_request: request } of github.list(`issues?${query}`)) {
		if (typeof number === "number" && request === undefined && loginOf(user) === author) return number;
	}
	return undefined;
}
