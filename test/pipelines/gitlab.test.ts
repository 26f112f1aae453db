/**
 * The GitLab component, its scripts run as they are written: a note in the merge request that is kept up to date, the
 * reviewed plan applied on the default branch, drift on a schedule. `curl` is a recorder.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { commandFile } from "../../scripts/manifest.ts";
import { bobJoins, bobNever, twoSign } from "../access-cases.ts";
import { type Answer, makeFolder, runProgram } from "../run.ts";
import { agreeing, alice, bob, carol, document, keys, policies, tags } from "../world.ts";
import { included, jobsOf } from "./gitlab-component.ts";
import { makeRepository, type Repository, replacePlan } from "./repository.ts";
import { makeRecorders, type Recorders } from "./workflow.ts";

interface GitlabJob {
	readonly extends?: string;
	readonly before_script?: readonly string[];
	readonly script: readonly string[];
	readonly variables?: Readonly<Record<string, string>>;
	readonly environment?: { readonly name: string };
	readonly allow_failure?: { readonly exit_codes: number };
	readonly artifacts?: { readonly paths: readonly string[]; readonly reports?: { readonly dotenv: string } };
}

const start = document(agreeing.userTags);
const change = document(agreeing.userTags, `absent: { policies: [${policies[0]}] }`);
const api = "https://gitlab.test/api/v4";
const notes = `${api}/projects/5/merge_requests/3/notes`;
const me = 41;

interface Project {
	readonly recorders: Recorders;
	/** Runs a job as a runner does; `artifacts` is the folder from which it takes, and in which it leaves them. */
	run(name: string, artifacts: string, more?: Readonly<Record<string, string>>): Promise<Answer & { passed: boolean }>;
}

function makeProject({ url, checkout }: Repository): Project {
	const recorders = makeRecorders("curl");
	const { file, sha256 } = packProgram();
	const pipeline = jobsOf({ ...included.inputs, package: file, sha256 });
	// A variable of an environment is there only for its jobs.
	const scoped: Readonly<Record<string, Readonly<Record<string, string>>>> = {
		"orgsync/plan": { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey },
		"orgsync/note": { GITLAB_API_TOKEN: "token-of-the-project" },
		"orgsync/reviewed": { GITLAB_READ_TOKEN: "token-that-reads" },
		"orgsync/expiry": { ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey },
		"orgsync/production": { ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey },
	};
	return {
		recorders,
		run: async (short, artifacts, more = {}) => {
			const own: GitlabJob = pipeline[`orgsync-${short}`];
			const base: GitlabJob = pipeline[own.extends ?? ""];
			const job = { ...base, ...own };
			const dotenv = join(artifacts, "digest.env");
			const passed = existsSync(dotenv) ? readFileSync(dotenv, "utf8").trim().split("\n") : [];
			const variables: Record<string, string> = {
				...base.variables,
				...own.variables,
				...Object.fromEntries(passed.map((line) => line.split(/=(.*)/s).slice(0, 2))),
			};
			const folder = makeFolder();
			if (variables.GIT_STRATEGY !== "none") cpSync(checkout, folder, { recursive: true });
			cpSync(artifacts, folder, { recursive: true });
			const script = join(makeFolder(), "script.sh");
			writeFileSync(script, [...(job.before_script ?? []), ...job.script].join("\n"));
			const answer = await runProgram(["bash", "-eo", "pipefail", script], {
				cwd: folder,
				env: {
					...variables,
					...scoped[job.environment?.name ?? ""],
					PATH: recorders.path,
					RECORDER: recorders.folder,
					// What a job leaves there is gone with its container.
					TMPDIR: makeFolder(),
					CI: "true",
					CI_API_V4_URL: api,
					CI_PROJECT_ID: "5",
					CI_COMMIT_BRANCH: "main",
					CI_JOB_URL: "https://gitlab.test/acme/access/-/jobs/1",
					ORGSYNC_URL: url,
					...more,
				},
			});
			const reports = Object.values(job.artifacts?.reports ?? {});
			for (const path of [...(job.artifacts?.paths ?? []), ...reports]) {
				if (!existsSync(join(folder, path))) continue;
				mkdirSync(dirname(join(artifacts, path)), { recursive: true });
				cpSync(join(folder, path), join(artifacts, path), { recursive: true });
			}
			return { ...answer, passed: answer.code === 0 || answer.code === job.allow_failure?.exit_codes };
		},
	};
}

/** An archive as `npm pack` makes it, whose program is the bundle of the clone. */
function packProgram(): { readonly file: string; readonly sha256: string } {
	const folder = makeFolder();
	const bin = join(folder, "package/dist/bin");
	mkdirSync(bin, { recursive: true });
	writeFileSync(join(bin, "orgsync.js"), `import ${JSON.stringify(pathToFileURL(commandFile).href)};\n`);
	const file = join(folder, "orgsync.tgz");
	execFileSync("tar", ["-czf", file, "-C", folder, "package"]);
	return { file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
}

test("the first plan creates a note, the next one updates it, and after the merge that plan is applied", async () => {
	const repository = await makeRepository(start);
	const commit = repository.propose(`${change}limits: { policies: 0 }\n`);
	const { recorders, run } = makeProject(repository);
	const artifacts = makeFolder();
	const planned = await run("plan", artifacts, { CI_MERGE_REQUEST_DIFF_BASE_SHA: "HEAD^1" });
	expect(planned.code, planned.stderr).toBe(0);
	for (const name of ["plan.json", "plan.html"]) expect(existsSync(join(artifacts, "plan", name))).toBe(true);

	const strangers = { id: 8, author: { id: 66 }, body: "<!-- orgsync: orgsync-plan -->\nI planned this." };
	const listing = { when: /notes\?sort=asc&per_page=100$/, stdout: [strangers] };
	const whoAmI = { when: /\/user$/, stdout: { id: me } };
	const anything = { when: /--request (?:POST|PUT)/ };
	const iid = { CI_MERGE_REQUEST_IID: "3" };
	recorders.prepare(whoAmI, listing, anything);
	const first = await run("note", artifacts, iid);
	expect(first.code, first.stderr).toBe(0);
	const calls = recorders.calls("curl");
	const posted = calls.at(-1);
	expect(posted?.words).toEqual(expect.arrayContaining(["--request", "POST", notes]));
	expect(posted?.bodies[0]).toMatch(/^<!-- orgsync: orgsync-plan -->\n[\s\S]*policy 1/);
	for (const { words, stdin } of calls) {
		expect(words.join(" ")).not.toContain("token-of-the-project");
		expect(stdin).toBe('header = "Authorization: Bearer token-of-the-project"\n');
	}

	const ours = { id: 9, author: { id: me }, body: posted?.bodies[0] };
	recorders.prepare(whoAmI, { ...listing, stdout: [strangers, ours] }, anything);
	await run("note", artifacts, iid);
	expect(recorders.calls("curl").at(-1)?.words).toEqual(expect.arrayContaining(["--request", "PUT", `${notes}/9`]));
	expect(repository.submits()).toEqual([]);

	const request = {
		iid: 3,
		state: "merged",
		target_branch: "main",
		source_project_id: 5,
		target_project_id: 5,
		merge_commit_sha: commit,
	};
	const prepare = (one: object): void =>
		recorders.prepare(
			{ when: new RegExp(`commits/${commit}/merge_requests$`), stdout: [one] },
			{
				when: /merge_requests\/3$/,
				stdout: { head_pipeline: { id: 70, status: "success" } },
			},
			{
				when: /pipelines\/70\/jobs/,
				stdout: [
					{ id: 801, name: "orgsync-note" },
					{ id: 800, name: "orgsync-plan" },
				],
			},
			{ when: /jobs\/800\/artifacts\/plan\/plan\.json$/, copy: join(artifacts, "plan/plan.json") },
		);
	const on = { CI_COMMIT_SHA: commit };

	prepare({ ...request, source_project_id: 6 });
	const forked = await run("reviewed", makeFolder(), on);
	expect(forked).toMatchObject({ passed: false, stderr: expect.stringContaining("only a reviewed plan is applied") });

	prepare(request);
	const reviewedThere = makeFolder();
	const reviewed = await run("reviewed", reviewedThere, on);
	expect(reviewed.code, reviewed.stderr).toBe(0);
	expect(readFileSync(join(reviewedThere, "reviewed.json"))).toEqual(readFileSync(join(artifacts, "plan/plan.json")));
	const reading = recorders.calls("curl");
	expect(reading.at(-1)?.words.at(-1)).toBe(`${api}/projects/5/jobs/800/artifacts/plan/plan.json`);
	for (const { words, stdin } of reading) {
		expect(words).not.toContain("--request");
		expect(stdin).toBe('header = "Authorization: Bearer token-that-reads"\n');
	}

	const file = join(reviewedThere, "reviewed.json");
	const approved = readFileSync(file, "utf8");
	replacePlan(file, () => ({ readAt: new Date(Date.now()).toISOString() }));
	const replaced = await run("apply", reviewedThere, on);
	expect(replaced).toMatchObject({ code: 3, stderr: expect.stringContaining("is not the plan of --digest") });
	writeFileSync(file, approved);

	await repository.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	const applied = await run("apply", reviewedThere, { ...on, ORGSYNC_ALLOW: "policies=1" });
	expect(applied, applied.stderr).toMatchObject({ code: 8, passed: true });
	expect(repository.submits()).toEqual(["delete_policies"]);
});

test("a plan after which an access case no longer holds is red, with a JUnit report of each case", async () => {
	const repository = await makeRepository(document(), { "organization/signing.access.yaml": bobNever });
	await repository.change(twoSign);
	repository.propose(document(bobJoins));
	const artifacts = makeFolder();
	const planned = await makeProject(repository).run("plan", artifacts, { CI_MERGE_REQUEST_DIFF_BASE_SHA: "HEAD^1" });
	expect(planned.code, planned.stderr).toBe(10);
	const read = (name: string): string => readFileSync(join(artifacts, "plan", name), "utf8");
	expect(read("note.md")).toContain("Access cases that do not hold after this plan");
	expect(read("cases.xml")).toMatch(/<testcase [^>]*name="bob has no part"[\s\S]*<failure/);
});

test("an archive with another checksum is not run", async () => {
	const repository = await makeRepository(start);
	const { run } = makeProject(repository);
	const { code, stderr, stdout } = await run("validate", makeFolder(), { ORGSYNC_SHA256: "0".repeat(64) });
	expect(code).toBe(1);
	expect(stdout).toMatch(/^\S+: FAILED\n$/);
	expect(stderr).toContain("did NOT match");
});

test("scheduled drift is red with exit code 2 and keeps its report for the next run", async () => {
	const repository = await makeRepository(start);
	const { run } = makeProject(repository);
	const kept = makeFolder();
	expect(await run("drift", kept)).toMatchObject({ code: 0, passed: true });
	await repository.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [alice, bob] }] });
	expect(await run("drift", kept)).toMatchObject({ code: 2, passed: false });
	expect(JSON.parse(readFileSync(join(kept, "drift/last.json"), "utf8"))).toMatchObject({
		command: "drift",
		exitCode: 2,
	});
});

test("the schedule that ends access removes a member whose access has ended, and changes nothing but user tags", async () => {
	const members = "{ exactly: [bob, { user: carol, until: 2026-01-01T00:00:00Z }] }";
	const tag = `userTags: [{ name: oncall, members: ${members} }]`;
	const repository = await makeRepository(document(tag, `absent: { policies: [${policies[0]}] }`));
	const { run } = makeProject(repository);
	await repository.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [bob, carol] }] });
	const ended = await run("expire", makeFolder());
	expect(ended, ended.stderr).toMatchObject({ code: 0, passed: true });
	expect(repository.submits()).toEqual(["update_user_tag"]);
});
