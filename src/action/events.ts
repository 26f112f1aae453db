/**
 * Which runs may use the key of the service: those that only people with write access start, with a commit of the repository's own.
 * Any other event, now or in a later GitHub, can run with secrets for a stranger: a comment, or the run of a fork's pull request
 * (workflow_run). A workflow that another one calls has the event of its caller. Pure.
 */
import { ConfigurationError } from "../common/errors.ts";
import { showText } from "../common/escape.ts";

/** Events with a commit of a branch or tag of the repository, which only people with write access start. */
const ownEvents = ["push", "merge_group", "schedule", "workflow_dispatch"];

export interface Run {
	/** The name of the event; empty where there is none. */
	readonly event: string;
	/** `owner/name`. */
	readonly repository: string;
	/** `owner/name` of the repository with the branch of the pull request; empty when that was deleted, null without a pull request. */
	readonly from: string | null;
}

/**
 * Returns the command to run: the asked one, or `validate` in place of `plan` for the pull request of a fork. `validate` needs no key and
 * sends nothing, so it runs for every event. Throws ConfigurationError for any other command that this event must not run.
 */
export function permit<Command extends string>(asked: Command, { event, repository, from }: Run): Command | "validate" {
	if (asked === "validate" || ownEvents.includes(event)) return asked;
	if (event !== "pull_request") {
		const name = event === "" ? "a run without an event" : showText(event);
		throw new ConfigurationError(`${asked} does not run for ${name}, which can give secrets to unreviewed code`, {
			hint: `start the workflow with pull_request, ${ownEvents.join(", ")}; validate runs for every event`,
		});
	}
	if (from !== null && from !== "" && from === repository) return asked;
	if (asked === "plan") return "validate";
	throw new ConfigurationError(`${asked} does not run for the pull request of a fork`, {
		hint: "review its commits, and push them to a branch of this repository",
	});
}
