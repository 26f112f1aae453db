/**
 * The story after a merge, run from the workflow as it is written: the plan that was reviewed is found and applied, and
 * nothing else is.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../run.ts";
import { agreeing, alice, bob, carol, document, keys, policies, tags } from "../world.ts";
import type { Context } from "./expressions.ts";
import type { GithubServer } from "./github-server.ts";
import { home, makeRepository, type Repository, replacePlan } from "./repository.ts";
import type { Ran } from "./workflow.ts";

const start = document(agreeing.userTags);
const renaming = document(
	"userTags: [{ name: on-call, previously: [oncall] }, { name: auditors, members: { atLeast: [carol] } }]",
);

const head = "1111111111111111111111111111111111111111";
const pull = { merged: true, base: { ref: "main" }, head: { sha: head, repo: { full_name: home } } };

/** Makes GitHub answer as it does after the merge of this commit, which belongs to this pull request. */
function merged(github: GithubServer, commit: string, pullRequest: object = pull): void {
	const elsewhere = { id: 5, head_repository: { full_name: "mallory/access" } };
	const one = { number: 7, merged_at: "2026-11-21T05:17:00Z", merge_commit_sha: commit };
	const query = `head_sha=${head}&event=pull_request&status=success&per_page=100`;
	github.answers.splice(
		0,
		3,
		[new RegExp(`^commits/${commit}/pulls`), [{ ...one, number: 6, merged_at: null }, one]],
		[/^pulls\/7$/, pullRequest],
		[
			new RegExp(`^actions/workflows/orgsync-plan.yml/runs\\?${query}$`),
			{ workflow_runs: [elsewhere, { id: 99, head_repository: { full_name: home } }] },
		],
	);
}

type Meanwhile = NonNullable<Parameters<Repository["actions"]["run"]>[2]>;

interface Merged extends Repository {
	/** The folder of the saved plan. */
	readonly artifact: string;
	apply(context?: Context, ...meanwhile: readonly Meanwhile[]): Promise<Ran & { comment: string }>;
}

/** A repository in which this change was planned with bob's key, reviewed and merged. */
async function merge(text: string, plan?: (repository: Repository) => Promise<string>): Promise<Merged> {
	const repository = await makeRepository(start);
	const { actions, github, propose, onMain } = repository;
	const commit = propose(text);
	const artifact = await (plan ?? planAlone)(repository);
	merged(github, commit);
	return {
		...repository,
		artifact,
		apply: async (context = onMain(), ...meanwhile) => {
			github.comments.splice(0);
			const artifactsOfRuns = { 99: { "orgsync-plan": artifact } };
			const ran = await actions.run("orgsync-apply", { ...context, artifactsOfRuns }, ...meanwhile);
			return { ...ran, comment: github.comments[0]?.body ?? "" };
		},
	};
}

/** The plan as the workflow makes it, without the rest of the workflow. */
async function planAlone({ checkout, run }: Repository): Promise<string> {
	const folder = makeFolder();
	const words = ["plan", "-f", "organization", "--out", join(folder, "plan.json")];
	const { code, stderr } = await run(words, { cwd: checkout, env: { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey } });
	expect(code, stderr).toBe(0);
	return folder;
}

async function planByWorkflow({ actions, pullRequest }: Repository): Promise<string> {
	const { results, log, artifacts } = await actions.run("orgsync-plan", pullRequest());
	expect(results.plan, log).toBe("success");
	return artifacts["orgsync-plan"] ?? "";
}

test("after the merge the reviewed plan is applied, with the plan in the summary and the outcome in a comment", async () => {
	const { apply, submits, organization } = await merge(renaming, planByWorkflow);
	const { results, summary, comment, log } = await apply();
	expect(results, log).toEqual({ review: "success", apply: "success" });
	expect(submits()).toEqual(["update_user_tag", "update_user_tag"]);
	const named = organization().userTags.map(({ tagName }: { tagName: string }) => tagName);
	expect(named).toEqual(["signers", "on-call", "auditors"]);
	expect(summary.indexOf("<!-- orgsync: apply -->")).toBeGreaterThan(summary.indexOf("on-call"));
	expect(comment).toMatch(/^<!-- orgsync: apply -->\n[\s\S]*2 completed/);

	// The journal of the first run is there in the second one.
	const again = await apply();
	expect(again.results).toEqual({ review: "success", apply: "failure" });
	expect(again.log).toContain("the saved plan was already applied, nothing was submitted");
	expect(submits()).toHaveLength(2);
});

test("a plan is refused with a comment if main has another document or an object of the plan changed", async () => {
	const { apply, submits, change, propose, github } = await merge(renaming);
	merged(github, propose(document("userTags: [{ name: duty, previously: [oncall] }]")));
	const other = await apply();
	expect(other.results).toEqual({ review: "success", apply: "failure" });
	expect(other.log).toContain("::error title=orgsync::orgsync apply ended with exit code 3");
	expect(other.comment).toMatch(/^<!-- orgsync: apply -->\n[\s\S]*planned from another document/);

	merged(github, propose(renaming));
	await change({ userTags: [{ tagId: tags.auditors, tagName: "auditors", userIds: [alice] }] });
	const stale = await apply();
	expect(stale.results).toEqual({ review: "success", apply: "failure" });
	expect(stale.log).toContain("::error title=orgsync::orgsync apply ended with exit code 6");
	expect(stale.comment).toMatch(/^<!-- orgsync: apply -->\n[\s\S]*auditors/);
	expect(submits()).toEqual([]);
});

test("an artifact that is replaced before the approval is not applied", async () => {
	for (const by of ["push", "hand"]) {
		const { apply, submits, onMain, byHand } = await merge(renaming);
		const context = by === "push" ? onMain() : byHand();
		const { results, log } = await apply(context, (job, artifacts) => {
			if (job !== "apply") return;
			replacePlan(join(artifacts["orgsync-plan"] ?? "", "plan.json"), () => ({
				readAt: new Date(Date.now()).toISOString(),
			}));
		});
		expect(results.apply).toBe("failure");
		expect(log).toContain("is not the plan of --digest: its digest is sha256:");
		expect(log).toContain("::error title=orgsync::orgsync apply ended with exit code 3");
		expect(submits()).toEqual([]);
	}
});

test("a plan that is older than 30 days is not applied", async () => {
	const { apply, artifact, submits } = await merge(renaming);
	const old = new Date(Date.now() - 31 * 24 * 60 * 60_000).toISOString();
	replacePlan(join(artifact, "plan.json"), () => ({ readAt: old }));
	const { results, log } = await apply();
	expect(results).toEqual({ review: "success", apply: "failure" });
	expect(log).toContain(`was read at ${old}, longer ago than --max-age allows`);
	expect(submits()).toEqual([]);
});

test("a run with pending approvals is green and reports them, and another run joins the activity", async () => {
	const { apply, submits, setRules, activities } = await merge(renaming);
	await setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	const { results, log, comment } = await apply();
	expect(results, log).toEqual({ review: "success", apply: "success" });
	expect(log).toContain("::notice title=orgsync::Submitted; pending approval at the service.");
	expect(comment).toMatch(/^<!-- orgsync: apply -->\n[\s\S]*wait/);
	const sent = submits().length;
	const again = await apply();
	expect(again.results.apply, again.log).toBe("success");
	expect(submits()).toHaveLength(sent);
	expect(activities()).toHaveLength(2);
});

test("a guard blocks the run, and a manual run with its override makes and applies a new plan", async () => {
	const limits = "limits: { policies: 1, lockout: 100 }";
	const text = document(agreeing.userTags, `absent: { policies: [${policies.join(", ")}] }`, limits);
	const { apply, submits, byHand } = await merge(text);
	const refused = await apply();
	expect(refused.results.apply).toBe("failure");
	expect(refused.log).toContain("::error title=orgsync::orgsync apply ended with exit code 5");
	expect(refused.comment).toContain("policies=3");
	expect(submits()).toEqual([]);
	const allowed = await apply(byHand({ allow: "policies=3" }));
	expect(allowed.results, allowed.log).toEqual({ review: "success", apply: "success" });
	expect(submits()).toEqual(["delete_policies"]);
	// Who approves sees it, above the plan.
	expect(allowed.summary).toMatch(/^> \[!WARNING\]\n> This overrides a guard: `--allow policies=3`\n/);
});

test.each([
	["a fork", { ...pull, head: { sha: head, repo: { full_name: "mallory/access" } } }, "comes from a fork"],
	["a pull request that is not merged", { ...pull, merged: false }, "is not merged into main"],
	["another branch", { ...pull, base: { ref: "release" } }, "is not merged into main"],
])("the plan of %s is not applied", async (_, pullRequest, said) => {
	const { actions, github, onMain, requests } = await makeRepository(start);
	const context = onMain();
	merged(github, (context.github as { sha: string }).sha, pullRequest);
	const { results, log } = await actions.run("orgsync-apply", context);
	expect(results).toEqual({ review: "failure", apply: "skipped" });
	expect(log).toContain(said);
	expect(requests()).toEqual([]);
});

test("the workflow that ends access removes a member whose access has ended, with a key of its own", async () => {
	const members = "{ exactly: [bob, { user: carol, until: 2026-01-01T00:00:00Z }] }";
	const text = document(`userTags: [{ name: oncall, members: ${members} }]`, `absent: { policies: [${policies[0]}] }`);
	const { actions, onMain, change, submits } = await makeRepository(text);
	await change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [bob, carol] }] });
	const secretsOf = { "": {}, expiry: { ORGSYNC_EXPIRE_KEY: keys.alice.privateKey } };
	const { results, log } = await actions.run("orgsync-expire", { ...onMain(), secretsOf });
	expect(results, log).toEqual({ expire: "success" });
	expect(log).toContain("- member carol  (access expired 2026-01-01 00:00 UTC)");
	expect(submits()).toEqual(["update_user_tag"]);
});
