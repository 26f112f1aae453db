/** Votes on pending activities through the command line: what is approved, what is refused and named, and the exit codes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { vendorClient } from "../../emulator/world.ts";
import { makeKey } from "../../keys.ts";
import { type Answer, keepSecret, makeFolder, readOutput } from "../../run.ts";
import {
	alice,
	bob,
	carol,
	document,
	keys,
	makeWorld,
	organizationId,
	policies,
	providers,
	tags,
	type World,
} from "../../world.ts";
import { startHostileService } from "../hostile-service.ts";

const removing = "ACTIVITY_TYPE_DELETE_POLICIES";
const tagging = "ACTIVITY_TYPE_UPDATE_USER_TAG";
const two = { [removing]: 2, [tagging]: 2, ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: 2 };
const mallory = "a0000000-0000-4000-8000-000000000009";
const wanted = document(
	"userTags: [{ name: signers, members: { exactly: [alice, bob, carol] } }]",
	`absent: { policies: [${policies[0]}], oauthProviders: { bob: [${providers.bob[0]}] } }`,
);
const inJson = ["--format", "json"];

/** An organization where these activities need a second user, and its document. */
async function makePendingWorld(text = wanted, rules: object = { approvals: two }): Promise<World> {
	const world = await makeWorld(text);
	await world.setRules(rules);
	return world;
}

/** Runs as bob, in a folder and with a journal of his own. */
function runAsBob(world: World, words: readonly string[], cwd = makeFolder()): Promise<Answer> {
	const [command = "", ...others] = words;
	const file = words.includes("-f") ? [] : ["-f", join(world.folder, "orgsync.yaml")];
	return world.run([command, ...file, ...others], { cwd, env: { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey } });
}

const addToSigners = (...addUserIds: string[]) => ({ userTagId: tags.signers, addUserIds, removeUserIds: [] });
const statuses = (world: World) => {
	const pending = world.activities().filter(({ type }) => !/APPROVE|REJECT/.test(type));
	return pending.map(({ status }) => status.replace("ACTIVITY_STATUS_", ""));
};
const signersOf = (world: World) => world.organization().userTags[0].userIds;

test("two people approve the three activities of a reviewed plan, and the look-alike of an attacker is refused and named", async () => {
	const world = await makePendingWorld();
	const key = makeKey();
	keepSecret(key.privateKey);
	await world.change({ users: [{ userId: mallory, userName: "mallory", apiKeys: [{ publicKey: key.publicKey }] }] });
	const plan = join(world.folder, "plan.json");
	expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
	const { digest } = JSON.parse(readFileSync(plan, "utf8"));
	expect((await runAsBob(world, ["approve", "--plan", plan])).code).toBe(8);
	expect((await world.run(["apply", "--plan", "plan.json"])).code).toBe(8);

	const attacker = vendorClient(world.url, key);
	const { activity } = await attacker.updateUserTag({
		...{ type: tagging, timestampMs: String(Date.now()), organizationId },
		parameters: addToSigners(bob, mallory),
	});
	world.clearRequests();
	const byPlan = await runAsBob(world, ["approve", "--plan", plan, "--digest", digest]);
	expect(byPlan.code).toBe(0);
	expect(world.submits()).toEqual(["approve_activity", "approve_activity", "approve_activity"]);
	expect(statuses(world)).toEqual(["COMPLETED", "COMPLETED", "COMPLETED", "CONSENSUS_NEEDED"]);
	expect(byPlan.stdout).toContain(`Approved: 3 completed. 1 refused: ${activity.id}.`);
	expect(byPlan.stdout).toContain("mallory");
	expect(signersOf(world)).not.toContain(mallory);

	world.clearRequests();
	const again = await runAsBob(world, ["approve", "--plan", plan]);
	expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("3 had ended before") });
	const named = await runAsBob(world, ["approve", activity.id, "--plan", plan, ...inJson]);
	expect(named.code).toBe(5);
	expect(readOutput(named).votes[0].activities).toMatchObject([
		{ decision: "refused", disagreements: [{ code: "differs-from-step", differences: [{ more: [mallory] }] }] },
	]);
	const byDocument = await runAsBob(world, ["approve", "--yes", ...inJson]);
	expect(byDocument.code).toBe(0);
	expect(readOutput(byDocument).votes[0].activities).toMatchObject([
		{ decision: "refused", disagreements: [{ code: "adds-unwanted", userIds: [mallory] }] },
	]);
	expect(world.submits()).toEqual([]);
	expect((await runAsBob(world, ["reject", activity.id, "--yes"])).code).toBe(0);
	expect(statuses(world).at(-1)).toBe("REJECTED");
});

test("of two activities that equal one step the oldest is approved, and the other is named as a duplicate, also later", async () => {
	const world = await makePendingWorld(document("userTags: [{ name: signers, members: { atLeast: [bob] } }]"));
	expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
	await world.submitAsBob("update_user_tag", addToSigners(bob));
	await world.submitAsBob("update_user_tag", addToSigners(bob), 1);
	const [{ id: first }, { id: second }] = world.activities();
	for (const sent of [["approve_activity"], []]) {
		world.clearRequests();
		const answer = await world.run(["approve", "--plan", "plan.json", ...inJson]);
		expect({ code: answer.code, sent: world.submits() }).toEqual({ code: 0, sent });
		expect(readOutput(answer).votes[0].activities).toMatchObject([
			{ stepId: "step-1", outcome: "completed", disagreements: [] },
			{ decision: "refused", disagreements: [{ code: "duplicate", stepId: "step-1", activityId: first }] },
		]);
	}
	expect(world.activities().find(({ id }) => id === second).votes.length).toBe(1);
});

test("an activity that completed before the plan, and was undone since, leaves its step to the pending one", async () => {
	const world = await makePendingWorld(document("userTags: [{ name: signers, members: { atLeast: [bob] } }]"));
	await world.submitAsBob("update_user_tag", addToSigners(bob));
	expect((await world.run(["approve", "--yes"])).code).toBe(0);
	await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice] }] });
	expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
	expect((await world.run(["apply", "--plan", "plan.json"])).code).toBe(8);
	const answer = await runAsBob(world, ["approve", "--plan", join(world.folder, "plan.json")]);
	expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining("Approved: 1 completed.") });
	expect(signersOf(world)).toEqual([alice, bob]);
});

describe("without arguments", () => {
	const rules = { approvals: { ...two, ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: 2 } };
	const text = document(
		"userTags:",
		"  - { name: signers, members: { exactly: [alice, bob] } }",
		"  - { name: oncall, members: { atLeast: [bob], never: [carol] } }",
		`absent: { policies: [${policies[0]}] }`,
	);
	const change = (tag: keyof typeof tags, more: object) =>
		["update_user_tag", { userTagId: tags[tag], addUserIds: [], removeUserIds: [], ...more }] as const;
	const activities = [
		[change("signers", { addUserIds: [bob], removeUserIds: [carol] }), []],
		[["delete_policies", { policyIds: [policies[0]] }], []],
		[change("signers", { addUserIds: [bob, carol] }), [{ code: "adds-unwanted", userIds: [carol] }]],
		[change("signers", { removeUserIds: [alice] }), [{ code: "removes-wanted", userIds: [alice] }]],
		[change("signers", { newUserTagName: "singers" }), [{ code: "renames", name: "singers", wanted: "signers" }]],
		[change("oncall", { addUserIds: [alice] }), [{ code: "members-unmanaged", userIds: [alice] }]],
		[change("oncall", { addUserIds: [carol] }), [{ code: "adds-unwanted", userIds: [carol] }]],
		[change("auditors", { addUserIds: [bob] }), [{ code: "unmanaged" }]],
		[["delete_policies", { policyIds: policies }], [{ code: "not-absent", ids: [policies[1], policies[2]] }]],
		[["init_import_private_key", { userId: bob }], [{ code: "unmanaged" }]],
	] as const;

	test("what agrees with the document is approved, and what contradicts it only where it is named", async () => {
		const world = await makePendingWorld(text, rules);
		for (const [[name, parameters]] of activities) await world.submitAsBob(name, parameters);
		await world.submitAsBob("delete_policies", { policyIds: [policies[0]] }, 1000);
		const ids = world.activities().map(({ id }) => id);
		const twice = { decision: "refused", disagreements: [{ code: "duplicate", stepId: null, activityId: ids[1] }] };
		const answer = await world.run(["approve", "--yes", ...inJson]);
		expect(answer.code).toBe(0);
		expect(readOutput(answer).votes[0].activities).toMatchObject([
			...activities.map(([, disagreements], index) => ({
				...{ activity: { activityId: ids[index] }, disagreements },
				...(index < 2 ? { decision: "vote", outcome: "completed" } : { decision: "refused", outcome: null }),
			})),
			twice,
		]);
		expect(signersOf(world)).toEqual([alice, bob]);
		const named = await world.run(["approve", ids[4], ids[9], "--yes"]);
		expect(named.code).toBe(0);
		expect(named.stderr).toContain("conflicts with the document: the new name is singers");
		expect(world.organization().userTags[0].tagName).toBe("singers");
		expect(statuses(world).filter((status) => status === "COMPLETED").length).toBe(4);
	});
});

describe("a window of the document", () => {
	test("decides by the service's time, and makes a saved plan stale when it ends", async () => {
		const until = new Date(Date.now() + 3_600_000).toISOString();
		const world = await makePendingWorld(
			document(
				`userTags: [{ name: signers, members: { exactly: [alice, carol, { user: bob, until: "${until}", reason: rota }] } }]`,
			),
		);
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		await world.submitAsBob("update_user_tag", addToSigners(bob));
		// A reviewer sees until when, and why; without a terminal and --yes, nothing is submitted.
		const shown = /\n +\+ member bob \(access ends [\d-]+ [\d:]+ UTC, reason "rota"\)\n/;
		expect(await world.run(["approve"])).toMatchObject({ code: 3, stderr: expect.stringMatching(shown) });
		await world.moveClock(3_602_000);
		world.clearRequests();
		const stale = await world.run(["approve", "--plan", "plan.json"]);
		expect(stale).toMatchObject({ code: 6, stderr: expect.stringContaining("the plan was valid until") });
		const refused = await world.run(["approve", "--yes", ...inJson]);
		expect(refused.code).toBe(0);
		expect(readOutput(refused).votes[0].activities).toMatchObject([
			{ decision: "refused", disagreements: [{ code: "adds-unwanted", userIds: [bob] }] },
		]);
		// Who approves it nevertheless must not read that the access ends on its own.
		expect((await world.run(["approve", "--yes"])).stdout).toContain("adds member bob (access expired ");
		expect(world.submits()).toEqual([]);
	});
});

test("guards, limits and rules judge what would be approved, and --allow overrides them", async () => {
	const world = await makePendingWorld(`${wanted}limits: { policies: 0 }\n`);
	await world.submitAsBob("delete_policies", { policyIds: [policies[0]] });
	world.clearRequests();
	const blocked = await world.run(["approve", "--yes"]);
	expect(blocked).toMatchObject({ code: 5, stderr: expect.stringContaining("--allow policies=1") });
	expect(world.submits()).toEqual([]);
	expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
	const plan = join(world.folder, "plan.json");
	const elsewhere = { cwd: makeFolder() };
	expect((await world.run(["approve", "--plan", plan], elsewhere)).code).toBe(5);
	expect((await world.run(["approve", "--plan", plan, "--allow", "policies=1"], elsewhere)).code).toBe(8);
	expect((await world.run(["approve", world.activities()[0].id, "--plan", plan], elsewhere)).code).toBe(0);
	expect(statuses(world)).toEqual(["COMPLETED"]);
});

describe("exit codes", () => {
	test("are 8 while other approvals are missing, 9 and 0 for what ended, and no vote is sent twice", async () => {
		const world = await makePendingWorld(wanted, { approvals: { [removing]: 3 } });
		await world.submitAsBob("delete_policies", { policyIds: [policies[0]] });
		const [{ id, fingerprint }] = world.activities();
		world.clearRequests();
		const answers = [await world.run(["approve", "--yes"]), await world.run(["approve", fingerprint, "--yes"])];
		const elsewhere = await world.run(["approve", id, "--yes", "--journal", "elsewhere.sqlite", ...inJson]);
		expect([...answers, elsewhere].map(({ code }) => code)).toEqual([8, 8, 8]);
		expect(readOutput(elsewhere).votes[0].activities).toMatchObject([
			{ decision: "voted", outcome: "awaiting-approval" },
		]);
		expect(world.submits()).toEqual(["approve_activity"]);
		expect((await world.run(["reject", id, "--yes"])).code).toBe(0);
		expect((await world.run(["reject", id, "--yes"])).code).toBe(0);
		const late = await world.run(["approve", id, "--yes"]);
		expect(late).toMatchObject({ code: 9, stdout: expect.stringContaining("1 had ended before: 1 rejected.") });
		expect((await world.run(["approve", "--yes"])).code).toBe(0);
		await world.setRules({});
		await world.submitAsBob("delete_policies", { policyIds: [policies[0]] }, 5);
		const done = world.activities().find(({ status, type }) => type === removing && status.endsWith("COMPLETED"));
		expect((await world.run(["approve", done.id, "--yes"])).code).toBe(0);
		expect((await world.run(["reject", done.id, "--yes"])).code).toBe(1);
	});

	test("are 3 for what is no activity, without a terminal, without a document, and then nothing is submitted", async () => {
		const world = await makePendingWorld();
		await world.submitAsBob("delete_policies", { policyIds: [policies[0]] });
		const [{ id }] = world.activities();
		world.clearRequests();
		const asking = await world.run(["approve"]);
		expect(asking).toMatchObject({ code: 3, stderr: expect.stringContaining("approve asks before it votes") });
		expect(asking.stderr).toContain(`policy:${policies[0]}`);
		const other = { cwd: makeFolder() };
		const answers = await Promise.all([
			world.run(["approve", "nonsense", "--yes"]),
			world.run(["approve", tags.signers, "--yes"]),
			world.run(["approve", "--yes", "--digest", `sha256:${"0".repeat(64)}`]),
			world.run(["reject", "--yes"]),
			world.run(["reject", id]),
			world.run(["approve", "--yes", "--organization", organizationId], other),
		]);
		expect(answers.map(({ code }) => code)).toEqual([3, 3, 3, 3, 3, 3]);
		expect(world.submits()).toEqual([]);
		await world.setRules({ approvals: two, denyReads: ["list_activities"] });
		expect((await world.run(["approve", "--yes"])).stderr).toContain("does not list activities to this key");
		const byId = await world.run(["approve", id, "--yes", "--organization", organizationId], other);
		expect(byId.code).toBe(0);
	});
});

describe("an activity that no one can review is refused by approve and reject, named or not", () => {
	const forgeries: Readonly<Record<string, readonly [change: (text: string, key: string) => string, code: string]>> = {
		"its type is not understood": [
			(text, key) => (key === "type" ? "ACTIVITY_TYPE_CREATE_API_KEYS" : text),
			"not-understood",
		],
		"the request is left out": [(text, key) => (key === "message" ? "" : text), "no-request"],
		"the request is another one": [(text, key) => (key === "message" ? text.replace(bob, carol) : text), "other-bytes"],
		"the signature is another one": [
			(text, key) => (key === "signature" ? text.replace(/..$/, (end) => (end === "00" ? "01" : "00")) : text),
			"bad-signature",
		],
		"the parameters are others": [(text, key) => (key === "0" && text === bob ? carol : text), "other-parameters"],
	};

	test.each(Object.keys(forgeries))("%s", async (name) => {
		const [change, code] = forgeries[name] ?? [];
		const world = await makePendingWorld();
		await world.submitAsBob("update_user_tag", addToSigners(bob));
		const [{ id }] = world.activities();
		const url = await startHostileService(world.url, change ?? ((text) => text));
		world.clearRequests();
		const answers = [
			await world.run(["approve", "--yes", "--url", url, ...inJson]),
			await world.run(["approve", id, "--yes", "--url", url, ...inJson]),
			await world.run(["reject", id, "--yes", "--url", url, ...inJson]),
		];
		expect(answers.map((answer) => answer.code)).toEqual([0, 5, 5]);
		for (const answer of answers) {
			expect(readOutput(answer).votes[0].activities).toMatchObject([
				{ decision: "refused", activity: { mistakes: [{ code }] } },
			]);
		}
		expect(world.submits()).toEqual([]);
	});
});
