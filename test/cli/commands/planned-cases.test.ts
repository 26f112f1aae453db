/** Access cases that `plan` and `apply` judge: those beside the documents, and those of the base. */
import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bobJoins, bobNever, twoSign } from "../../access-cases.ts";
import { checkSchema } from "../../check-schema.ts";
import { havePrograms } from "../../needs.ts";
import { type Answer, readOutput } from "../../run.ts";
import { alice, bob, carol, document, makeWorld, tags, type World } from "../../world.ts";

const hasGit = havePrograms("the tests of access cases in a base", "git");

const required = "accessTests: required";

/** A repository whose only commit has this document and the case that bob never signs, which holds. */
async function makeRepository(base: string): Promise<World> {
	const world = await makeWorld(base, { reads: "all" });
	await world.change(twoSign);
	world.write("signing.access.yaml", bobNever);
	git(world.folder, "init", "--quiet");
	git(world.folder, "add", "--all");
	git(world.folder, "commit", "--quiet", "--message", "before");
	return world;
}

function git(folder: string, ...words: string[]): void {
	const who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.test"];
	const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
	execFileSync("git", [...who, ...words], { cwd: folder, env, stdio: "pipe" });
}

const againstHead = ["plan", "--base", "HEAD"];

const casesIn = (answer: Answer) => readOutput(answer).plans[0].accessCases.cases;
const guardsIn = (answer: Answer): readonly unknown[] =>
	readOutput(answer).plans[0].guards.filter(({ kind }: { kind: string }) => kind === "accessCases");

describe.runIf(hasGit)("a plan with access cases", () => {
	test("exits with 10 where it breaks one, names it first, and does not where it failed before", async () => {
		const world = await makeRepository(document());
		world.write("orgsync.yaml", document(bobJoins));
		const broken = await world.run(["plan"]);
		expect({ code: broken.code, stderr: broken.stderr }).toEqual({ code: 10, stderr: "" });
		expect(broken.stdout).toMatch(
			/Access cases that do not hold after this plan:\n {2}signing\.access\.yaml:1:17: bob has no part {2}\(holds now\)\n.*`never`: bob can sign with any wallet or key, alone or with others/,
		);
		expect(broken.stdout).toContain("1 access case does not hold or cannot be judged.");
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob, carol] }] });
		const before = await world.run(["plan"]);
		expect(before.code).toBe(0);
		expect(before.stdout).toContain("Access cases that do not hold, before and after:");
		// A new case that fails is not from before.
		expect((await world.run([...againstHead, "--detailed-exitcode"])).code).toBe(0);
		world.write("new.access.yaml", "tests: [{ name: carol has no part, power: sign, never: [carol] }]\n");
		const added = await world.run([...againstHead, "--format", "json"]);
		expect(added.code).toBe(10);
		expect(casesIn(added)).toMatchObject([
			{ judged: { name: "carol has no part", verdict: "failed" }, before: "failed", change: "added" },
			{ judged: { name: "bob has no part", verdict: "failed" }, before: "failed", change: null },
		]);
		expect(checkSchema("output.json", readOutput(added))).toEqual([]);
	});

	test("names live users whom only a case mentions as live users, in text and in JUnit XML", async () => {
		const world = await makeRepository(document().replace(/users: .*/, "users: {}"));
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob, carol] }] });
		expect((await world.run(["plan", "--out", "plan.json"])).stdout).toContain("`never`: bob can sign");
		const { stdout } = await world.run(["show", "plan.json", "--format", "junit"]);
		expect(stdout).toContain("bob can sign");
		expect(stdout).not.toContain("no live user");
	});

	test("exits with 11 where a new one cannot be judged, and says which name is wrong", async () => {
		const world = await makeRepository(document());
		world.write("new.access.yaml", "tests: [{ name: it, power: sign, never: [bobb] }]\n");
		const { code, stdout } = await world.run(againstHead);
		expect(code).toBe(11);
		expect(stdout).toContain(
			'new.access.yaml:1:17: it  (new, cannot be judged)\n    no user is called "bobb", or several are',
		);
	});

	test.each([
		["deleted", (world: World) => rmSync(join(world.folder, "signing.access.yaml")), "deleted"],
		["changed", (world: World) => world.write("signing.access.yaml", bobNever.replace("[bob]", "[dora]")), "replaced"],
		["about another user", (world: World) => world.write("signing.access.yaml", bobNever), "replaced"],
	])("is blocked by a case of the base that it breaks, although it is %s", async (how, change, word) => {
		const world = await makeRepository(document(required));
		// The document of the change requires nothing, and can give the name of a case to another user.
		const users = `users: { bob: ${alice}, robert: ${bob}, dora: ${carol} }`;
		const isOther = how === "about another user";
		const head = document(isOther ? bobJoins.replace("bob", "robert") : bobJoins);
		world.write("orgsync.yaml", isOther ? head.replace(/users: .*/, users) : head);
		change(world);
		const blocked = await world.run([...againstHead, "--format", "json"]);
		expect(guardsIn(blocked)).toMatchObject([
			{
				found: 1,
				refuses: true,
				message: expect.stringContaining("1 access case would no longer hold: bob has no part"),
			},
		]);
		expect(casesIn(blocked).at(-1)).toMatchObject({ before: "passed", change: word, judged: { verdict: "failed" } });
		expect((await world.run([...againstHead, "--allow", "accessCases=1", "--detailed-exitcode"])).code).not.toBe(5);
	});

	test("is not blocked where the base requires nothing, or where the case failed before", async () => {
		const world = await makeRepository(document());
		world.write("orgsync.yaml", document(bobJoins));
		rmSync(join(world.folder, "signing.access.yaml"));
		const free = await world.run([...againstHead, "--format", "json"]);
		expect(free.code).toBe(0);
		expect(guardsIn(free)).toEqual([]);
		expect((await world.run(againstHead)).stdout).toContain("bob has no part  (deleted, holds now)");
		const strict = await makeRepository(document(required));
		await strict.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob, carol] }] });
		strict.write("orgsync.yaml", document("userTags: [{ name: signers, members: { never: [alice] } }]"));
		const failed = await strict.run([...againstHead, "--format", "json"]);
		expect(failed.code).toBe(0);
		expect(guardsIn(failed)).toEqual([]);
	});

	test("is blocked where nothing shows that a required case holds", async () => {
		const world = await makeRepository(document(required));
		world.write("orgsync.yaml", document(bobJoins));
		const unread = await world.run([...againstHead, "--reads", "documented", "--format", "json"]);
		expect(guardsIn(unread)).toMatchObject([{ found: 1, refuses: true }]);
	});

	test("keeps what the base found when it is saved, and applies only with the same cases", async () => {
		const world = await makeRepository(document(required));
		world.write("orgsync.yaml", document(bobJoins));
		world.write("signing.access.yaml", bobNever.replace("[bob]", "[carol]").replace("bob has", "carol has"));
		const made = await world.run([...againstHead, "--out", "plan.json"]);
		expect(made.stderr).toContain("Saved plan sha256:");
		expect((await world.run(["show", "plan.json"])).stdout).toContain("to override: --allow accessCases=1");
		const apply = ["apply", "--plan", "plan.json"];
		const blocked = await world.run(apply);
		expect(blocked.code).toBe(5);
		expect(blocked.stderr).toContain("bob has no part (HEAD:signing.access.yaml:1, deleted)");
		world.write("signing.access.yaml", bobNever);
		const other = await world.run([...apply, "--allow", "accessCases=1"]);
		expect(other).toMatchObject({ code: 3, stderr: expect.stringContaining("was planned with other access cases") });
		world.write("signing.access.yaml", bobNever.replace("[bob]", "[carol]").replace("bob has", "carol has"));
		expect(await world.run([...apply, "--allow", "accessCases=1"])).toMatchObject({ code: 8 });
	});

	test("does not follow a link out of the folder, in the checkout and in the base", async () => {
		const world = await makeRepository(document());
		symlinkSync("/etc/hostname", join(world.folder, "out.access.yaml"));
		const here = await world.run(["plan"]);
		expect(here).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("is a link that points outside its folder"),
		});
		git(world.folder, "add", "--all");
		git(world.folder, "commit", "--quiet", "--message", "a link");
		rmSync(join(world.folder, "out.access.yaml"));
		const base = await world.run(againstHead);
		expect(base).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("is a link that points outside the repository"),
		});
	});
});

test("apply blocks a plan that breaks a case which the document requires", async () => {
	const world = await makeWorld(document(required, bobJoins), { reads: "all" });
	await world.change(twoSign);
	world.write("signing.access.yaml", bobNever);
	const { code, stderr } = await world.run(["apply", "--yes"]);
	expect(code).toBe(5);
	expect(stderr).toContain("to override: --allow accessCases=1");
	expect(world.submits()).toEqual([]);
	expect((await world.run(["apply", "--yes", "--allow", "accessCases=1"])).code).toBe(8);
});
