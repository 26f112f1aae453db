/**
 * An alias that means another user than its name suggests, as shown for a pull request, in a plan, in a saved plan, and by
 * status and explain.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { digestOf } from "../../src/plan/value.ts";
import { havePrograms } from "../needs.ts";
import { readOutput } from "../run.ts";
import { alice, bob, carol, makeWorld, organizationId, policies, tags, type World } from "../world.ts";

const hasGit = havePrograms("the tests of --base", "git");
const inJson = ["--format", "json"];

/** A document that gives these users to the aliases, and the tag `signers` to alice and whomever it calls carol. */
const documentOf = (users: Readonly<Record<string, string>>, more = ""): string =>
	`organizationId: ${organizationId}
users: ${JSON.stringify(users)}
userTags: [{ name: signers, id: ${tags.signers}, members: { exactly: [alice, carol] } }]
${more}`;

const usual = { alice, bob, carol };
const swapped = { alice, bob: carol, carol: bob };

function commit({ folder }: World): void {
	const git = (...words: string[]) =>
		execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.test", ...words], { cwd: folder, stdio: "pipe" });
	git("init", "--quiet");
	git("add", "--all");
	git("commit", "--quiet", "--message", "documents");
}

test.runIf(hasGit)("--base reports exchanged aliases first, with the users who really gain and lose", async () => {
	const world = await makeWorld(documentOf(usual));
	commit(world);
	world.write("orgsync.yaml", documentOf(swapped));
	const { code, stdout } = await world.run(["plan", "--base", "HEAD"]);
	expect(code).toBe(0);
	expect(stdout).toBe(`Organization Acme (${organizationId})
Base: HEAD

Aliases that now mean another user:
  bob is now ${carol} (live name carol), before ${bob} (live name bob)
  carol is now ${bob} (live name bob), before ${carol} (live name carol)

This change (base → head):
  Signs show what apply would do: + add, - remove, ~ change, ! report only.
  ~ userTag:signers
      + member carol (id ${bob}, live name bob)
      - member bob (id ${carol}, live name carol)

Drift before this change (base → live):
  Nothing: the organization was in sync with the base.

What apply will do (head → live):
  1 object differs, 1 activity to submit.

~ userTag:signers  ${tags.signers}
    + member carol (id ${bob}, live name bob)
    - member bob (id ${carol}, live name carol)

Who can do what stays the same.

Plan: 1 activity; it runs at once. 1 user tag to update. 2 aliases now mean other users.
`);
	const { threeWay, plans } = readOutput(await world.run(["plan", "--base", "HEAD", ...inJson]));
	expect(threeWay[0].aliases).toEqual([
		{ alias: "bob", before: bob, after: carol },
		{ alias: "carol", before: carol, after: bob },
	]);
	expect(plans[0].liveNames).toEqual({ [alice]: "alice", [bob]: "bob", [carol]: "carol" });
});

test("a plan without a base shows the live name and the id beside an ambiguous alias if users can be read", async () => {
	const world = await makeWorld(documentOf(swapped));
	expect((await world.run(["plan"])).stdout).toContain(`    + member carol (id ${bob}, live name bob)\n`);
	const blind = await world.run(["plan", "--reads", "documented"]);
	expect(blind.stdout).toContain("    + member carol\n");
	expect(blind.stdout).not.toContain("live name");
});

test("apply refuses a saved plan after a user that it adds or removes was renamed", async () => {
	const world = await makeWorld(documentOf({ ...usual, carol: bob, bob: carol }));
	world.write("orgsync.yaml", documentOf({ alice, carol: bob }));
	expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
	await world.change({ users: [{ userId: bob, userName: "robert" }] });
	const answer = await world.run(["apply", "--plan", "plan.json"]);
	expect(answer).toMatchObject({ code: 6, stdout: "" });
	expect(answer.stderr).toContain(
		`  userTag:signers: the saved plan shows user ${bob} as carol (id ${bob}, live name bob), a new plan shows carol (id ${bob}, live name robert): reviewers went by the name in the saved plan\n`,
	);
	expect(world.submits()).toEqual([]);
});

test.each([
	["leaves the live names out", () => undefined],
	["tells another live name", () => ({ [alice]: "alice", [bob]: "carol", [carol]: "x" })],
	["leaves out whose name is alike", () => ({ [alice]: "alice", [bob]: "bob" })],
])("apply refuses a saved plan that %s", async (_, forge) => {
	const world = await makeWorld(documentOf({ alice, carol: bob }));
	await world.run(["plan", "--out", "plan.json"]);
	const { digest: _digest, ...content } = JSON.parse(readFileSync(join(world.folder, "plan.json"), "utf8"));
	content.plans[0].liveNames = forge();
	world.write("plan.json", JSON.stringify({ ...content, digest: digestOf(JSON.parse(JSON.stringify(content))) }));
	expect((await world.run(["show", "plan.json"])).code).toBe(0);
	const answer = await world.run(["apply", "--plan", "plan.json", ...inJson]);
	expect(answer.code).toBe(6);
	expect(readOutput(answer).outdated).toMatchObject([{ address: "userTag:signers", reason: "changed" }]);
	expect(world.submits()).toEqual([]);
});

test("status and explain show an approver by the name in the vote", async () => {
	const world = await makeWorld(
		documentOf({ alice: bob, bob: alice, carol }, `absent: { policies: [${policies[0]}] }\n`),
	);
	await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2, ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	expect((await world.run(["apply", "--yes", "--only", "policy"])).code).toBe(8);
	const status = await world.run(["status"]);
	expect(status.stdout).toContain(`, approved by bob (id ${alice}, live name alice); fingerprint`);
	const explained = await world.run(["explain", world.activities()[0].id]);
	expect(explained.stdout).toContain(`  approved by bob (${alice}, live name alice)\n`);
	const plan = await world.run(["plan", "--only", "policy"]);
	expect(plan.stdout).toContain(`, approved by bob (id ${alice}, live name alice); fingerprint`);
});

test("drift names the user who changed an object by the name in the activity", async () => {
	const world = await makeWorld(documentOf({ alice, carol, dora: bob }));
	await world.submitAsBob("update_user_tag", { userTagId: tags.signers, addUserIds: [], removeUserIds: [carol] });
	const { code, stdout } = await world.run(["drift"]);
	expect(code).toBe(2);
	expect(stdout).toMatch(new RegExp(`last changed by update_user_tag of dora \\(id ${bob}, live name bob\\), `));
});
