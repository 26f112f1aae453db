import { describe, expect, test } from "vitest";
import { type Answer, expectNoSecret, readOutput, run } from "../run.ts";
import { alice, apps, document, keys, makeWorld, organizationId, policies, tags, type World } from "../world.ts";

/** The exit code, why, the document, the words of the command, and what the JSON says besides. */
type Case = readonly [code: number, why: string, document: string, words: string, json: object, more?: Preparation];

interface Preparation {
	readonly prepare?: (world: World) => Promise<void>;
	readonly env?: Readonly<Record<string, string>>;
}

const rename = document("userTags: [{ name: signatories, previously: [signers] }]");
const removal = `absent: { policies: [${policies[0]}] }`;
const removalOnly = document(removal);
const both = document("userTags: [{ name: signatories, previously: [signers] }]", removal);
const type = "ACTIVITY_TYPE_DELETE_POLICIES";
const renaming = "ACTIVITY_TYPE_UPDATE_USER_TAG";

/** A renaming that waits for a second user. */
async function waitForApproval(world: World): Promise<void> {
	await world.setRules({ approvals: { [renaming]: 2 } });
	expect((await world.run(["apply", "--yes"])).code).toBe(8);
}

/** Saves a plan in `plan.json`; `meanwhile` runs before it is applied. */
const savePlan =
	(meanwhile?: (world: World) => Promise<void>) =>
	async (world: World): Promise<void> => {
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		await meanwhile?.(world);
	};

const guarded = document(removal, "limits: { policies: 0 }");
const missing = document("userTags: [{ name: singers }]");
const withRules = (rules: object): Preparation => ({ prepare: (world) => world.setRules(rules) });
const withFault = (operation: string, fault: string): Preparation => ({
	prepare: (world) => world.addFault({ operation, fault, count: 1 }),
});
const stranger = { env: { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } };
const pending = { prepare: waitForApproval };
const moved = {
	prepare: savePlan((world) => world.change({ userTags: [{ tagId: tags.signers, tagName: "renamed" }] })),
};
const importing = "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY";

const accessCase = "tests: [{ name: no one signs, power: sign, never: [alice] }]";
const withSeed = (sections: object): Preparation => ({
	prepare: async (world) => {
		world.write("a.access.yaml", accessCase);
		const users = [{ userId: alice, userName: "alice" }];
		const rootQuorum = { threshold: 1, userIds: [alice] };
		world.write("seed.json", JSON.stringify({ organizations: [{ organizationId, users, rootQuorum, ...sections }] }));
	},
});

const error = (code: string): object => ({ error: { code } });
const ended = (...outcomes: readonly string[]): object => ({
	reports: [{ steps: outcomes.map((outcome) => ({ outcome })) }],
});

const cases: readonly Case[] = [
	[0, "valid", rename, "validate", { organizations: [{}] }],
	[0, "a plan", rename, "plan", { plans: [{ steps: [{}] }] }],
	[0, "in sync", both, "apply --yes", { reports: [{ inSync: true, steps: [{}, {}] }] }],
	[
		1,
		"a tag that is not there, planned",
		missing,
		"plan",
		{ plans: [{ problems: [{ code: "tag-not-there" }], steps: [] }] },
	],
	[
		1,
		"a tag that is not there, applied",
		missing,
		"apply --yes",
		{ ...error("live-problem"), plans: [{}], reports: [] },
	],
	[1, "an activity that failed", rename, "apply --yes", ended("failed"), withFault("update_user_tag", "fail")],
	[2, "something to do", rename, "plan --detailed-exitcode", { plans: [{ changes: [{}] }] }],
	[
		2,
		"a guard that is overridden",
		guarded,
		"plan --detailed-exitcode --allow policies=1",
		{ plans: [{ overrides: [{ number: 1 }] }] },
	],
	[
		0,
		"a plan that reverts what no one mentions",
		rename,
		"plan --base-file orgsync.yaml",
		{
			threeWay: [{ documentChanges: [], reverts: [{ what: "rename", before: "signers", after: "signatories" }] }],
		},
	],
	[
		1,
		"a tag that is not there, planned with a base",
		missing,
		"plan --base-file orgsync.yaml",
		{
			plans: [{ steps: [] }],
			threeWay: [{ drifted: [{ what: "problem", fate: "remains" }] }],
		},
	],
	[
		2,
		"something to do, with a base",
		rename,
		"plan --base-file orgsync.yaml --detailed-exitcode",
		{ threeWay: [{ drifted: [{ fate: "reverted" }] }] },
	],
	[2, "drift", rename, "drift", { drift: [{ verdict: "drifted", findings: [{ what: "name-differs" }] }] }],
	[
		1,
		"drift, something unread",
		removalOnly,
		"drift --reads documented",
		{ drift: [{ verdict: "could-not-look", findings: [], unread: [{ address: `policy:${policies[0]}` }] }] },
	],
	[
		8,
		"drift, all pending",
		rename,
		"drift",
		{ drift: [{ verdict: "waiting", findings: [], waiting: [{ earlierActivity: { relation: "same" } }] }] },
		pending,
	],
	[0, "an export", rename, "export", { document: expect.stringContaining("name: oncall"), unread: [] }],
	[
		3,
		"an invalid document",
		"organizationId: 7\n",
		"plan",
		{ ...error("document"), problems: [{ file: "orgsync.yaml", line: 1 }] },
	],
	[3, "a wrong flag", rename, "plan --bogus", error("configuration")],
	[3, "nobody to ask", rename, "apply", error("configuration")],
	[4, "a key that the service does not know", rename, "plan", error("not-authorized"), stranger],
	[4, "an export, a key that the service does not know", rename, "export", error("not-authorized"), stranger],
	[4, "powers, a key that the service does not know", rename, "powers", error("not-authorized"), stranger],
	[4, "status, a key that the service does not know", rename, "status", error("not-authorized"), stranger],
	[5, "more policies than the document's limit", guarded, "apply --yes", error("guard")],
	[
		5,
		"what is protected, although another guard was acknowledged",
		document(
			"userTags: [{ name: signers, members: { exactly: [alice] } }]",
			removal,
			"protect: { users: [carol] }",
			"limits: { policies: 0 }",
		),
		"apply --yes --allow policies=1",
		error("guard"),
	],
	[
		1,
		"a tag that is not there, and a refusing guard",
		document("userTags: [{ name: singers }]", removal, "limits: { policies: 0 }"),
		"apply --yes",
		error("live-problem"),
	],
	[
		0,
		"a saved plan, shown",
		rename,
		"show plan.json",
		{ plans: [{ steps: [{}] }], savedPlan: {} },
		{ prepare: savePlan() },
	],
	[
		0,
		"a saved plan, applied",
		rename,
		"apply --plan plan.json",
		{ ...ended("completed"), savedPlan: {} },
		{ prepare: savePlan() },
	],
	[
		6,
		"a saved plan that touches what moved",
		rename,
		"apply --plan plan.json",
		{ ...error("stale-plan"), reports: [], outdated: [{}], savedPlan: {} },
		moved,
	],
	[
		6,
		"a saved plan that is stale, and a guard that refuses",
		document(removal, "userTags: [{ name: signatories, previously: [signers] }]", "limits: { policies: 0 }"),
		"apply --plan plan.json",
		{ ...error("stale-plan"), outdated: [{}] },
		moved,
	],
	[
		7,
		"one step completed, another denied",
		both,
		"apply --yes",
		ended("completed", "denied"),
		withRules({ deny: [{ type }] }),
	],
	[
		7,
		"one step completed, another rejected",
		both,
		"apply --yes",
		ended("completed", "rejected"),
		withFault("delete_policies", "reject"),
	],
	[
		8,
		"waiting for approval",
		removalOnly,
		"apply --yes",
		ended("awaiting-approval"),
		withRules({ approvals: { [type]: 2 } }),
	],
	[
		8,
		"waiting for an authenticator",
		removalOnly,
		"apply --yes",
		ended("awaiting-authenticator"),
		withRules({ authenticators: [type] }),
	],
	[
		8,
		"one step completed, another waits",
		both,
		"apply --yes",
		ended("completed", "awaiting-approval"),
		withRules({ approvals: { [type]: 2 } }),
	],
	[
		9,
		"denied",
		removalOnly,
		"apply --yes",
		{
			reports: [{ steps: [{ outcome: "denied", policyEvaluations: [{ outcome: "OUTCOME_DENY_EXPLICIT" }] }] }],
		},
		withRules({ deny: [{ type }] }),
	],
	[9, "rejected", removalOnly, "apply --yes", ended("rejected"), withFault("delete_policies", "reject")],
	[
		9,
		"one step denied, another waits",
		both,
		"apply --yes",
		ended("awaiting-approval", "denied"),
		withRules({ deny: [{ type }], approvals: { [renaming]: 2 } }),
	],
	[0, "status, nothing waits", rename, "status", { open: [{ activities: [] }] }],
	[
		8,
		"status, something waits",
		rename,
		"status",
		{ open: [{ activities: [{ operation: "update_user_tag" }] }] },
		pending,
	],
	[3, "no access case", rename, "test", error("configuration")],
	[
		10,
		"an access case that fails",
		rename,
		"test --offline seed.json",
		{ organizations: [{ cases: [{ verdict: "failed" }] }] },
		withSeed({ userTags: [], policies: [] }),
	],
	[
		11,
		"an access case that needs what is not read",
		rename,
		"test --offline seed.json",
		{ organizations: [{ cases: [{ verdict: "unknown" }] }] },
		withSeed({}),
	],
	[0, "powers", rename, "powers", { organizations: [{ unread: [{}] }] }],
	[8, "wait, the time is up", rename, "wait --wait 0", { activities: [{ outcome: "awaiting-approval" }] }, pending],
	[
		8,
		"import-key, waiting for approval",
		removalOnly,
		"import-key --user bob",
		{ outcome: "awaiting-approval" },
		withRules({ approvals: { [importing]: 2 } }),
	],
	[
		9,
		"import-key, denied",
		removalOnly,
		"import-key --user bob",
		{ outcome: "denied" },
		withRules({ deny: [{ type: importing }] }),
	],
];

for (const [code, why, text, line, json, { prepare, env = {} } = {}] of cases) {
	const words = line.split(" ");

	describe(`exit ${code}: ${why}`, () => {
		test("prints no JSON in text", async () => {
			const world = await makeWorld(text);
			await prepare?.(world);
			const answer = await world.run(words, { env });
			expect(answer.code).toBe(code);
			expect(answer.stdout + answer.stderr).not.toBe("");
			expect(answer.stdout + answer.stderr).not.toMatch(/^\s*\{|"formatVersion"/m);
		});

		test("prints one JSON object that matches its schema", async () => {
			const world = await makeWorld(text);
			await prepare?.(world);
			const answer = await world.run([...words, "--format", "json"], { env });
			expect(answer.code).toBe(code);
			const expected = { command: words[0], exitCode: code, error: null, problems: [], ...json };
			expect(readOutput(answer)).toMatchObject(expected);
		});
	});
}

test("the help of every command lists its exit codes", async () => {
	for (const [code, , , line] of cases) {
		const { stdout } = await run([line.split(" ")[0] ?? "", "--help"]);
		expect(stdout, line).toMatch(new RegExp(`^Exit codes:\n(?: {2}.*\n)*? {2}${code} +\\S`, "m"));
	}
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

	/** A phase in which the service does not answer for a minute: what comes before it, and what the result says. */
	const silentPhases: readonly (readonly [
		phase: string,
		(world: World) => Promise<void>,
		submits: number,
		json: object,
	])[] = [
		[
			"the first reading",
			(world) => world.addFault({ operation: "list_user_tags", fault: "slow", delayMs: 60_000 }),
			0,
			{ error: { code: "interrupted", message: expect.stringContaining("nothing was submitted") } },
		],
		[
			"the polling of an activity that the service is processing",
			(world) => world.setRules({ pendingMs: { [renaming]: 60_000 } }),
			1,
			{ reports: [{ interrupted: true, steps: [{ outcome: "awaiting-approval" }] }] },
		],
		[
			"the closing verification",
			async (world) => {
				// The submit is slow, so that the readings before it have ended when the next fault comes.
				await world.addFault({ operation: "update_user_tag", fault: "slow", delayMs: 2500 });
			},
			1,
			{
				reports: [
					{
						...{ interrupted: true, steps: [{ outcome: "completed" }], left: null },
						unverified: "orgsync was interrupted before it read the result",
					},
				],
			},
		],
	];

	test.each(silentPhases)("ends at once with 130 during %s", async (phase, prepare, submits, json) => {
		const world = await makeWorld(rename);
		await prepare(world);
		const { child, ended } = world.start(["apply", "--yes", "--format", "json"]);
		const isAsked = (operation: string) => () => world.requests().includes(operation);
		await expect.poll(isAsked(submits === 0 ? "list_user_tags" : "update_user_tag"), { timeout: 20_000 }).toBe(true);
		if (phase.startsWith("the closing")) {
			await world.addFault({ operation: "list_user_tags", fault: "slow", delayMs: 60_000 });
			world.clearRequests();
			await expect.poll(isAsked("list_user_tags"), { timeout: 20_000 }).toBe(true);
		}
		const signaledMs = performance.now();
		child.kill("SIGTERM");
		const answer = await ended;
		expect(performance.now() - signaledMs).toBeLessThan(9000);
		expect(answer.code).toBe(130);
		expect(readOutput(answer)).toMatchObject({ exitCode: 130, ...json });
		expect(world.activities()).toHaveLength(submits);
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
