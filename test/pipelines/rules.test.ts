/**
 * What the example pipelines promise about rights, as facts of their YAML: least privilege, no secret to forks, nothing
 * untrusted in a script, no two applies at once.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { componentInputs, jobsOf as componentJobs, included, template } from "./gitlab-component.ts";
import {
	action,
	actionName,
	examples,
	type Job,
	readExample,
	readWorkflow,
	type Workflow,
	workflowNames,
} from "./workflow.ts";

const workflows = workflowNames.map((name): [string, Workflow] => [name, readWorkflow(name)]);

const jobsOf = (workflow: Workflow): readonly [string, Job][] => Object.entries(workflow.jobs);

const holdsKey = (job: Job): boolean => JSON.stringify(job).includes("secrets.");

/** An action of GitHub, or that of this repository, by commit with its version. */
const pinned = /^uses: (?:actions\/[\w/-]+|orgsync\.invalid\/orgsync)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** The rows of the table below a heading of docs/pipelines.md. */
function rowsOf(heading: string): readonly string[] {
	const page = readFileSync(new URL("../../docs/pipelines.md", import.meta.url), "utf8");
	const section = page.split(`\n${heading}\n`)[1]?.split("\n#")[0] ?? "";
	return section.split("\n").filter((line) => line.startsWith("| `"));
}

const code = (value: string | number | undefined): string =>
	value === undefined || value === "" ? "" : `\`${value}\``;

/** Whether a rule of the job holds; a condition that this does not know is an error of the test. */
function isStarted(job: { rules?: readonly { if: string }[] }, variables: Readonly<Record<string, string>>): boolean {
	const read = (word: string): string | undefined =>
		word.startsWith("$") ? variables[word.slice(1)] : word.slice(1, -1);
	return (job.rules ?? []).some((rule) =>
		rule.if.split(" && ").every((term) => {
			const [, left = "", operator, right = ""] = /^(\$\w+) (==|!=) (\$\w+|"\w+")$/.exec(term) ?? [];
			if (operator === undefined) throw new Error(`no condition that this test knows: ${term}`);
			return (read(left) === read(right)) === (operator === "==");
		}),
	);
}

/** What the job may do at GitHub. */
const rightsOf = (workflow: Workflow, job: Job): Readonly<Record<string, string>> =>
	job.permissions ?? workflow.permissions;

/** The workflows that use the action, and those whose jobs run Pulumi in their own scripts. */
const usesAction = (workflow: Workflow): boolean =>
	jobsOf(workflow).some(([, { steps }]) => steps.some(({ uses = "" }) => uses.startsWith(actionName)));

describe.each(workflows)("%s", (name, workflow) => {
	test("gives every job explicit permissions, and write permission only for what it writes", () => {
		for (const [job, steps] of jobsOf(workflow)) {
			const rights = Object.entries(rightsOf(workflow, steps));
			const writes = rights.filter(([, right]) => right === "write").map(([what]) => what);
			if (holdsKey(steps) && !usesAction(workflow)) expect(rights, job).toEqual([["contents", "read"]]);
			const issue = name === "orgsync-drift" ? ["issues"] : [];
			expect(writes, job).toEqual(["comment", "plan", "apply"].includes(job) ? ["pull-requests"] : issue);
		}
	});

	test("runs no code of the repository in a job with write permissions", () => {
		for (const [, { permissions = {}, steps }] of jobsOf(workflow)) {
			if (!Object.values(permissions).includes("write")) continue;
			const names = steps.map(({ uses = "" }) => uses.split("@")[0]);
			if (usesAction(workflow)) expect(names).toEqual(["actions/checkout", actionName]);
			else expect(names).not.toContain("actions/checkout");
		}
	});

	test("puts no expression into a script: user input comes from the environment", () => {
		for (const [, { steps }] of jobsOf(workflow)) {
			for (const { run = "", env = {} } of steps) {
				expect(run).not.toContain("${{");
				for (const value of Object.values(env)) expect(value).not.toMatch(/event\.(?!pull_request\.number)/);
			}
		}
	});

	test("runs its scripts with pipefail, has timeouts, and pins every action by commit with its version", () => {
		const scripts = jobsOf(workflow).flatMap(([, { steps }]) => steps.filter(({ run }) => run !== undefined));
		if (scripts.length > 0) expect(workflow.defaults?.run.shell).toBe("bash");
		for (const [, job] of jobsOf(workflow)) expect(job["timeout-minutes"]).toBeLessThanOrEqual(30);
		const uses = readExample(`github/${name}.yml`).match(/uses: .*/g) ?? [];
		for (const use of uses) expect(use).toMatch(pinned);
	});

	test("leaves no token in the folder", () => {
		const text = readExample(`github/${name}.yml`);
		expect(text.match(/uses: actions\/checkout/g)?.length).toBe(text.match(/persist-credentials: false/g)?.length);
	});
});

describe("action.yml", () => {
	const { inputs, outputs, runs } = action;
	const text = readFileSync(new URL("../../action.yml", import.meta.url), "utf8");
	const scripts = runs.steps.filter(({ run, name }) => run !== undefined && name !== "Find the built program");
	const envOf = (name: string) => runs.steps.find((step) => step.name === name)?.env ?? {};

	test("has no step with both the key of the service and the token of GitHub", () => {
		const having = (what: string) => runs.steps.filter((step) => JSON.stringify(step).includes(`inputs.${what}`));
		expect(having("private-key").map(({ name }) => name)).toEqual(["Run orgsync"]);
		expect(having("github-token").map(({ name }) => name)).not.toContain("Run orgsync");
		expect(text).not.toContain("secrets.");
	});

	test("hands every input to the first step by the environment, but the key, the token and the days", () => {
		const handed = Object.values(envOf("Check the inputs")).flatMap(
			(value) => /inputs\.([\w-]+)/.exec(value)?.[1] ?? [],
		);
		const apart = ["private-key", "retention-days"];
		expect([...handed, ...apart].toSorted()).toEqual(Object.keys(inputs).toSorted());
		for (const { run, shell } of scripts) {
			expect(shell).toBe("bash");
			expect(run?.trim()).toMatch(/^exec node "\$GITHUB_ACTION_PATH\/dist\/action\/main\.js" (?:prepare|run|publish)$/);
		}
	});

	test("hands no key to a validation, which any event can start", () => {
		expect(envOf("Run orgsync").INPUT_PRIVATE_KEY).toBe(
			"${{ steps.prepare.outputs.command != 'validate' && inputs.private-key || '' }}",
		);
	});

	test("puts no expression into a script", () => {
		for (const { run = "" } of runs.steps) expect(run).not.toContain("${{");
	});

	test("pins every action that it uses by commit with its version", () => {
		for (const use of text.match(/uses: .*/g) ?? []) expect(use).toMatch(pinned);
	});

	test("is documented in docs/pipelines.md with each input, its default and each output", () => {
		expect(rowsOf("### Inputs")).toEqual(
			Object.entries(inputs).map(([name, one]) => `| \`${name}\` | ${code(one.default)} | ${one.description} |`),
		);
		expect(rowsOf("### Outputs")).toEqual(
			Object.entries(outputs).map(([name, { description }]) => `| \`${name}\` | ${description} |`),
		);
	});
});

describe("a pull request", () => {
	const { on, concurrency } = readWorkflow("orgsync-plan");

	test("starts the workflow by `pull_request` alone, which gives a fork no secret", () => {
		expect(Object.keys(on)).toEqual(["pull_request"]);
	});

	test("has one plan at a time, for the newest commit", () => {
		expect(concurrency).toEqual({
			group: "orgsync-plan-${{ github.event.pull_request.number }}",
			"cancel-in-progress": true,
		});
	});
});

describe("apply", () => {
	const workflow = readWorkflow("orgsync-apply");

	test("holds the key that may submit only in the environment `production`", () => {
		const holders = jobsOf(workflow).filter(([, job]) => JSON.stringify(job).includes("APPLY_KEY"));
		expect(holders.map(([name, { environment }]) => [name, environment])).toEqual([["apply", "production"]]);
		for (const [name, other] of workflows) {
			if (name !== "orgsync-apply" && name !== "orgsync-pulumi-up")
				expect(JSON.stringify(other)).not.toContain("APPLY_KEY");
		}
	});

	test("runs one at a time on main and is never cancelled", () => {
		expect(workflow.concurrency).toEqual({ group: "orgsync-apply", "cancel-in-progress": false });
		expect(workflow.on.push.branches).toEqual(["main"]);
	});

	test("runs for every file that the plan workflow runs for", () => {
		expect(readWorkflow("orgsync-plan").on.pull_request.paths).toEqual(expect.arrayContaining(workflow.on.push.paths));
	});
});

describe("the schedule that ends access", () => {
	const { on, jobs, concurrency } = readWorkflow("orgsync-expire");

	test("has a key of its own in an environment of its own, for main only", () => {
		expect(Object.keys(on)).toEqual(["schedule", "workflow_dispatch"]);
		expect(Object.keys(jobs)).toEqual(["expire"]);
		expect(jobs.expire).toMatchObject({ if: "${{ github.ref_name == 'main' }}", environment: "expiry" });
		const others = workflows.filter(([name]) => name !== "orgsync-expire");
		expect(JSON.stringify(others)).not.toContain("EXPIRE_KEY");
		expect(concurrency).toEqual({ group: "orgsync-expire", "cancel-in-progress": false });
	});

	test("changes nothing but user tags", () => {
		expect(jobs.expire?.steps.at(-1)?.with).toMatchObject({ command: "apply", only: "userTag" });
	});
});

describe("Pulumi", () => {
	const preview = readWorkflow("orgsync-pulumi-preview");
	const up = readWorkflow("orgsync-pulumi-up");

	test("previews by `pull_request` alone, and only a branch of the repository", () => {
		expect(Object.keys(preview.on)).toEqual(["pull_request"]);
		expect(preview.jobs.preview?.if).toBe("${{ github.event.pull_request.head.repo.full_name == github.repository }}");
		expect(
			jobsOf(preview)
				.filter(([, job]) => holdsKey(job))
				.map(([job]) => job),
		).toEqual(["preview"]);
	});

	test("submits only in the environment `production`, on main, one at a time", () => {
		expect(jobsOf(up).map(([job, { environment }]) => [job, environment])).toEqual([["up", "production"]]);
		expect(up.jobs.up?.if).toBe("${{ github.ref_name == 'main' }}");
		expect(up.concurrency).toEqual({ group: "orgsync-pulumi-up", "cancel-in-progress": false });
		expect(up.on.push.branches).toEqual(["main"]);
		expect(preview.on.pull_request.paths).toEqual(expect.arrayContaining(up.on.push.paths));
	});

	test("uses the same versions and installs the same way in both workflows", () => {
		const installOf = (job: Job | undefined) => job?.steps.find(({ name }) => name?.startsWith("Install"));
		expect(installOf(preview.jobs.preview)).toEqual(installOf(up.jobs.up));
		expect(preview.env).toEqual(up.env);
	});
});

test("a failed shard of the fleet does not cancel the others", () => {
	expect(readWorkflow("orgsync-fleet").jobs.drift?.strategy?.["fail-fast"]).toBe(false);
});

describe("GitLab", () => {
	const pipeline = componentJobs(included.inputs);
	const job = (name: string) => pipeline[`orgsync-${name}`];

	test("does not plan for a fork when a member starts its pipeline", () => {
		const condition = "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID";
		for (const name of ["plan", "note"]) expect(job(name).rules[0].if).toContain(condition);
		expect(job("validate").environment).toBeUndefined();
	});

	test("runs a job with a key or a token only for commits of the project, and for no source that is not named", () => {
		const sources = [
			...["api", "chat", "external", "external_pull_request_event", "merge_request_event", "ondemand_dast_scan"],
			...[
				"parent_pipeline",
				"pipeline",
				"push",
				"schedule",
				"security_orchestration_policy",
				"trigger",
				"web",
				"webide",
			],
		];
		const own = { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "1", CI_MERGE_REQUEST_PROJECT_ID: "1" };
		const ofFork = { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2", CI_MERGE_REQUEST_PROJECT_ID: "1" };
		const onMain = { CI_COMMIT_BRANCH: "main" };
		const expiry = { ...onMain, ORGSYNC_EXPIRE: "true" };
		const runs = Object.entries({ own, ofFork, onMain, expiry, onBranch: { CI_COMMIT_BRANCH: "change" } }).flatMap(
			([where, variables]) =>
				// A pipeline of a merge request always has both projects.
				sources
					.filter((source) => source !== "merge_request_event" || "CI_MERGE_REQUEST_PROJECT_ID" in variables)
					.map((source): [string, readonly string[]] => {
						const all = { CI_DEFAULT_BRANCH: "main", ...variables, CI_PIPELINE_SOURCE: source };
						return [`${source} ${where}`, Object.keys(pipeline).filter((name) => isStarted(pipeline[name], all))];
					}),
		);
		const names = (...jobs: readonly string[]) => jobs.map((name) => `orgsync-${name}`);
		expect(Object.fromEntries(runs.filter(([, jobs]) => jobs.length > 0))).toEqual({
			"merge_request_event own": names("validate", "plan", "note"),
			"merge_request_event ofFork": names("validate"),
			"push onMain": names("reviewed", "apply"),
			"push expiry": names("reviewed", "apply"),
			"web onMain": names("planned", "apply"),
			"web expiry": names("planned", "apply"),
			"schedule expiry": names("expire"),
			...Object.fromEntries(["own", "ofFork", "onMain", "onBranch"].map((at) => [`schedule ${at}`, names("drift")])),
		});
	});

	test("keeps each key and token in its own environment, and applies one at a time", () => {
		const names = ["plan", "note", "reviewed", "planned", "apply", "expire", "drift"];
		expect(names.map((name) => job(name).environment.name.replace("orgsync/", ""))).toEqual([
			"plan",
			"note",
			"reviewed",
			"plan",
			"production",
			"expiry",
			"plan",
		]);
		for (const name of ["apply", "expire"]) {
			expect(job(name).resource_group).toBe("orgsync");
			expect(job(name).interruptible ?? false).toBe(false);
		}
	});

	test("has the write token in the job `note` alone, and the artifact token in `reviewed` on the default branch", () => {
		const tokensOf = (name: string): readonly string[] =>
			[JSON.stringify(job(name)), JSON.stringify(pipeline[job(name).extends])].flatMap(
				(text) => text.match(/GITLAB_\w+_TOKEN/g) ?? [],
			);
		const names = ["validate", "plan", "note", "reviewed", "planned", "apply", "expire", "drift"];
		expect(Object.fromEntries(names.map((name) => [name, tokensOf(name)]))).toEqual({
			validate: [],
			plan: [],
			note: ["GITLAB_API_TOKEN"],
			reviewed: ["GITLAB_READ_TOKEN"],
			planned: [],
			apply: [],
			expire: [],
			drift: [],
		});
		for (const rule of job("reviewed").rules) expect(rule.if).toContain("$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH");
		expect(job("plan").artifacts.access).toBe("developer");
	});

	test("applies an unreviewed plan only after a manual start, and each plan only with its digest", () => {
		const byHand = '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE == "web"';
		expect(job("planned").rules).toEqual([{ if: byHand }]);
		expect(job("apply").rules).toContainEqual({ if: byHand, when: "manual" });
		expect(job("apply").script.at(-1)).toContain('--digest "${ORGSYNC_DIGEST:?}"');
	});

	test("treats pending approval alone as a warning", () => {
		for (const name of ["apply", "expire", "drift"]) expect(job(name).allow_failure).toEqual({ exit_codes: 8 });
	});

	test("ends access on the default branch, on a schedule of its own, and changes nothing but user tags", () => {
		const isOwn = '$ORGSYNC_EXPIRE == "true"';
		const branch = "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH";
		expect(job("expire").rules).toEqual([{ if: `$CI_PIPELINE_SOURCE == "schedule" && ${branch} && ${isOwn}` }]);
		expect(job("drift").rules).toEqual([{ if: '$CI_PIPELINE_SOURCE == "schedule" && $ORGSYNC_EXPIRE != "true"' }]);
		expect(job("expire").script.at(-1)).toContain("--only userTag --yes");
	});

	test("puts no input into a script: a script reads it from a variable", () => {
		const scripts = template.split(/^---$/m)[1]?.match(/^ {2}(?:before_)?script:\n(?: {4}.*\n?|\n)*/gm) ?? [];
		expect(scripts.length).toBeGreaterThan(8);
		for (const script of scripts) expect(script).not.toContain("$[[");
	});

	test("is documented in docs/pipelines.md with each input and its default", () => {
		expect(rowsOf("### Inputs of the component")).toEqual(
			Object.entries(componentInputs).map(
				([name, one]) => `| \`${name}\` | ${code(one.default)} | ${one.description} |`,
			),
		);
	});

	test("is in files that are named by a commit and a checksum", () => {
		expect(included.component).toMatch(/^gitlab\.orgsync\.invalid\/.*@[0-9a-f]{40}$/);
		expect(Object.keys(included.inputs)).toEqual(expect.arrayContaining(["package", "sha256"]));
	});
});

test("the schedule that ends access in a fleet runs the Job that applies, for user tags alone", () => {
	const applying = parse(readExample("kubernetes/fleet-apply.yaml").replace("-f /documents", "$& --only userTag"));
	const { schedule, jobTemplate } = parse(readExample("kubernetes/fleet-expire.yaml")).spec;
	expect(schedule).toBe("41 * * * *");
	expect(jobTemplate.spec).toEqual(applying.spec);
});

describe.each(["fleet-apply", "fleet-drift"])("kubernetes/%s.yaml", (name) => {
	const manifest = parse(readExample(`kubernetes/${name}.yaml`));
	const job = name === "fleet-apply" ? manifest.spec : manifest.spec.jobTemplate.spec;
	const { containers, securityContext, automountServiceAccountToken, volumes } = job.template.spec;

	test("has the same number of shards in both places", () => {
		expect(containers[0].env).toContainEqual({ name: "SHARDS", value: String(job.completions) });
		expect(job.completionMode).toBe("Indexed");
		expect(job.maxFailedIndexes).toBe(job.completions);
	});

	test("runs as an unprivileged user and writes only to its own folder", () => {
		expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
		expect(automountServiceAccountToken).toBe(false);
		expect(containers[0].securityContext).toEqual({
			allowPrivilegeEscalation: false,
			readOnlyRootFilesystem: true,
			capabilities: { drop: ["ALL"] },
		});
		const writable = containers[0].volumeMounts.filter((mount: { readOnly?: boolean }) => mount.readOnly !== true);
		expect(writable).toEqual([{ name: "work", mountPath: containers[0].workingDir }]);
	});

	test("has the key in a file that only its user can read, and not in the environment", () => {
		const key = volumes.find((volume: { name: string }) => volume.name === "key");
		expect(key.secret.defaultMode).toBe(0o400);
		expect(JSON.stringify(containers[0].env)).not.toMatch(/KEY/);
	});

	test("retries only exit codes that a retry can fix", () => {
		const [all, index] = job.podFailurePolicy.rules;
		expect([all.action, all.onExitCodes.values]).toEqual(["FailJob", [3]]);
		expect([index.action, index.onExitCodes.values]).toEqual([
			"FailIndex",
			name === "fleet-apply" ? [4, 5, 9] : [2, 4, 9],
		]);
	});
});

describe("README.md", () => {
	const readme = readExample("README.md");

	test("links only to existing files", () => {
		const links = [...readme.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path);
		expect(links.length).toBeGreaterThan(8);
		for (const link of links) expect(existsSync(join(examples, link)), link).toBe(true);
	});

	test("documents the role, scope and environment of each GitLab token, and that the read token is protected", () => {
		const rowOf = (name: string) => readme.split("\n").find((line) => line.startsWith(`| \`${name}\``));
		expect(rowOf("GITLAB_API_TOKEN")).toMatch(/role Reporter, scope `api` \| `orgsync\/note` \|/);
		expect(rowOf("GITLAB_READ_TOKEN")).toMatch(
			/role Developer, scope `read_api` \| `orgsync\/reviewed` \| protected\./,
		);
	});

	test("does not rely on rules in a GitLab file, and names the setting that stops pipelines of forks", () => {
		expect(readme).toContain("A rule in the file cannot protect a variable.");
		expect(readme).toContain("`ci_allow_fork_pipelines_to_run_in_parent_project=false`");
		expect(readme).not.toMatch(/run no code of the branch|validated and\s+not planned/);
	});

	test("names every secret and variable that the pipelines use", () => {
		const files = workflowNames.map((name) => readExample(`github/${name}.yml`));
		const used = [...files, template].flatMap((text) => text.match(/(?<=secrets\.|vars\.)\w+|GITLAB_\w+_TOKEN/g) ?? []);
		for (const name of new Set(used)) expect(readme).toContain(`\`${name}\``);
	});
});
