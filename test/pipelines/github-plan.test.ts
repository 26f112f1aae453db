/**
 * A pull request, run from the workflow as it is written: planned, shown in one comment, and saved.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectNoSecret } from "../run.ts";
import { agreeing, document, keys, policies } from "../world.ts";
import { home, makeRepository } from "./repository.ts";

const start = document(agreeing.userTags);
const change = document(agreeing.userTags, `absent: { policies: [${policies[0]}] }`);

const comments = new RegExp(`api --paginate repos/${home}/issues/7/comments`);
const marker = "<!-- orgsync: plan -->";
const bot = { login: "github-actions[bot]" };

test("the first plan creates a comment, the next one updates it, and nothing is submitted", async () => {
	const { actions, recorders, propose, pullRequest, change: changeLive, submits } = await makeRepository(start);
	propose(change);
	const others = [
		{ id: 1, user: { login: "mallory" }, body: `${marker}\nI planned this.` },
		{ id: 2, user: bot, body: "Coverage: 99%" },
	];
	recorders.prepare({ when: comments, stdout: others }, { when: /--method POST/ });
	const first = await actions.run("orgsync-plan", pullRequest());
	expect(first.results, first.log).toEqual({ validate: "success", plan: "success", comment: "success" });
	const [, posted] = recorders.calls("gh");
	expect(posted?.words.slice(0, 4)).toEqual(["api", "--method", "POST", `repos/${home}/issues/7/comments`]);
	expect(posted?.bodies[0]).toMatch(new RegExp(`^${marker}\n`));
	expect(posted?.bodies[0]).toContain("policy 1");
	expect(posted?.bodies[0]).toContain("This change (base → head)");
	expect(readdirSync(first.artifacts["orgsync-plan"] ?? "").sort()).toEqual(["comment.md", "plan.html", "plan.json"]);
	expect(first.summary).toContain("policy 1");

	// Names that a shell, a workflow or a comment could take for orders, in a plan too long for a comment.
	const hostile = "@team `touch pwned` $(touch pwned) ${{ github.token }} \"; touch pwned; echo '::error::x";
	const ids = Array.from({ length: 97 }, (_, index) => `9a000000-0000-4000-8000-${String(index).padStart(12, "0")}`);
	await changeLive({
		policies: ids.map((policyId, index) => ({ policyId, policyName: `${index} ${hostile.repeat(8)}` })),
	});
	propose(document(agreeing.userTags, `absent: { policies: [${ids.join(", ")}] }`, "limits: { policies: 97 }"));
	const ours = { id: 33, user: bot, body: posted?.bodies[0] };
	recorders.prepare({ when: comments, stdout: [...others, ours] }, { when: /--method PATCH/ });
	const second = await actions.run("orgsync-plan", pullRequest());
	expect(second.results, second.log).toEqual({ validate: "success", plan: "success", comment: "success" });
	const [, patched, ...rest] = recorders.calls("gh");
	expect(patched?.words.slice(0, 4)).toEqual(["api", "--method", "PATCH", `repos/${home}/issues/comments/33`]);
	expect(rest).toEqual([]);
	const [body = ""] = patched?.bodies ?? [];
	expect(body.length).toBeGreaterThan(50_000);
	expect(body.length).toBeLessThan(65_536);
	expect(body.includes("https://github.test/acme/access/actions/runs/")).toBe(true);
	expect(readFileSync(join(second.artifacts["orgsync-plan"] ?? "", "plan.json"), "utf8").includes("touch pwned")).toBe(
		true,
	);
	expect(second.workspaces.filter((folder) => existsSync(join(folder, "pwned")))).toEqual([]);
	expect(/^::error::x/m.test(second.log)).toBe(false);
	expect(submits()).toEqual([]);
});

test("a fork's pull request is validated, gets the reason why it has no plan, and sends no request", async () => {
	const { actions, recorders, propose, pullRequest, requests } = await makeRepository(start);
	propose(change);
	const { results, log } = await actions.run("orgsync-plan", pullRequest({ from: "mallory/access" }));
	expect(results).toEqual({ validate: "success", plan: "skipped", comment: "skipped" });
	expect(log).toContain("::notice title=orgsync::Validated, not planned");
	expect(requests()).toEqual([]);
	expect(recorders.calls("gh")).toEqual([]);
});

test("a failed plan makes the run red with the reason in the comment, and saves nothing for apply", async () => {
	const { actions, recorders, propose, pullRequest } = await makeRepository(start);
	propose(change);
	recorders.prepare({ when: comments, stdout: [] }, { when: /--method POST/ });
	const context = { ...pullRequest(), secretsOf: { "": { ORGSYNC_READ_KEY: keys.stranger.privateKey } } };
	const { results, artifacts } = await actions.run("orgsync-plan", context);
	expect(results).toEqual({ validate: "success", plan: "failure", comment: "success" });
	expect(readdirSync(artifacts["orgsync-plan"] ?? "")).toEqual(["comment.md"]);
	expect(recorders.calls("gh")[1]?.bodies[0]).toMatch(new RegExp(`^${marker}\n[\\s\\S]*does not accept`));
});

test("no secret is in what was printed, recorded or saved", () => expectNoSecret());
