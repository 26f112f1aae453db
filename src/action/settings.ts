/** What a run of the action is to do, checked before anything else happens. The settings hold no key and no token. */
import { ConfigurationError } from "../common/errors.ts";
import { showText } from "../common/escape.ts";
import { isRecord } from "../common/json.ts";

const commands = ["validate", "plan", "show", "apply", "drift", "test"] as const;

export type ActionCommand = (typeof commands)[number];

export type Settings = ReturnType<typeof readSettings>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the settings. Throws ConfigurationError for an input that is wrong, missing or unsafe in this event. */
export function readSettings(environment: Environment, event: unknown) {
	const input = (name: string): string => (environment[`INPUT_${name}`] ?? "").trim();
	const asked = oneOf("command", input("COMMAND"), commands);
	const request = readPullRequest(event);
	const { GITHUB_EVENT_NAME: eventName = "", GITHUB_REPOSITORY: repository = "" } = environment;
	const command = permit(asked, eventName, repository, request?.from ?? null);
	const shard = matching("shard", input("SHARD"), /^(?:\d{1,6}\/\d{1,6})?$/, "I/N, for example 2/8");
	const name = matching(
		"name",
		input("NAME"),
		/^[a-z\d](?:[a-z\d-]{0,38}[a-z\d])?$/,
		"lower-case letters, digits and -",
	);
	const slug = shard === "" ? name : `${name}-${shard.replace("/", "-of-")}`;
	const settings = {
		/** `validate` for the pull request of a fork, where the input is `plan` or `test`. */
		command,
		/** Whether the input was replaced by `validate`. */
		isFork: command !== asked,
		/** Distinguishes artifacts, comments, caches and issues of several uses in one repository. */
		slug,
		/** Identifies the comment of this command. */
		commentKey: slug === "orgsync" ? commentName(command) : `${slug}-${commentName(command)}`,
		file: linesOf(input("FILE")),
		url: input("URL"),
		only: linesOf(input("ONLY")),
		shard,
		base: input("BASE"),
		allow: linesOf(input("ALLOW")),
		digest: matching(
			"digest",
			input("DIGEST"),
			/^(?:(?:sha256:)?[\da-f]{64})?$/i,
			"the digest that plan and show put out",
		),
		maxAge: matching("max-age", input("MAX_AGE"), /^\d+[a-z]?$/, "a duration, for example 30d"),
		autoApprove: isTrue("auto-approve", input("AUTO_APPROVE")),
		args: linesOf(input("ARGS")),
		/** When a comment is written: always, never, or only if there is something to say. */
		comment: oneOf("comment", input("COMMENT"), ["true", "false", "changes"]),
		commentAuthor: input("COMMENT_AUTHOR"),
		issue: isTrue("issue", input("ISSUE")),
		planWorkflow: matching("plan-workflow", input("PLAN_WORKFLOW"), /^[\w.-]+\.ya?ml$/, "the name of a workflow file"),
		/** The pull request of the event; null if the event has none. */
		pullRequest: request?.number ?? null,
		/** Where people find the whole output. */
		runUrl: `${environment.GITHUB_SERVER_URL}/${environment.GITHUB_REPOSITORY}/actions/runs/${environment.GITHUB_RUN_ID}`,
	};
	refuseUnreviewed(command, settings.digest, settings.autoApprove);
	return settings;
}

/** `show` shows a plan that `plan` made, so its comment is that of the plan. */
function commentName(command: ActionCommand): string {
	return command === "show" ? "plan" : command;
}

/** An `apply` is either bound to one reviewed plan or expressly without review. */
function refuseUnreviewed(command: ActionCommand, digest: string, autoApprove: boolean): void {
	if (command !== "apply" || (digest === "") === autoApprove) return;
	throw new ConfigurationError(
		autoApprove ? "auto-approve and digest exclude each other" : "apply needs the digest of the approved plan",
		{ hint: "pass the output plan-digest of the job that showed the plan as `digest`; or set `auto-approve: true`" },
	);
}

function oneOf<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
	const found = words.find((word) => word === value);
	if (found !== undefined) return found;
	throw new ConfigurationError(`${name} is not ${words.join(", ")}: ${showText(value) || "(empty)"}`);
}

function isTrue(name: string, value: string): boolean {
	return oneOf(name, value, ["true", "false"]) === "true";
}

function matching(name: string, value: string, pattern: RegExp, wanted: string): string {
	if (pattern.test(value)) return value;
	throw new ConfigurationError(`${name} is not ${wanted}: ${showText(value) || "(empty)"}`);
}

/** Returns the lines that have text. A line is one word of the command, whatever is in it: no shell reads it. */
function linesOf(text: string): readonly string[] {
	return text
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
}

/** Returns the number of the pull request, and the repository that has its branch: `owner/name`, empty when that was deleted. */
function readPullRequest(event: unknown) {
	if (!isRecord(event) || !isRecord(event.pull_request)) return null;
	const { number, head } = event.pull_request;
	const repository = isRecord(head) && isRecord(head.repo) ? head.repo.full_name : "";
	if (typeof number !== "number")
		throw new ConfigurationError("the event of the run has no number of its pull request");
	return { number, from: typeof repository === "string" ? repository : "" };
}

/** Events with a commit of a branch or tag of the repository, which only people with write access start. */
const ownEvents = ["push", "merge_group", "schedule", "workflow_dispatch"];

/**
 * Returns the command: for the pull request of a fork, `plan` and `test` become `validate`, which needs no key. Throws for others.
 * `from` is the repository with the branch of the pull request; empty when that was deleted, null without a pull request.
 */
function permit<Command extends string>(
	asked: Command,
	event: string,
	repository: string,
	from: string | null,
): Command | "validate" {
	if (asked === "validate" || ownEvents.includes(event)) return asked;
	if (event !== "pull_request") {
		const name = event === "" ? "a run without an event" : showText(event);
		throw new ConfigurationError(`${asked} does not run for ${name}, which can give secrets to unreviewed code`, {
			hint: `start the workflow with pull_request, ${ownEvents.join(", ")}; validate runs for every event`,
		});
	}
	if (from !== null && from !== "" && from === repository) return asked;
	if (asked === "plan" || asked === "test") return "validate";
	throw new ConfigurationError(`${asked} does not run for the pull request of a fork`, {
		hint: "review its commits, and push them to a branch of this repository",
	});
}
