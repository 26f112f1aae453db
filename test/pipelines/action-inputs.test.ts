/** The inputs of the action: what is refused before anything is sent, and what becomes of each on the command line. */
import { describe, expect, test } from "vitest";
import { readSettings } from "../../src/action/settings.ts";
import { filesOf, wordsOf } from "../../src/action/words.ts";
import { action } from "./workflow.ts";

const defaults = Object.entries(action.inputs).map(([name, one]): [string, string] => [
	variable(name),
	one.default ?? "",
]);

function variable(input: string): string {
	return `INPUT_${input.toUpperCase().replaceAll("-", "_")}`;
}

function settingsOf(inputs: Readonly<Record<string, string>>, event: object = {}, name = "push") {
	const given = Object.entries(inputs).map(([input, value]) => [variable(input), value]);
	const environment = {
		GITHUB_REPOSITORY: "acme/access",
		GITHUB_EVENT_NAME: name,
		GITHUB_SERVER_URL: "https://github.test",
	};
	return readSettings({ ...environment, ...Object.fromEntries([...defaults, ...given]) }, event);
}

const wordsFor = (inputs: Readonly<Record<string, string>>): readonly string[] => {
	const settings = settingsOf(inputs);
	return wordsOf(settings, filesOf("/tmp/runner", settings));
};

const fork = { pull_request: { number: 7, head: { repo: { full_name: "mallory/access" } } } };
const deleted = { pull_request: { number: 7, head: { repo: null } } };
const digest = `sha256:${"0".repeat(64)}`;

describe("the inputs of the action", () => {
	test.each([
		["an unknown command", { command: "destroy" }, /command is not validate, plan, show, apply, drift, test: destroy/],
		["a name with other characters", { command: "plan", name: "../x" }, /name is not/],
		["a share that is none", { command: "plan", shard: "1" }, /shard is not I\/N/],
		["an apply without a digest", { command: "apply" }, /apply needs the digest of the approved plan/],
		["a digest that is none", { command: "apply", digest: "latest" }, /digest is not/],
		["a digest with auto-approve", { command: "apply", digest, "auto-approve": "true" }, /exclude each other/],
		["a word that is neither true nor false", { command: "drift", issue: "yes" }, /issue is not true, false: yes/],
		["a workflow in another folder", { command: "show", "plan-workflow": "../a.yml" }, /plan-workflow is not/],
	])("refuse %s", (_, inputs: Readonly<Record<string, string>>, message) => {
		expect(() => settingsOf(inputs)).toThrow(message);
	});

	test("refuse pull_request_target, and everything but a validation for a fork or a deleted repository", () => {
		const apply = { command: "apply", digest };
		expect(() => settingsOf({ command: "plan" }, {}, "pull_request_target")).toThrow(/unreviewed code/);
		for (const event of [fork, deleted]) {
			expect(() => settingsOf(apply, event, "pull_request")).toThrow(/does not run for the pull request of a fork/);
			for (const command of ["plan", "test"]) {
				expect(settingsOf({ command }, event, "pull_request")).toMatchObject({ command: "validate", isFork: true });
			}
		}
	});

	const ownEvents = ["push", "merge_group", "schedule", "workflow_dispatch"];
	const otherEvents = [
		...[
			"issue_comment",
			"workflow_run",
			"pull_request_target",
			"pull_request_review",
			"pull_request_review_comment",
			"pull_request_comment",
		],
		...["issues", "label", "milestone", "discussion", "discussion_comment", "fork", "watch", "public"],
		...["repository_dispatch", "check_run", "check_suite", "status", "deployment", "deployment_status"],
		...["page_build", "gollum", "create", "delete", "release", "registry_package", "branch_protection_rule"],
		...["workflow_call", "", "Push", "push ", "toString", "an_event_to_come"],
	];
	const keyed = [
		{ command: "plan" },
		{ command: "show" },
		{ command: "apply", digest },
		{ command: "apply", "auto-approve": "true" },
		{ command: "drift" },
		{ command: "test" },
	] as const;
	const own = { pull_request: { number: 7, head: { repo: { full_name: "acme/access" } } } };

	test.each(keyed)("use the key only for commits of the repository: %j", (inputs) => {
		for (const event of ownEvents) {
			expect(settingsOf(inputs, {}, event)).toMatchObject({ command: inputs.command, isFork: false });
		}
		expect(settingsOf(inputs, own, "pull_request")).toMatchObject({ command: inputs.command, isFork: false });
		for (const event of otherEvents) {
			for (const payload of [{}, own, fork]) {
				expect(() => settingsOf(inputs, payload, event)).toThrow(
					new RegExp(`^${inputs.command} does not run for .*, which can give secrets to unreviewed code$`),
				);
			}
		}
	});

	test("run `validate` for every event, and in place of a plan where a pull request is not known to be of the repository", () => {
		for (const event of [...ownEvents, ...otherEvents, "pull_request"]) {
			expect(settingsOf({ command: "validate" }, fork, event)).toMatchObject({ command: "validate", isFork: false });
		}
		const unnamed = { pull_request: { number: 7, head: { repo: { full_name: "" } } } };
		for (const event of [{}, unnamed]) {
			expect(settingsOf({ command: "plan" }, event, "pull_request")).toMatchObject({
				command: "validate",
				isFork: true,
			});
		}
	});

	test("are values of flags and words of their own, so that none can be a command or another flag", () => {
		const hostile = "--allow=policies=9; touch pwned\n$(touch pwned)";
		const words = wordsFor({ command: "drift", file: hostile, only: hostile });
		expect(words.filter((word) => word.includes("touch"))).toEqual([
			"--file=--allow=policies=9; touch pwned",
			"--file=$(touch pwned)",
			"--only=--allow=policies=9; touch pwned",
			"--only=$(touch pwned)",
		]);
	});

	test("bind an apply to the approved plan, unless it is expressly without review", () => {
		const saved = wordsFor({ command: "apply", digest, allow: "policies=7" });
		expect(saved).toEqual(expect.arrayContaining([`--digest=${digest}`, "--max-age=30d", "--allow=policies=7"]));
		expect(saved).not.toContain("--yes");
		const unreviewed = wordsFor({ command: "apply", "auto-approve": "true", shard: "2/4", args: "--concurrency=8" });
		expect(unreviewed).toEqual(expect.arrayContaining(["--yes", "--shard=2/4", "--concurrency=8"]));
		expect(unreviewed.join(" ")).not.toContain("--plan");
	});

	test("keep several uses and shares apart by name", () => {
		expect(settingsOf({ command: "plan" })).toMatchObject({ slug: "orgsync", commentKey: "plan" });
		const other = settingsOf({ command: "plan", name: "staging", shard: "2/4" });
		expect(other).toMatchObject({ slug: "staging-2-of-4", commentKey: "staging-2-of-4-plan" });
	});
});
