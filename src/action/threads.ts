/** Where people read a result: one comment of a pull request, or one issue, each kept up to date. */
import { isRecord } from "../common/json.ts";
import type { Github } from "./github.ts";

export interface Comment {
	readonly body: string;
	/** The first line of ours. */
	readonly marker: string;
	/** The login of the token's owner: anyone can write a comment that begins like ours. */
	readonly author: string;
	/** Whether a comment is created if there is none. */
	readonly creates: boolean;
}

/** Updates our comment on the pull request, or creates it. */
export async function writeComment(github: Github, pullRequest: number, comment: Comment): Promise<void> {
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
export async function writeIssue(github: Github, issue: Issue): Promise<void> {
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
