/**
 * Pending activities: submitted once, joined by every run of every runner, and completed when a second user approves.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Answer, makeFolder, normalize, readOutput } from "../run.ts";
import { alice, bob, carol, document, keys, makeWorld, policies, providers, tags, type World } from "../world.ts";

const golden = (name: string): string => fileURLToPath(new URL(`../golden/cli/${name}.txt`, import.meta.url));

const removal = document(`absent: { policies: [${policies[0]}] }`);
const removing = "ACTIVITY_TYPE_DELETE_POLICIES";
const renaming = "ACTIVITY_TYPE_UPDATE_USER_TAG";
const apply = ["apply", "--yes"];
const inJson = ["--format", "json"];

/** An organization where a removal of policies needs a second user. */
async function makeWaitingWorld(text = removal, options: { reads?: "all" | "documented" } = {}): Promise<World> {
	const world = await makeWorld(text, options);
	await world.setRules({ approvals: { [removing]: 2, [renaming]: 2, ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: 2 } });
	return world;
}

/** The same document from another folder with a journal of its own, as a second runner has it. */
function applyElsewhere(world: World, words: readonly string[] = [], privateKey?: string): Promise<Answer> {
	const file = join(world.folder, "orgsync.yaml");
	return world.run([...apply, "-f", file, "--journal", "elsewhere.sqlite", ...words], {
		cwd: makeFolder(),
		...(privateKey === undefined ? {} : { env: { ORGSYNC_API_PRIVATE_KEY: privateKey } }),
	});
}

const approve = (world: World, index = 0): Promise<void> =>
	world.submitAsBob("approve_activity", { fingerprint: world.activities()[index].fingerprint });

// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
const removals = (world: World): readonly any[] => world.activities().filter(({ type }) => type === removing);

describe.each([
	// With list_activities only the first of three runs submits; without it, each resubmits the same bytes once.
	{ reads: "all", words: [], submits: 1 },
	{ reads: "documented", words: ["--reads", "documented"], submits: 3 },
] as const)("a service that answers $reads reads, orgsync $words", ({ reads, words, submits }) => {
	test.each([
		"text",
		"json",
	])("makes one activity in two runs, a second runner, an approval and a run, with exit codes 8, 8, 8, 0 in %s", async (format) => {
		const world = await makeWaitingWorld(removal, { reads });
		const more = [...words, "--format", format];
		const answers = [
			await world.run([...apply, ...more]),
			await world.run([...apply, ...more]),
			await applyElsewhere(world, more),
		];
		expect(answers.map(({ code }) => code)).toEqual([8, 8, 8]);
		const [{ id, fingerprint }] = removals(world);
		for (const answer of answers) {
			if (format === "json") {
				expect(readOutput(answer).reports).toMatchObject([
					{ inSync: false, steps: [{ outcome: "awaiting-approval", activityId: id, fingerprint }] },
				]);
			} else {
				expect(answer.stdout).toContain(`activity ${id}, fingerprint ${fingerprint}`);
				expect(answer.stdout).toContain("Not in sync: 1 pending approval");
			}
		}
		expect(removals(world).length).toBe(1);
		expect(world.submits()).toEqual(Array(submits).fill("delete_policies"));
		expect(world.organization().policies.length).toBe(policies.length);

		await approve(world);
		const last = await world.run([...apply, ...more]);
		expect(last.code).toBe(0);
		if (format === "json") expect(readOutput(last).reports).toMatchObject([{ inSync: true }]);
		else expect(last.stdout).toContain("Applied: ");
		expect(removals(world)).toMatchObject([{ id, status: "ACTIVITY_STATUS_COMPLETED" }]);
		expect(world.organization().policies.length).toBe(policies.length - 1);
		expect((await world.run(["drift", ...words])).code).toBe(0);
	});
});

describe("a step with a pending activity", () => {
	test("is joined by a second runner with another user's key", async () => {
		const world = await makeWaitingWorld();
		expect((await world.run(apply)).code).toBe(8);
		expect((await applyElsewhere(world, [], keys.bob.privateKey)).code).toBe(8);
		expect(world.submits()).toEqual(["delete_policies"]);
	});

	test("is left out, and the other steps are submitted", async () => {
		const world = await makeWaitingWorld(
			document(`absent: { policies: [${policies.join(", ")}] }`, "limits: { lockout: 100 }"),
		);
		await world.submitAsBob("delete_policies", { policyIds: [policies[1]] });
		const answer = await world.run([...apply, ...inJson]);
		expect(answer.code).toBe(8);
		expect(readOutput(answer).plans[0].waiting).toMatchObject([
			{ relation: "same", covers: [{ address: `policy:${policies[1]}`, id: policies[1] }], approvedBy: [bob] },
		]);
		expect(removals(world).map(({ intent }) => intent.deletePoliciesIntent.policyIds)).toEqual([
			[policies[1]],
			[policies[0], policies[2]],
		]);
		expect((await world.run(apply)).code).toBe(8);
		expect(removals(world).length).toBe(2);
	});
});

describe("an activity that is pending for two hours, when its bytes are too old for the service", () => {
	const twoHoursMs = 2 * 60 * 60 * 1000;

	test("is joined by this runner and another, and completes once when it is approved", async () => {
		const world = await makeWaitingWorld();
		expect((await world.run(apply)).code).toBe(8);
		await world.moveClock(twoHoursMs);
		expect((await world.run(apply)).code).toBe(8);
		expect((await applyElsewhere(world)).code).toBe(8);
		expect((await world.run(["wait", "--wait", "0"])).code).toBe(8);
		expect(world.submits()).toEqual(["delete_policies"]);
		await approve(world);
		expect((await world.run(["wait", "--wait", "0"])).code).toBe(0);
		expect((await world.run(apply)).code).toBe(0);
		expect(removals(world).length).toBe(1);
		expect(world.organization().policies.length).toBe(policies.length - 1);
	});
});

describe("status", () => {
	test("lists pending activities with exit 8, and nothing with exit 0 after the approval", async () => {
		const world = await makeWaitingWorld();
		expect(await world.run(["status"])).toMatchObject({ code: 0, stderr: "" });
		expect((await world.run(apply)).code).toBe(8);
		const waiting = await world.run(["status"]);
		expect({ code: waiting.code, stderr: waiting.stderr }).toEqual({ code: 8, stderr: "" });
		await expect(normalize(waiting.stdout)).toMatchFileSnapshot(golden("status-waiting"));
		await approve(world);
		const over = await world.run(["status"]);
		expect({ code: over.code, stderr: over.stderr }).toEqual({ code: 0, stderr: "" });
		await expect(normalize(over.stdout)).toMatchFileSnapshot(golden("status-nothing"));
	});

	test("in JSON has the activity, its objects and its approvers", async () => {
		const world = await makeWaitingWorld();
		await world.run(apply);
		const [{ id, fingerprint }] = removals(world);
		const answer = await world.run(["status", ...inJson]);
		expect(answer.code).toBe(8);
		expect(readOutput(answer).open).toMatchObject([
			{
				activities: [
					{
						activityId: id,
						fingerprint,
						status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
						operation: "delete_policies",
						parameters: { policyIds: [policies[0]] },
						approvedBy: [alice],
						saidBy: "service",
					},
				],
				unanswered: [],
			},
		]);
		await approve(world);
		expect(readOutput(await world.run(["status", ...inJson])).open).toMatchObject([{ activities: [], unanswered: [] }]);
	});

	test("lists activities of other users, but with documented reads only those of this journal", async () => {
		const world = await makeWaitingWorld();
		await world.submitAsBob("delete_policies", { policyIds: [policies[1]] });
		expect((await world.run(["status"])).code).toBe(8);
		expect((await world.run(["status", "--reads", "documented"])).code).toBe(0);
		await world.run([...apply, "--reads", "documented"]);
		const own = await world.run(["status", "--reads", "documented"]);
		expect(own.code).toBe(8);
		expect(own.stdout).toContain(removals(world)[1].id);
		expect(own.stdout).toContain("as last known");
		expect(own.stdout).not.toContain(removals(world)[0].id);
	});

	test("names the objects that activities change, by the document and the journal alone", async () => {
		const tag = document(
			`userTags: [{ name: signatories, previously: [signers], members: { exactly: [alice, bob] } }, { name: oncall, id: ${tags.oncall} }]`,
		);
		const world = await makeWaitingWorld(tag);
		expect((await world.run(apply)).code).toBe(8);
		await world.submitAsBob("update_user_tag", { userTagId: tags.oncall, addUserIds: [], removeUserIds: [bob] });
		await world.submitAsBob("update_user_tag", { userTagId: tags.auditors, addUserIds: [carol], removeUserIds: [] });
		await world.submitAsBob("delete_oauth_providers", { userId: bob, providerIds: [...providers.bob] });
		world.clearRequests();
		const status = await world.run(["status"]);
		await expect(normalize(status.stdout)).toMatchFileSnapshot(golden("status-objects"));
		const waited = await world.run(["wait", "--wait", "0"]);
		await expect(normalize(waited.stdout)).toMatchFileSnapshot(golden("wait-objects"));
		expect(world.requests()).not.toContain("list_user_tags");
		expect(readOutput(await world.run(["status", ...inJson])).open[0].activities[3].covers).toEqual([
			"userTag:signatories",
		]);
	});

	test("lists requests in doubt", async () => {
		const world = await makeWorld(removal);
		await world.addFault({ operation: "delete_policies", fault: "5xx", count: 100 });
		expect((await world.run([...apply, "--timeout", "1"])).code).toBe(1);
		const answer = await world.run(["status", ...inJson]);
		expect(answer.code).toBe(8);
		expect(readOutput(answer).open).toMatchObject([
			{ activities: [], unanswered: [{ operation: "delete_policies", covers: [`policy:${policies[0]}`] }] },
		]);
		expect((await world.run(["status"])).stdout).toContain("in doubt: submitted");
	});

	test("shows the listed status of a request in doubt: a completed one is no longer pending", async () => {
		const world = await makeWorld(removal);
		await world.addFault({ operation: "delete_policies", fault: "drop-after", count: 99 });
		expect((await world.run([...apply, "--timeout", "1"])).code).toBe(1);
		expect(removals(world)).toMatchObject([{ status: "ACTIVITY_STATUS_COMPLETED" }]);
		expect(await world.run(["status"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("nothing is pending"),
		});
		expect(await world.run(["wait"])).toMatchObject({ code: 0 });
		expect(readOutput(await world.run(["status", ...inJson])).open).toMatchObject([{ activities: [], unanswered: [] }]);
	});

	test("sends one query and submits nothing", async () => {
		const world = await makeWaitingWorld();
		await world.run(apply);
		world.clearRequests();
		await world.run(["status"]);
		expect(world.requests()).toEqual(["list_activities"]);
	});
});

describe("wait", () => {
	test("continues while activities are pending, shows votes as it reads them, and ends with 0 when all are approved", async () => {
		const world = await makeWaitingWorld();
		await world.run(apply);
		await world.submitAsBob("update_user_tag", { userTagId: tags.oncall, addUserIds: [], removeUserIds: [bob] });
		const [removed, renamed] = world.activities();
		world.clearRequests();
		const answer = await world.run(["wait", "--wait", "3600", ...inJson], {
			onPause: async (count) => {
				if (count === 2) await world.submitAsBob("approve_activity", { fingerprint: removed.fingerprint });
				if (count === 4) await world.submitAs(keys.alice, "approve_activity", { fingerprint: renamed.fingerprint });
			},
		});
		expect(answer.code).toBe(0);
		const completed = { event: "status", status: "ACTIVITY_STATUS_COMPLETED" };
		expect(readOutput(answer).activities).toMatchObject([
			{
				activityId: removed.id,
				outcome: "completed",
				events: [{ event: "vote", userId: bob, userName: "bob" }, completed],
			},
			{ activityId: renamed.id, outcome: "completed", events: [{ event: "vote", userId: alice }, completed] },
		]);
		await expect(normalize(answer.stderr)).toMatchFileSnapshot(golden("wait-events"));
		// The list at the beginning shows both; later one list for both, and one request for each that has ended or waits alone.
		expect(world.requests()).toEqual([
			...["list_activities", "list_activities", "approve_activity", "list_activities", "get_activity"],
			...["get_activity", "approve_activity", "get_activity"],
		]);
	});

	test("reads again after a reading that failed", async () => {
		const world = await makeWaitingWorld();
		await world.run(apply);
		const answer = await world.run(["wait", "--wait", "600", "--timeout", "1"], {
			onPause: async (count) => {
				if (count === 1) await world.addFault({ operation: "get_activity", fault: "5xx", count: 99 });
				if (count !== 2) return;
				await world.clearFaults();
				await approve(world);
			},
		});
		expect(answer.code).toBe(0);
		expect(answer.stderr).toContain("could not be read, and will be read again");
	});

	test.each([
		{ why: "the time is up", vote: undefined, code: 8, outcome: "awaiting-approval" },
		{ why: "it was approved", vote: "approve_activity", code: 0, outcome: "completed" },
		{ why: "it was rejected", vote: "reject_activity", code: 9, outcome: "rejected" },
	])("exits with $code: $why", async ({ vote, code, outcome }) => {
		const world = await makeWaitingWorld();
		await world.run(apply);
		const [{ id, fingerprint }] = removals(world);
		if (vote !== undefined) await world.submitAsBob(vote, { fingerprint });
		if (vote === undefined) {
			expect(await world.run(["wait", id, "--wait", "0"])).toMatchObject({
				code,
				stdout: `delete_policies of policy:${policies[0]} (activity ${id}): pending approval\n`,
			});
		}
		const json = await world.run(["wait", id, "--wait", "0", ...inJson]);
		expect(json.code).toBe(code);
		expect(readOutput(json).activities).toMatchObject([{ activityId: id, outcome }]);
		expect(world.submits().filter((name) => name === "delete_policies").length).toBe(1);
	});

	test("with the documented reads submits nothing and says that it is in doubt, until apply asks by the same bytes", async () => {
		const world = await makeWaitingWorld(removal, { reads: "documented" });
		const documented = ["--reads", "documented"];
		await world.run([...apply, ...documented]);
		const [{ id }] = removals(world);
		await approve(world);
		world.clearRequests();
		// Nothing can be read, so there is no use in waiting.
		const answer = await world.run(["wait", "--wait", "600", ...documented]);
		expect(answer.code).toBe(8);
		expect(answer.stdout).toMatch(
			new RegExp(
				`^delete_policies of policy:${policies[0]} \\(activity ${id}\\): in doubt: it was pending when it was last read, and .*; apply submits`,
			),
		);
		expect(world.requests()).toEqual([]);
		expect((await world.run([...apply, ...documented])).code).toBe(0);
		expect((await world.run(["wait", ...documented])).code).toBe(0);
		expect(removals(world).length).toBe(1);
	});

	test("exits with 8 for a request in doubt", async () => {
		const world = await makeWaitingWorld();
		await world.addFault({ operation: "delete_policies", fault: "drop-before", count: 99 });
		expect((await world.run([...apply, "--timeout", "1"])).code).toBe(1);
		const answer = await world.run(["wait", "--wait", "0", ...inJson]);
		expect(answer.code).toBe(8);
		expect(readOutput(answer).activities).toMatchObject([
			{ activityId: null, fingerprint: expect.stringMatching(/^sha256:/), outcome: "unknown" },
		]);
	});

	test("waits for the activity of another user, by its id or as one of all", async () => {
		const world = await makeWaitingWorld();
		await world.submitAsBob("delete_policies", { policyIds: [policies[1]] });
		const [{ id }] = removals(world);
		const stdout = `delete_policies of policy:${policies[1]} (activity ${id}): pending approval\n`;
		for (const words of [
			["wait", "--wait", "0"],
			["wait", id, "--wait", "0"],
		]) {
			expect(await world.run(words)).toMatchObject({ code: 8, stdout });
		}
		const rejected = await world.run(["wait", "--wait", "60"], {
			onPause: () => world.submitAsBob("reject_activity", { fingerprint: world.activities()[0].fingerprint }),
		});
		expect(rejected.code).toBe(9);
		expect(await world.run(["wait", id])).toMatchObject({
			code: 9,
			stdout: stdout.replace("pending approval", "rejected"),
		});
	});

	test.each([
		"01a1fe02-1455-712e-be80-c4ad5d3e1bce",
		"no-id",
	])("exits with 3 for the unknown activity %s", async (id) => {
		const world = await makeWaitingWorld();
		const { code, stderr } = await world.run(["wait", id]);
		expect(code).toBe(3);
		expect(stderr).toContain("neither this journal nor the service has it");
	});

	test("exits with 0 in both formats if nothing is pending", async () => {
		const world = await makeWaitingWorld();
		expect(await world.run(["wait"])).toEqual({ code: 0, stdout: "Nothing is pending.\n", stderr: "" });
		const json = await world.run(["wait", ...inJson]);
		expect(json.code).toBe(0);
		expect(readOutput(json).activities).toEqual([]);
		expect(world.submits()).toEqual([]);
	});
});

describe("a conflicting activity of another user", () => {
	const both = document(
		"userTags: [{ name: signatories, previously: [signers] }]",
		`absent: { policies: [${policies[0]}] }`,
	);

	/** Bob's renaming is pending; later steps need no approval. */
	async function contradicted(): Promise<{ world: World; id: string; fingerprint: string }> {
		const world = await makeWaitingWorld(both);
		await world.submitAsBob("update_user_tag", {
			userTagId: tags.signers,
			newUserTagName: "others",
			addUserIds: [],
			removeUserIds: [],
		});
		await world.setRules({});
		world.clearRequests();
		const [{ id, fingerprint }] = world.activities();
		return { world, id, fingerprint };
	}

	const nameOfTag = (world: World): string => world.organization().userTags[0].tagName;

	test("is shown in the plan", async () => {
		const { world, id } = await contradicted();
		const { code, stdout, stderr } = await world.run(["plan"]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		await expect(normalize(stdout)).toMatchFileSnapshot(golden("plan-contradicted"));
		const json = await world.run(["plan", "--detailed-exitcode", ...inJson]);
		expect(json.code).toBe(2);
		expect(readOutput(json).plans[0]).toMatchObject({
			waiting: [{ activityId: id, relation: "conflicting", covers: [{ address: "userTag:signatories" }] }],
			steps: [{ earlierActivity: { activityId: id, relation: "conflicting" } }, { earlierActivity: null }],
		});
	});

	test("blocks its object in apply, which applies the rest and exits with 8", async () => {
		const { world, id } = await contradicted();
		const answer = await world.run(apply);
		expect(answer.code).toBe(8);
		await expect(normalize(answer.stdout)).toMatchFileSnapshot(golden("apply-contradicted"));
		expect(world.submits()).toEqual(["delete_policies"]);
		expect(nameOfTag(world)).toBe("signers");
		const again = await world.run([...apply, ...inJson]);
		expect(again.code).toBe(8);
		expect(readOutput(again).reports[0].steps).toMatchObject([{ outcome: "not-attempted", activityId: id }]);
		expect(world.submits()).toEqual(["delete_policies"]);
	});

	test.each(["id", "fingerprint"] as const)("blocks nothing after it is abandoned by its %s", async (by) => {
		const { world, ...names } = await contradicted();
		expect((await world.run([...apply, "--abandon", names[by].toUpperCase().replace("SHA256", "sha256")])).code).toBe(
			0,
		);
		expect([...world.submits()].sort()).toEqual(["delete_policies", "update_user_tag"]);
		expect(nameOfTag(world)).toBe("signatories");
		expect((await world.run(apply)).code).toBe(0);
	});

	describe("abandoned by a run that then submits nothing", () => {
		const runs: Readonly<Record<string, (world: World, words: readonly string[]) => Promise<number | null>>> = {
			"because a guard refuses": async (world, words) => {
				world.write("guarded.yaml", `${both}limits: { policies: 0 }\n`);
				return (await world.run([...apply, "-f", "guarded.yaml", ...words])).code;
			},
			"because the organization cannot become that": async (world, words) => {
				world.write("impossible.yaml", `${both.trimEnd().replace("userTags: [", "userTags: [{ name: singers }, ")}\n`);
				return (await world.run([...apply, "-f", "impossible.yaml", ...words])).code;
			},
		};

		test.each(Object.keys(runs))("stays unabandoned: %s, and the next run leaves its object alone", async (why) => {
			const { world, id } = await contradicted();
			expect([1, 5]).toContain(await runs[why]?.(world, ["--abandon", id]));
			expect(world.submits()).toEqual([]);
			const { plans } = readOutput(await world.run(["plan", ...inJson]));
			expect(plans[0].waiting).toMatchObject([{ activityId: id, relation: "conflicting" }]);
		});
	});

	test("that is abandoned is in the plan of apply and is confirmed only as an override", async () => {
		const { world, id } = await contradicted();
		const { stderr, code } = await world.run([...apply, "--abandon", id]);
		expect(code).toBe(0);
		expect(stderr).toContain("Plan: 2 activities;");
		expect(stderr).toContain(`Overrides used:\n  --abandon ${id}: `);
		expect(stderr).not.toContain(`activity ${id}`);
	});

	test("of this journal that is abandoned is not queried again, and its step is submitted again", async () => {
		const world = await makeWaitingWorld(removal, { reads: "documented" });
		const alone = [...apply, "--reads", "documented"];
		expect((await world.run(alone)).code).toBe(8);
		const [{ id }] = removals(world);
		world.clearRequests();
		expect((await world.run([...alone, "--abandon", id])).code).toBe(8);
		expect(world.submits()).toEqual(["delete_policies"]);
		expect(removals(world).length).toBe(2);
	});

	test("blocks nothing after it is rejected", async () => {
		const { world, fingerprint } = await contradicted();
		await world.submitAsBob("reject_activity", { fingerprint });
		expect((await world.run(apply)).code).toBe(0);
		expect(nameOfTag(world)).toBe("signatories");
	});

	test("is required by --abandon: anything else is exit 3 before any request", async () => {
		const { world } = await contradicted();
		const run = (name: string) => world.run([...apply, "--abandon", name, ...inJson]);
		for (const answer of await Promise.all(["nonsense", "", "sha256:12", policies[0].slice(1)].map(run))) {
			expect(answer.code).toBe(3);
			expect(readOutput(answer).error).toMatchObject({ code: "configuration" });
		}
		expect(world.requests()).toEqual([]);
	});
});
