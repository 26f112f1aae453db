import { describe, expect, test } from "vitest";
import { type Answer, expectNoSecret, type RunOptions, readOutput, run } from "../run.ts";
import { agreeing, apps, document, keys, makeWorld, policies, tags, type World } from "../world.ts";

interface Case {
	readonly code: number;
	readonly why: string;
	readonly document: string;
	readonly words: readonly string[];
	readonly options?: RunOptions;
	readonly prepare?: (world: World) => Promise<void>;
	/** What the JSON says besides. */
	readonly json: object;
}

const rename = document("userTags: [{ name: signatories, previously: [signers] }]");
const removal = `absent: { policies: [${policies[0]}] }`;
const removalOnly = document(removal);
const both = document("userTags: [{ name: signatories, previously: [signers] }]", removal);
const apply = ["apply", "--yes"];
const type = "ACTIVITY_TYPE_DELETE_POLICIES";
const renaming = "ACTIVITY_TYPE_UPDATE_USER_TAG";

/** A renaming that waits for a second user. */
async function waitForApproval(world: World): Promise<void> {
	await world.setRules({ approvals: { [renaming]: 2 } });
	expect((await world.run(apply)).code).toBe(8);
}

/** Saves a plan in `plan.json`; `meanwhile` runs before it is applied. */
const savePlan =
	(meanwhile?: (world: World) => Promise<void>) =>
	async (world: World): Promise<void> => {
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		await meanwhile?.(world);
	};
const applySaved = ["apply", "--plan", "plan.json"];

const cases: readonly Case[] = [
	{ code: 0, why: "valid", document: rename, words: ["validate"], json: { organizations: [{}] } },
	{ code: 0, why: "a plan", document: rename, words: ["plan"], json: { plans: [{ steps: [{}] }] } },
	{
		code: 0,
		why: "in sync",
		document: both,
		words: apply,
		json: { reports: [{ inSync: true, steps: [{ outcome: "completed" }, { outcome: "completed" }] }] },
	},
	{
		code: 0,
		why: "no drift",
		document: document(agreeing.userTags),
		words: ["drift"],
		json: { plans: [{ changes: [] }] },
	},
	{
		code: 1,
		why: "no server",
		document: rename,
		words: ["plan", "--url", "http://127.0.0.1:1", "--timeout", "1"],
		json: { error: { code: "transport" } },
	},
	{
		code: 1,
		why: "a tag that is not there, planned",
		document: document("userTags: [{ name: singers }]"),
		words: ["plan"],
		json: { plans: [{ problems: [{ code: "tag-not-there" }], steps: [] }] },
	},
	{
		code: 1,
		why: "a tag that is not there, applied",
		document: document("userTags: [{ name: singers }]"),
		words: apply,
		json: { error: { code: "live-problem" }, plans: [{ problems: [{ code: "tag-not-there" }] }], reports: [] },
	},
	{
		code: 1,
		why: "an activity that failed",
		document: rename,
		words: apply,
		prepare: (world) => world.addFault({ operation: "update_user_tag", fault: "fail", count: 1 }),
		json: { reports: [{ inSync: false, steps: [{ outcome: "failed" }] }] },
	},
	{
		code: 2,
		why: "something to do",
		document: rename,
		words: ["plan", "--detailed-exitcode"],
		json: { plans: [{ changes: [{}] }] },
	},
	{
		code: 5,
		why: "something to do, and a guard that blocks it",
		document: document(removal, "limits: { policies: 0 }"),
		words: ["plan", "--detailed-exitcode"],
		json: { plans: [{ changes: [{}], guards: expect.arrayContaining([expect.objectContaining({ refuses: true })]) }] },
	},
	{
		code: 2,
		why: "something to do, and a guard that is overridden",
		document: document(removal, "limits: { policies: 0 }"),
		words: ["plan", "--detailed-exitcode", "--allow", "policies=1"],
		json: { plans: [{ overrides: [{ flag: "allow", kind: "policies", number: 1 }] }] },
	},
	{
		code: 3,
		why: "an override of no guard",
		document: rename,
		words: ["plan", "--allow", "policy=1"],
		json: { error: { code: "configuration" } },
	},
	{
		code: 0,
		why: "a plan that would undo what the change does not mention",
		document: rename,
		words: ["plan", "--base-file", "orgsync.yaml"],
		json: {
			threeWay: [{ documentChanges: [], reverts: [{ what: "rename", before: "signers", after: "signatories" }] }],
		},
	},
	{
		code: 1,
		why: "a tag that is not there, planned with a base",
		document: document("userTags: [{ name: singers }]"),
		words: ["plan", "--base-file", "orgsync.yaml"],
		json: { plans: [{ steps: [] }], threeWay: [{ drifted: [{ what: "problem", fate: "remains" }] }] },
	},
	{
		code: 2,
		why: "something to do, with a base",
		document: rename,
		words: ["plan", "--base-file", "orgsync.yaml", "--detailed-exitcode"],
		json: { threeWay: [{ drifted: [{ fate: "reverted" }] }] },
	},
	{
		code: 3,
		why: "a base that is not there",
		document: rename,
		words: ["plan", "--base", "nowhere"],
		json: { error: { code: "configuration" } },
	},
	{
		code: 2,
		why: "drift",
		document: rename,
		words: ["drift"],
		json: { plans: [{ changes: [{}] }], drift: [{ verdict: "drifted", findings: [{ what: "name-differs" }] }] },
	},
	{
		code: 1,
		why: "drift, something could not be read and no known drift",
		document: removalOnly,
		words: ["drift", "--reads", "documented"],
		json: { drift: [{ verdict: "could-not-look", findings: [], unread: [{ address: `policy:${policies[0]}` }] }] },
	},
	{
		code: 8,
		why: "drift, all that differs waits for an activity",
		document: rename,
		words: ["drift"],
		prepare: waitForApproval,
		json: { drift: [{ verdict: "waiting", findings: [], waiting: [{ earlierActivity: { relation: "same" } }] }] },
	},
	{
		code: 0,
		why: "drift, all of it accepted",
		document: rename,
		words: ["drift", "--accept", "userTag:*"],
		json: { plans: [{ changes: [] }], accepted: [{ address: "userTag:signatories", file: "orgsync.yaml", line: 3 }] },
	},
	{
		code: 2,
		why: "drift, some of it accepted",
		document: both,
		words: ["drift", "--accept", "userTag:signatories"],
		json: { plans: [{ changes: [{ kind: "policy" }] }], accepted: [{}] },
	},
	{
		code: 3,
		why: "drift, accepted where there is none",
		document: rename,
		words: ["drift", "--accept", "policy:*"],
		json: { error: { code: "configuration" } },
	},
	{
		code: 0,
		why: "an export",
		document: rename,
		words: ["export"],
		json: { document: expect.stringContaining("name: oncall"), unread: [], leftOut: [] },
	},
	{
		code: 4,
		why: "an export, a key that the service does not know",
		document: rename,
		words: ["export"],
		options: { env: { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } },
		json: { error: { code: "not-authorized" } },
	},
	{
		code: 3,
		why: "an invalid document",
		document: "organizationId: 7\n",
		words: ["plan"],
		json: { error: { code: "document" }, problems: [{ file: "orgsync.yaml", line: 1 }] },
	},
	{
		code: 3,
		why: "a wrong flag",
		document: rename,
		words: ["plan", "--bogus"],
		json: { error: { code: "configuration" } },
	},
	{
		code: 3,
		why: "nobody to ask",
		document: rename,
		words: ["apply"],
		json: { error: { code: "configuration" } },
	},
	{
		code: 4,
		why: "a key that the service does not know",
		document: rename,
		words: ["plan"],
		options: { env: { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } },
		json: { error: { code: "not-authorized" } },
	},
	{
		code: 5,
		why: "more policies than the document's limit",
		document: document(removal, "limits: { policies: 0 }"),
		words: apply,
		json: { error: { code: "guard" } },
	},
	{
		code: 5,
		why: "what is protected, although another guard was acknowledged",
		document: document(
			"userTags: [{ name: signers, members: { exactly: [alice] } }]",
			removal,
			"protect: { users: [carol] }",
			"limits: { policies: 0 }",
		),
		words: [...apply, "--allow", "policies=1"],
		json: { error: { code: "guard" } },
	},
	{
		code: 1,
		why: "a tag that is not there, and a refusing guard",
		document: document("userTags: [{ name: singers }]", removal, "limits: { policies: 0 }"),
		words: apply,
		json: { error: { code: "live-problem" } },
	},
	{
		code: 0,
		why: "a saved plan, shown",
		document: rename,
		words: ["show", "plan.json"],
		prepare: savePlan(),
		json: { plans: [{ steps: [{}] }], savedPlan: {} },
	},
	{
		code: 0,
		why: "a saved plan, applied",
		document: rename,
		words: applySaved,
		prepare: savePlan(),
		json: { reports: [{ inSync: true, steps: [{ outcome: "completed" }] }], savedPlan: {} },
	},
	{
		code: 3,
		why: "a file that is no saved plan",
		document: rename,
		words: ["apply", "--plan", "orgsync.yaml"],
		json: { error: { code: "configuration" } },
	},
	{
		code: 6,
		why: "a saved plan that touches what moved",
		document: rename,
		words: applySaved,
		prepare: savePlan((world) => world.change({ userTags: [{ tagId: tags.signers, tagName: "renamed" }] })),
		json: { error: { code: "stale-plan" }, reports: [], outdated: [{ address: "userTag:signatories" }], savedPlan: {} },
	},
	{
		code: 6,
		why: "a saved plan that is stale, and a guard that refuses",
		document: document(removal, "userTags: [{ name: signatories, previously: [signers] }]", "limits: { policies: 0 }"),
		words: applySaved,
		prepare: savePlan((world) => world.change({ userTags: [{ tagId: tags.signers, tagName: "renamed" }] })),
		json: { error: { code: "stale-plan" }, outdated: [{}] },
	},
	{
		code: 7,
		why: "one step completed, another denied",
		document: both,
		words: apply,
		prepare: (world) => world.setRules({ deny: [{ type }] }),
		json: { reports: [{ inSync: false, steps: [{ outcome: "completed" }, { outcome: "denied" }] }] },
	},
	{
		code: 7,
		why: "one step completed, another rejected",
		document: both,
		words: apply,
		prepare: (world) => world.addFault({ operation: "delete_policies", fault: "reject", count: 1 }),
		json: { reports: [{ steps: [{ outcome: "completed" }, { outcome: "rejected" }] }] },
	},
	{
		code: 8,
		why: "waiting for approval",
		document: removalOnly,
		words: apply,
		prepare: (world) => world.setRules({ approvals: { [type]: 2 } }),
		json: { reports: [{ inSync: false, steps: [{ outcome: "awaiting-approval" }] }] },
	},
	{
		code: 8,
		why: "waiting for an authenticator",
		document: removalOnly,
		words: apply,
		prepare: (world) => world.setRules({ authenticators: [type] }),
		json: { reports: [{ steps: [{ outcome: "awaiting-authenticator" }] }] },
	},
	{
		code: 8,
		why: "one step completed, another waits",
		document: both,
		words: apply,
		prepare: (world) => world.setRules({ approvals: { [type]: 2 } }),
		json: { reports: [{ steps: [{ outcome: "completed" }, { outcome: "awaiting-approval" }] }] },
	},
	{
		code: 9,
		why: "denied",
		document: removalOnly,
		words: apply,
		prepare: (world) => world.setRules({ deny: [{ type }] }),
		json: { reports: [{ steps: [{ outcome: "denied", policyEvaluations: [{ outcome: "OUTCOME_DENY_EXPLICIT" }] }] }] },
	},
	{
		code: 9,
		why: "rejected",
		document: removalOnly,
		words: apply,
		prepare: (world) => world.addFault({ operation: "delete_policies", fault: "reject", count: 1 }),
		json: { reports: [{ steps: [{ outcome: "rejected" }] }] },
	},
	{
		code: 9,
		why: "one step denied, another waits",
		document: both,
		words: apply,
		prepare: (world) => world.setRules({ deny: [{ type }], approvals: { [renaming]: 2 } }),
		json: { reports: [{ steps: [{ outcome: "awaiting-approval" }, { outcome: "denied" }] }] },
	},
	{ code: 0, why: "status, nothing waits", document: rename, words: ["status"], json: { open: [{ activities: [] }] } },
	{
		code: 8,
		why: "status, something waits",
		document: rename,
		words: ["status"],
		prepare: waitForApproval,
		json: { open: [{ activities: [{ operation: "update_user_tag" }] }] },
	},
	{ code: 0, why: "powers", document: rename, words: ["powers"], json: { organizations: [{ unread: [{}] }] } },
	{
		code: 3,
		why: "powers of an unknown user",
		document: rename,
		words: ["powers", "--user", "nobody"],
		json: { error: { code: "configuration" } },
	},
	{
		code: 4,
		why: "powers, a key that the service does not know",
		document: rename,
		words: ["powers"],
		options: { env: { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } },
		json: { error: { code: "not-authorized" } },
	},
	{ code: 0, why: "wait, nothing waits", document: rename, words: ["wait"], json: { activities: [] } },
	{
		code: 8,
		why: "wait, the time is up",
		document: rename,
		words: ["wait", "--wait", "0"],
		prepare: waitForApproval,
		json: { activities: [{ outcome: "awaiting-approval" }] },
	},
	{
		code: 9,
		why: "wait, rejected",
		document: rename,
		words: ["wait", "--wait", "0"],
		prepare: async (world) => {
			await waitForApproval(world);
			await world.submitAsBob("reject_activity", { fingerprint: world.activities()[0].fingerprint });
		},
		json: { activities: [{ outcome: "rejected" }] },
	},
	{
		code: 4,
		why: "status, a key that the service does not know",
		document: rename,
		words: ["status"],
		options: { env: { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } },
		json: { error: { code: "not-authorized" } },
	},
	{
		code: 8,
		why: "import-key, waiting for approval",
		document: removalOnly,
		words: ["import-key", "--user", "bob"],
		prepare: (world) => world.setRules({ approvals: { ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: 2 } }),
		json: { outcome: "awaiting-approval" },
	},
	{
		code: 9,
		why: "import-key, denied",
		document: removalOnly,
		words: ["import-key", "--user", "bob"],
		prepare: (world) => world.setRules({ deny: [{ type: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY" }] }),
		json: { outcome: "denied" },
	},
];

describe.each(cases)("exit $code: $why", ({ code, document: text, words, options, prepare, json }) => {
	test("prints no JSON in text", async () => {
		const world = await makeWorld(text);
		await prepare?.(world);
		const answer = await world.run(words, options);
		expect(answer.code).toBe(code);
		expect(answer.stdout + answer.stderr).not.toBe("");
		expect(answer.stdout + answer.stderr).not.toMatch(/^\s*\{|"formatVersion"/m);
	});

	test("is listed in the help of the command", async () => {
		const { stdout } = await run([words[0] ?? "", "--help"]);
		expect(stdout).toMatch(new RegExp(`^Exit codes:\n(?: {2}.*\n)*? {2}${code} +\\S`, "m"));
	});

	test("prints one JSON object that matches its schema", async () => {
		const world = await makeWorld(text);
		await prepare?.(world);
		const answer = await world.run([...words, "--format", "json"], options);
		expect(answer.code).toBe(code);
		expect(readOutput(answer)).toMatchObject({ command: words[0], exitCode: code, error: null, problems: [], ...json });
	});
});

describe("an interrupted apply", () => {
	const threeSteps = document(
		"userTags: [{ name: signatories, previously: [signers] }]",
		`absent: { policies: [${policies[0]}], tvcApps: [${apps.retired}] }`,
	);

	async function interrupt(format: "text" | "json"): Promise<{ world: World; answer: Answer }> {
		const world = await makeWorld(threeSteps);
		await world.addFault({ operation: "update_user_tag", fault: "slow", delayMs: 1500, count: 1 });
		const { child, ended } = world.start(["apply", "--yes", "--concurrency", "1", "--format", format]);
		await expect.poll(() => world.submits().length, { timeout: 20_000 }).toBe(1);
		child.kill("SIGINT");
		return { world, answer: await ended };
	}

	test("exits with 130 after the step in flight, and the next apply does the rest once", async () => {
		const { world, answer } = await interrupt("json");
		expect(answer.code).toBe(130);
		expect(readOutput(answer).reports).toMatchObject([
			{
				interrupted: true,
				inSync: false,
				steps: [{ outcome: "completed" }, { outcome: "not-attempted" }, { outcome: "not-attempted" }],
			},
		]);
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect([...world.submits()].sort()).toEqual([
			"delete_policies",
			"delete_tvc_app_and_deployments",
			"update_user_tag",
		]);
		expect(world.activities().length).toBe(3);
	});

	test("reports in text which steps were not attempted", async () => {
		const { answer } = await interrupt("text");
		expect(answer.code).toBe(130);
		expect(answer.stdout).toContain("Interrupted: 1 completed, 2 not attempted");
		expect(answer.stderr).toContain("Interrupted: finishing the steps in flight");
	});

	test("exits immediately at the second signal, and the next apply finishes the activity in flight and makes no other", async () => {
		const world = await makeWorld(rename);
		await world.addFault({ operation: "update_user_tag", fault: "slow", delayMs: 60_000, count: 1 });
		const { child, ended } = world.start(["apply", "--yes"]);
		await expect.poll(() => world.submits().length, { timeout: 20_000 }).toBe(1);
		let said = "";
		child.stderr?.on("data", (data: string) => {
			said += data;
		});
		child.kill("SIGINT");
		await expect.poll(() => said, { timeout: 20_000 }).toContain("Interrupted");
		child.kill("SIGINT");
		expect((await ended).code).toBe(130);
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.activities().length).toBe(1);
		expect(world.organization().userTags.find(({ tagId }: { tagId: string }) => tagId === tags.signers).tagName).toBe(
			"signatories",
		);
	});
});

test("no private key and no stamp is in anything that was printed or written", () => expectNoSecret());
