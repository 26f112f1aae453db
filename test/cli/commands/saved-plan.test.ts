/**
 * Saved plans as their users have them: made here, shown to a reviewer, applied elsewhere; what was reviewed is what runs,
 * or nothing does.
 */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { onPosix } from "../../needs.ts";
import { makeFolder, readOutput } from "../../run.ts";
import {
	agreeing,
	alice,
	bob,
	carol,
	document,
	keys,
	makeWorld,
	organizationId,
	policies,
	tags,
	type World,
} from "../../world.ts";
import { applying, forge, inJson, makeReviewed, read, text } from "../saved.ts";

const intents = [
	{ updateUserTagIntent: { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [carol] } },
	{ deletePoliciesIntent: { policyIds: [policies[0]] } },
];
/** What is refused: the exit code, and the reason on standard error. */
function refusal(reason: string): object {
	return { code: 3, stdout: "", stderr: expect.stringContaining(`error: ${reason}`) };
}

const submitted = (world: World): readonly unknown[] => world.activities().map(({ intent }) => intent);

test("apply --plan runs on another machine without journal or prompt, and its report names the plan", async () => {
	const world = await makeReviewed();
	const { digest, plans } = read(world);
	const elsewhere = makeFolder();
	for (const name of ["plan.json", "orgsync.yaml"]) {
		symlinkSync(join(world.folder, name), join(elsewhere, name));
	}
	const answer = await world.run([...applying, ...inJson, "--concurrency", "1"], { cwd: elsewhere });
	expect(answer.code).toBe(0);
	const output = readOutput(answer);
	expect(output).toMatchObject({
		savedPlan: { digest, readAt: plans[0]?.readAt, generatedBy: expect.stringMatching(/^orgsync \d/) },
		reports: [{ planDigest: digest, inSync: true, steps: [{ outcome: "completed" }, { outcome: "completed" }] }],
	});
	expect(answer.stdout).not.toContain(elsewhere);
	expect(submitted(world)).toEqual(intents);
});

describe("a stale plan", () => {
	async function makeStale(): Promise<World> {
		const world = await makeReviewed();
		await world.change({
			userTags: [
				{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob, carol] },
				{ tagId: tags.auditors, tagName: "renamed" },
			],
			remove: { policies: [policies[0]] },
		});
		return world;
	}

	test("exits with 6, sends nothing, and names each changed object with what it was and is", async () => {
		const world = await makeStale();
		const answer = await world.run(applying);
		expect(answer.code).toBe(6);
		expect(answer.stdout).toBe("");
		expect(answer.stderr).toContain(
			[
				"error: the saved plan is stale, nothing was submitted:",
				"  userTag:signers: the plan file states that alice, carol had it, now alice, bob, carol have it",
				`  policy:${policies[0]}: it is gone already, as the plan wanted`,
				"hint: plan again, and have the new plan reviewed",
			].join("\n"),
		);
		const output = readOutput(await world.run([...applying, ...inJson]));
		expect(output).toMatchObject({
			exitCode: 6,
			error: { code: "stale-plan" },
			plans: [{ organizationId }],
			reports: [],
			savedPlan: { digest: read(world).digest },
			outdated: [
				{
					organizationId,
					address: "userTag:signers",
					reason: "changed",
					before: { name: "signers", members: [alice, carol] },
					after: { name: "signers", members: [alice, bob, carol] },
				},
				{ address: `policy:${policies[0]}`, reason: "already-applied", before: { name: "policy 1" }, after: null },
			],
		});
		expect(world.submits()).toEqual([]);
	});
});

test("a second run of a plan joins the pending activity, and a later one has nothing to do", async () => {
	const world = await makeReviewed(document(`absent: { policies: [${policies[0]}] }`));
	await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	expect((await world.run(applying)).code).toBe(8);
	const second = await world.run([...applying, ...inJson], { cwd: world.folder });
	expect(readOutput(second)).toMatchObject({
		exitCode: 8,
		reports: [{ steps: [{ outcome: "awaiting-approval", requests: 0 }] }],
	});
	expect(world.submits()).toEqual(["delete_policies"]);
	await world.submitAsBob("approve_activity", { fingerprint: world.activities()[0].fingerprint });
	const third = await world.run(applying);
	expect(third.code).toBe(6);
	expect(third.stderr).toContain("hint: every object is as the plan wanted already: there is nothing left to apply");
	expect(world.activities().length).toBe(2);
});

test("an outdated object in one organization blocks the plan for both", async () => {
	const second = "f0000000-0000-4000-8000-000000000002";
	const world = await makeWorld(
		`${document("userTags: [{ name: signatories, previously: [signers] }]")}---\norganizationId: ${second}\nuserTags: [{ name: ours, previously: [theirs] }]\n`,
	);
	const theirs = (tagName: string) => ({
		organizationId: second,
		users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
		userTags: [{ tagId: tags.oncall, tagName }],
	});
	await world.addOrganization(theirs("theirs"));
	expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
	await world.addOrganization(theirs("others"));
	world.clearRequests();
	const refused = await world.run([...applying, ...inJson]);
	expect(readOutput(refused)).toMatchObject({
		exitCode: 6,
		plans: [{}, {}],
		outdated: [{ organizationId: second, address: "userTag:ours" }],
	});
	expect(refused.stderr).toContain(`  organization ${second}: userTag:ours: the plan file states that it was called`);
	expect(world.submits()).toEqual([]);
	await world.addOrganization(theirs("theirs"));
	const output = readOutput(await world.run([...applying, ...inJson]));
	const { digest } = read(world);
	expect(output).toMatchObject({ exitCode: 0, reports: [{ planDigest: digest }, { planDigest: digest }] });
});

test("a plan with --only is applied to the selected objects alone", async () => {
	const world = await makeReviewed(text, ["--only", "userTag/sign*"]);
	expect((await world.run(applying)).code).toBe(0);
	expect(submitted(world)).toEqual(intents.slice(0, 1));
	expect(world.organization().policies.length).toBe(policies.length);
});

test("a plan with documented reads is applied with these, and refused the second time", async () => {
	const world = await makeReviewed(text, ["--reads", "documented"]);
	const answer = await world.run([...applying, ...inJson]);
	expect(readOutput(answer)).toMatchObject({ exitCode: 0, plans: [{ reads: "documented" }] });
	expect([...new Set(world.requests())].sort()).toEqual(["delete_policies", "list_user_tags", "update_user_tag"]);
	const again = await world.run([...applying, ...inJson]);
	expect(readOutput(again)).toMatchObject({ exitCode: 6, error: { code: "plan-applied" } });
});

test("a plan without changes runs and submits nothing", async () => {
	const world = await makeReviewed(document(agreeing.userTags));
	const answer = await world.run(applying);
	expect(answer.code).toBe(0);
	expect(answer.stdout).toContain("Applied: nothing to do");
	expect(world.requests()).toEqual([]);
});

test("a plan that cannot converge is saved and shown, but not applied", async () => {
	const world = await makeWorld(document("userTags: [{ name: singers }]"));
	expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(1);
	world.clearRequests();
	const shown = await world.run(["show", "plan.json"]);
	expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("no user tag is called `singers`") });
	const applied = await world.run([...applying, ...inJson]);
	expect(readOutput(applied)).toMatchObject({
		exitCode: 1,
		error: { code: "live-problem" },
		plans: [],
		reports: [],
	});
	// Why, only the file says: apply shows nothing of it.
	expect(applied.stderr).toContain("the plan file states that the organization cannot converge");
	expect(applied.stderr + applied.stdout).not.toContain("singers");
	expect(world.requests()).toEqual([]);
});

test("apply --plan evaluates guards again and accepts overrides", async () => {
	const world = await makeReviewed(document(`absent: { policies: [${policies[0]}] }`, "limits: { policies: 0 }"));
	const refused = await world.run([...applying, ...inJson]);
	expect(readOutput(refused)).toMatchObject({ exitCode: 5, error: { code: "guard" }, savedPlan: {} });
	expect(world.submits()).toEqual([]);
	expect((await world.run([...applying, "--allow", "policies=1"])).code).toBe(0);
});

describe("orgsync refuses before any request", () => {
	test("a file that is not what was saved, by apply and by show", async () => {
		const world = await makeReviewed();
		const { plans } = read(world);
		world.write("edited.json", JSON.stringify({ ...read(world), plans: [{ ...plans[0], steps: [] }] }));
		world.write("newer.json", forge(world, { formatVersion: 3 }));
		world.write("wrong.json", forge(world, { plans: [{}] }));
		world.write("answer.json", (await world.run(["plan", ...inJson])).stdout);
		world.write("no.json", text);
		world.clearRequests();
		const reasons = {
			"edited.json": "edited.json was changed after it was saved",
			"newer.json": "newer.json was made by a newer orgsync",
			"wrong.json": "wrong.json was not made by this orgsync: /plans/0 must have required property",
			"answer.json": "answer.json is no saved plan: it is what a command prints with --format json",
			"no.json": "no.json is no saved plan: it is no JSON",
			"missing.json": "missing.json cannot be read: there is no such file or folder",
			".": ". cannot be read: it is a folder",
		};
		for (const [file, reason] of Object.entries(reasons)) {
			for (const words of [
				["apply", "--plan", file],
				["show", file],
			]) {
				expect(await world.run(words)).toEqual(refusal(reason));
			}
		}
		expect(world.requests()).toEqual([]);
	});

	test("other documents than those that were planned", async () => {
		const world = await makeReviewed();
		const strange = text.replace(organizationId, "f0000000-0000-4000-8000-000000000002");
		world.write("changed.yaml", `${text}limits: { policies: 7 }\n`);
		world.write("strange.yaml", strange);
		world.write("more.yaml", `${text}---\n${strange}`);
		world.write("comment.yaml", `# reviewed\n${text}`);
		const reasons = {
			"changed.yaml": `organization ${organizationId} was planned from another document: its digest was sha256:`,
			"strange.yaml": `the saved plan is of organization ${organizationId}, which the documents do not have; the documents have organization f0000000-`,
			"more.yaml":
				"the documents have organization f0000000-0000-4000-8000-000000000002, which the saved plan does not",
			"missing.yaml": "file not found: missing.yaml",
		};
		for (const [file, reason] of Object.entries(reasons)) {
			const answer = await world.run([...applying, "-f", file]);
			expect(answer).toEqual(refusal(reason));
		}
		expect(world.requests()).toEqual([]);
		expect((await world.run([...applying, "-f", "comment.yaml"])).code).toBe(0);
	});

	test("flags that conflict with a saved plan", async () => {
		const world = await makeReviewed();
		const reasons: [string[], string][] = [
			[
				[...applying, "--only", "policy"],
				"--only and --plan cannot be used together: a saved plan is narrowed when it is made",
			],
			[[...applying, "--reads", "documented"], "--reads documented: the saved plan was read with --reads auto"],
			[["apply", "--plan", "-", "-f", "-"], "--plan and --file cannot both be standard input"],
		];
		for (const [words, reason] of reasons) expect(await world.run(words)).toEqual(refusal(reason));
		expect(world.requests()).toEqual([]);
		const input = readFileSync(join(world.folder, "plan.json"), "utf8");
		expect((await world.run(["apply", "--plan", "-", "--reads", "auto"], { stdin: input })).code).toBe(0);
	});

	test("the document as the plan file", async () => {
		const world = await makeReviewed();
		const { code, stderr } = await world.run(["plan", "--out", "./orgsync.yaml"]);
		expect(code).toBe(3);
		expect(stderr).toContain("--out ./orgsync.yaml: that is the document");
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toContain("organizationId");
	});

	test("--abandon with --plan, because the pending activities were reviewed too", async () => {
		const world = await makeReviewed();
		const { code, stderr } = await world.run(["apply", "--plan", "plan.json", "--abandon", `sha256:${"a".repeat(64)}`]);
		expect(code).toBe(3);
		expect(stderr).toContain("--abandon and --plan cannot be used together");
	});

	test("a plan file that cannot be written", async () => {
		const world = await makeWorld(text);
		mkdirSync(join(world.folder, "folder"));
		const devNull: [string[], string] = [
			["--out", "/dev/null"],
			"the plan cannot be saved in /dev/null: it is not a regular file",
		];
		const reasons: [string[], string][] = [
			[
				["--out", "nowhere/plan.json"],
				"the plan cannot be saved in nowhere/plan.json: there is no such file or folder",
			],
			[["--out", "folder"], "the plan cannot be saved in folder: it is a folder"],
			...(onPosix ? [devNull] : []),
			[["--out", "-"], "--out needs the name of a file, not -"],
			[
				["--out", join(world.folder, "same"), "--output", join(world.folder, "same")],
				"--out and --output name the same file",
			],
		];
		for (const [words, reason] of reasons) {
			expect(await world.run(["plan", ...words])).toEqual(refusal(reason));
		}
		expect(world.requests()).toEqual([]);
		expect(readdirSync(world.folder).sort()).toEqual(["folder", "orgsync.yaml"]);
	});
});

test("a failed plan is not saved and leaves the previous file", async () => {
	const world = await makeReviewed();
	const before = readFileSync(join(world.folder, "plan.json"), "utf8");
	const words = ["plan", "--out", "plan.json"];
	expect((await world.run(words, { env: { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } })).code).toBe(4);
	expect(readFileSync(join(world.folder, "plan.json"), "utf8")).toBe(before);
	expect(readdirSync(world.folder).sort()).toEqual(["orgsync.yaml", "plan.json"]);
});

describe("show", () => {
	test("prints the plan with its digest and time, without a service, a document or a key", async () => {
		const world = await makeWorld(text);
		const planned = await world.run(["plan", "--out", "plan.json"]);
		const { digest, plans } = read(world);
		const cwd = makeFolder();
		const env = { ORGSYNC_URL: "", ORGSYNC_API_PRIVATE_KEY: "" };
		const input = readFileSync(join(world.folder, "plan.json"), "utf8");
		const shown = await world.run(["show", "-"], { cwd, env, stdin: input });
		expect(shown).toMatchObject({ code: 0, stderr: "" });
		const [plan, own] = planned.stdout.split("\nSaved plan ");
		expect(own).toMatch(new RegExp(`^${digest} of ${plans[0]?.readAt}, made by orgsync \\S+\\.\n$`));
		const [head, ...rest] = shown.stdout.split("\n\n");
		expect(rest.join("\n\n")).toBe(plan);
		expect(head).toMatch(
			new RegExp(
				`^Saved plan ${digest}\\. As stated by the file, not verified: read at ${plans[0]?.readAt}, made by orgsync `,
			),
		);
		const file = join(world.folder, "plan.json");
		const output = readOutput(await world.run(["show", file, ...inJson], { cwd, env }));
		expect(output).toMatchObject({
			command: "show",
			exitCode: 0,
			plans,
			savedPlan: { digest, readAt: plans[0]?.readAt },
		});
		expect(JSON.stringify(output)).not.toContain(world.folder);
	});
});
