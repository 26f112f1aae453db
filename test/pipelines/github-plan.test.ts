/**
 * The story of a pull request, run from the workflow and the action as they are written: a plan in a comment that is kept up to
 * date, a saved plan, and no secret for a fork.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { packAction } from "../../scripts/pack-action.ts";
import { bobJoins, bobNever, twoSign } from "../access-cases.ts";
import { makeFolder, runProgram } from "../run.ts";
import { agreeing, document, keys, policies } from "../world.ts";
import { bot } from "./github-server.ts";
import { home, makeRepository } from "./repository.ts";

const start = document(agreeing.userTags);
const change = document(agreeing.userTags, `absent: { policies: [${policies[0]}] }`);
const marker = "<!-- orgsync: plan -->";

test("the first plan creates a comment, the next one updates it, and nothing is submitted", async () => {
	const { actions, github, propose, pullRequest, change: changeLive, submits } = await makeRepository(start);
	propose(change);
	const others = [
		{ id: 1, number: 1, user: { login: "mallory" }, body: `${marker}\nI planned this.` },
		{ id: 2, number: 2, user: bot, body: "Coverage: 99%" },
	];
	github.comments.push(...others);
	const first = await actions.run("orgsync-plan", pullRequest());
	expect(first.results, first.log).toEqual({ plan: "success" });
	const posted = github.comments.at(-1);
	expect(github.requests.at(-1)?.line).toBe(`POST /repos/${home}/issues/7/comments`);
	expect(posted?.body).toMatch(new RegExp(`^${marker}\n`));
	expect(posted?.body).toContain("policy 1");
	expect(posted?.body).toContain("This change (base → head)");
	const names = ["cases.xml", "comment.md", "plan.html", "plan.json", "result.json"];
	expect(readdirSync(first.artifacts["orgsync-plan"] ?? "").sort()).toEqual(names);
	expect(first.summary).toContain("policy 1");

	// Names that a shell, a workflow or a comment could take for orders, in a plan too long for a comment.
	const hostile = "@team `touch pwned` $(touch pwned) ${{ github.token }} \"; touch pwned; echo '::error::x";
	const ids = Array.from({ length: 97 }, (_, index) => `9a000000-0000-4000-8000-${String(index).padStart(12, "0")}`);
	await changeLive({
		policies: ids.map((policyId, index) => ({ policyId, policyName: `${index} ${hostile.repeat(8)}` })),
	});
	propose(document(agreeing.userTags, `absent: { policies: [${ids.join(", ")}] }`, "limits: { policies: 97 }"));
	const second = await actions.run("orgsync-plan", pullRequest());
	expect(second.results, second.log).toEqual({ plan: "success" });
	expect(github.comments).toHaveLength(3);
	expect(github.comments.slice(0, 2)).toEqual(others);
	const body = github.comments[2]?.body ?? "";
	expect(body.length).toBeGreaterThan(50_000);
	expect(body.length).toBeLessThan(65_536);
	expect(body.includes("https://github.test/acme/access/actions/runs/")).toBe(true);
	expect(readFileSync(join(second.artifacts["orgsync-plan"] ?? "", "plan.json"), "utf8").includes("touch pwned")).toBe(
		true,
	);
	expect(second.workspaces.filter((folder) => existsSync(join(folder, "pwned")))).toEqual([]);
	expect(/^::error::x/m.test(second.log)).toBe(false);
	expect(submits()).toEqual([]);
	// The service's key reaches no request to GitHub, and GitHub's token none to the service.
	expect(JSON.stringify(github.requests)).not.toContain(keys.bob.privateKey);
});

test("a fork's pull request is validated, gets the reason why it has no plan, and sends no request", async () => {
	const { actions, github, propose, pullRequest, requests } = await makeRepository(start);
	propose("organizationId: 1\n");
	const wrong = await actions.run("orgsync-plan", pullRequest({ from: "mallory/access" }));
	expect(wrong.results).toEqual({ plan: "failure" });
	expect(wrong.log).toMatch(/^::error file=organization\/orgsync\.yaml,line=1,/m);
	propose(change);
	const { results, log } = await actions.run("orgsync-plan", pullRequest({ from: "mallory/access" }));
	expect(results, log).toEqual({ plan: "success" });
	expect(log).toContain("::notice title=orgsync::Validated only: reading");
	expect(requests()).toEqual([]);
	expect(github.requests).toEqual([]);
});

test("a failed plan is red with the reason in the comment and saves nothing for apply, and a plan without changes can be silent", async () => {
	const { actions, github, propose, pullRequest } = await makeRepository(start);
	propose(start);
	const quiet = await actions.run("orgsync-plan", { ...pullRequest(), moreInputs: { comment: "changes" } });
	expect(quiet.results, quiet.log).toEqual({ plan: "success" });
	expect(github.comments).toEqual([]);

	propose(change);
	const context = {
		...pullRequest(),
		moreInputs: { comment: "changes" },
		secretsOf: { "": { ORGSYNC_READ_KEY: keys.stranger.privateKey } },
	};
	const { results, artifacts } = await actions.run("orgsync-plan", context);
	expect(results).toEqual({ plan: "failure" });
	expect(readdirSync(artifacts["orgsync-plan"] ?? "")).not.toContain("plan.json");
	expect(github.comments[0]?.body).toMatch(new RegExp(`^${marker}\n[\\s\\S]*does not accept`));

	github.refusal = 403;
	const unwritten = await actions.run("orgsync-plan", pullRequest());
	expect(unwritten.results).toEqual({ plan: "failure" });
	expect(unwritten.log).toMatch(/^::error title=orgsync::GitHub refuses PATCH .*Hint: give the job the permissions/m);
});

test("a plan after which an access case no longer holds is red, and the comment has the case before the changes", async () => {
	const {
		actions,
		github,
		propose,
		pullRequest,
		change: changeLive,
	} = await makeRepository(document("accessTests: required"), { "organization/signing.access.yaml": bobNever });
	await changeLive(twoSign);
	propose(document(bobJoins));
	const { results, log, artifacts } = await actions.run("orgsync-plan", pullRequest());
	expect(results, log).toEqual({ plan: "failure" });
	expect(log).toMatch(
		/^::error file=organization\/signing\.access\.yaml,line=1,col=17,title=orgsync%3A case-failed::bob has no part/m,
	);
	expect(log).toContain("orgsync plan ended with exit code 10");
	expect(readdirSync(artifacts["orgsync-plan"] ?? "")).toContain("plan.json");
	const junit = readFileSync(join(artifacts["orgsync-plan"] ?? "", "cases.xml"), "utf8");
	expect(junit).toMatch(/<testcase name="bob has no part" [^>]*><failure message="`never`: bob can sign/);
	expect(github.comments[0]?.body).toMatch(
		/to override: `--allow accessCases=1`[\s\S]*Access cases that do not hold after this plan[\s\S]*bob has no part[\s\S]*member bob/,
	);
});

test("the command test judges cases after the plan, also those that failed before, with a comment of its own", async () => {
	const { actions, github, propose, pullRequest } = await makeRepository(document(), {
		"organization/signing.access.yaml": bobNever.replace("bob]", "alice]"),
	});
	propose(document());
	const testing = { ...pullRequest(), moreInputs: { command: "test" } };
	const { results, log, summary, artifacts } = await actions.run("orgsync-plan", testing);
	expect(results, log).toEqual({ plan: "failure" });
	expect(log).toContain("orgsync test ended with exit code 10");
	expect(summary).toContain("1 access case: 1 failed");
	expect(readFileSync(join(artifacts["orgsync-test"] ?? "", "cases.xml"), "utf8")).toContain('failures="1"');
	expect(github.comments).toHaveLength(1);
	expect(github.comments[0]?.body).toMatch(/^<!-- .*test.* -->\n[\s\S]*after the plan/);
});

test("the action as it is packed for a release plans with its own program, in a folder without packages", async () => {
	const { actions, github, propose, pullRequest } = await makeRepository(start);
	propose(change);
	const actionPath = join(makeFolder(), "orgsync");
	mkdirSync(actionPath);
	const sources = await actions.run("orgsync-plan", { ...pullRequest(), actionPath });
	expect(sources.results).toEqual({ plan: "failure" });
	expect(sources.log).toMatch(/^::error title=orgsync::This commit has the sources of orgsync/);
	await packAction(actionPath);
	const { results, log, artifacts } = await actions.run("orgsync-plan", { ...pullRequest(), actionPath });
	expect(results, log).toEqual({ plan: "success" });
	expect(log).toContain("::notice title=orgsync%3A plan::Plan: 1 activity");
	expect(github.comments[0]?.body).toMatch(new RegExp(`^${marker}\n`));
	const { savedPlan } = JSON.parse(readFileSync(join(artifacts["orgsync-plan"] ?? "", "result.json"), "utf8"));
	expect(github.comments[0]?.body).toContain(savedPlan.digest);

	// What pre-commit runs.
	const [hook] = parse(readFileSync(join(actionPath, ".pre-commit-hooks.yaml"), "utf8"));
	const { bin } = JSON.parse(readFileSync(join(actionPath, "package.json"), "utf8"));
	expect(hook).toMatchObject({ entry: "orgsync validate", language: "node", pass_filenames: false });
	const cwd = makeFolder();
	writeFileSync(join(cwd, "orgsync.yaml"), "organizationId: 1\n");
	const { code, stderr } = await runProgram([join(actionPath, bin.orgsync), "validate"], { cwd });
	expect([code, stderr]).toEqual([3, expect.stringMatching(/^orgsync\.yaml:1:/)]);
});
