/**
 * `drift` in a scheduled job: which findings are an alarm, their age and their author. A failed run loses no finding of
 * earlier runs.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isInShard } from "../../../src/cli/commands/selection.ts";
import { type Answer, readOutput } from "../../run.ts";
import {
	agreeing,
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

const dayMs = 24 * 60 * 60 * 1000;
const signers = document("userTags: [{ name: signers, members: { exactly: [alice, carol] } }]");
const address = "userTag:signers";

/** Runs the command so many days from now. */
function runLater(world: World, days: number, words: readonly string[], env = {}): Promise<Answer> {
	return world.run(words, { env, laterMs: days * dayMs });
}

const fileOf = (world: World): string => join(world.folder, "drift.json");
const kept = (world: World): readonly string[] =>
	["drift", "--since", fileOf(world), "--format", "json", "--output", fileOf(world)] as const;

/** A scheduled run: it reads and writes the same file, whose JSON is checked as `readOutput` checks what is printed. */
async function runKept(world: World, days: number, words: readonly string[] = [], env = {}) {
	const answer = await runLater(world, days, [...kept(world), ...words], env);
	const output = readOutput({ ...answer, stdout: readFileSync(fileOf(world), "utf8") });
	return { ...answer, output, findings: output.drift[0]?.findings ?? [] };
}

const removeCarol = { userTagId: tags.signers, addUserIds: [], removeUserIds: [carol] };

describe("drift --since", () => {
	test("reports new, remaining and resolved findings with their time and user", async () => {
		const world = await makeWorld(signers);
		const calm = await runKept(world, 0);
		expect(calm).toMatchObject({ code: 0, findings: [], stdout: "" });
		expect(calm.stderr).toContain("drift.json does not exist yet: all findings count as new");

		await world.submitAsBob("update_user_tag", removeCarol);
		const [{ id: activityId, type }] = world.activities();
		const by = { activityId, type, userId: bob, userName: "bob" };
		const first = await runKept(world, 0);
		expect(first).toMatchObject({ code: 2, stderr: "", findings: [{ address, state: "new", by }] });
		const [{ firstSeenAt }] = first.findings;

		const text = await runLater(world, 3.5, ["drift", "--since", fileOf(world)]);
		expect(text.code).toBe(2);
		expect(text.stdout).toContain(`drifted for 3 days (since ${firstSeenAt})\n`);
		expect(text.stdout).toContain("last changed by update_user_tag of bob, ");
		expect(text.stdout).toContain(`, activity ${activityId}\n`);
		expect(text.stdout).toContain("to do: `orgsync apply` adds carol; ");
		expect(text.stdout).toContain("Drift: 1 object drifted (1 from before, for 3 days); ");

		expect((await runLater(world, 0, ["apply", "--yes"])).code).toBe(0);
		const gone = await runKept(world, 4);
		expect(gone).toMatchObject({ code: 0, findings: [], output: { drift: [{ gone: [{ address, firstSeenAt }] }] } });
		expect((await runKept(world, 5)).output.drift[0].gone).toEqual([]);
	});

	test("keeps findings through failed runs, which report that they compared nothing", async () => {
		const world = await makeWorld(signers);
		await world.submitAsBob("update_user_tag", removeCarol);
		const [{ firstSeenAt, by }] = (await runKept(world, 0)).findings;
		const unseen = [{ state: "not-looked-at", firstSeenAt, by }];

		const failed = await runKept(world, 1, ["--timeout", "1"], { ORGSYNC_URL: "http://127.0.0.1:1" });
		expect(failed).toMatchObject({ code: 1, findings: unseen });
		const error = { code: "transport" };
		expect(failed.output).toMatchObject({ error, drift: [{ organizationId, verdict: "could-not-look", error }] });

		world.write("orgsync.yaml", "organizationId: 7\n");
		const invalid = await runKept(world, 2);
		expect(invalid).toMatchObject({ code: 3, findings: unseen });
		expect(invalid.output).toMatchObject({ error: { code: "document" }, problems: [{ line: 1 }] });

		world.write("orgsync.yaml", signers);
		const stranger = { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey };
		expect(await runKept(world, 3, [], stranger)).toMatchObject({ code: 4, findings: unseen });
		expect(await runKept(world, 4)).toMatchObject({ code: 2, findings: [{ state: "still-there", firstSeenAt }] });
	});

	test("replaces the report as a whole and leaves no other file", async () => {
		const world = await makeWorld(signers);
		await runKept(world, 0);
		const before = statSync(fileOf(world)).ino;
		expect((await runKept(world, 1)).code).toBe(0);
		expect(statSync(fileOf(world)).ino).not.toBe(before);
		expect(readdirSync(world.folder).sort()).toEqual(["drift.json", "orgsync.yaml"]);
	});

	test("keeps findings that --only leaves out, and reports an organization that the documents leave out", async () => {
		const world = await makeWorld(`${signers}absent: { policies: [${policies[0]}] }\n`);
		await runKept(world, 0);
		await world.submitAsBob("update_user_tag", removeCarol);
		expect(await runKept(world, 1, ["--only", "userTag"])).toMatchObject({
			code: 2,
			findings: [
				{ address, state: "new" },
				{ address: `policy:${policies[0]}`, state: "not-looked-at" },
			],
		});
		const other = "f0000000-0000-4000-8000-000000000002";
		world.write("drift.json", readFileSync(fileOf(world), "utf8").replaceAll(organizationId, other));
		expect((await runKept(world, 2)).stderr).toContain(
			`organization ${other} is in no document: its findings are left out`,
		);
	});
});

describe("drift --since refuses with exit 3 before any request", () => {
	const report = { formatVersion: 1, command: "drift", exitCode: 0, error: null, problems: [] };
	const error = { code: "service", message: "the service refused", hint: null };
	test.each<[string, string, string]>([
		["no JSON", "drift", "it is no JSON"],
		["an empty file", "", "the file is empty"],
		["a list", "[]", "it is not a drift report"],
		[
			"another command's output",
			JSON.stringify({ ...report, command: "plan" }),
			"it is the output of plan, not of drift",
		],
		["an error without findings", JSON.stringify({ ...report, error }), `has no findings: ${error.message}`],
		[
			"a newer format",
			JSON.stringify({ ...report, formatVersion: 2 }),
			"a newer orgsync wrote it: it has formatVersion 2, and this orgsync reads 1; upgrade orgsync",
		],
		[
			"a format that no orgsync wrote",
			JSON.stringify({ ...report, formatVersion: 0 }),
			"drift.json: it has formatVersion 0, and this orgsync reads 1",
		],
		["no format", JSON.stringify({ ...report, formatVersion: undefined }), "it has no formatVersion"],
		["findings of another shape", JSON.stringify({ ...report, drift: [{}] }), "its findings cannot be read"],
	])("%s, which stays unchanged", async (_what, content, why) => {
		const world = await makeWorld(signers);
		world.write("drift.json", content);
		const answer = await runLater(world, 0, kept(world));
		expect(answer.code).toBe(3);
		expect(readOutput(answer).error).toMatchObject({ code: "configuration", message: expect.stringContaining(why) });
		expect(readFileSync(fileOf(world), "utf8")).toBe(content);
		expect(world.requests()).toEqual([]);
	});

	test("the report of another shard, which stays unchanged", async () => {
		const world = await makeWorld(signers);
		await world.submitAsBob("update_user_tag", removeCarol);
		await runKept(world, 0);
		const before = readFileSync(fileOf(world), "utf8");
		const shares = ["1/2", "2/2"].sort((one) =>
			isInShard(organizationId, { index: Number(one[0]), count: 2 }) ? -1 : 1,
		);
		const [own = "", other = ""] = shares;
		world.clearRequests();
		const refused = await runLater(world, 1, [...kept(world), "--shard", other]);
		expect(refused.code).toBe(3);
		expect(readOutput(refused).error).toMatchObject({
			code: "configuration",
			message: `--since ${fileOf(world)} is of another share: it has organization ${organizationId}`,
			hint: "use one file for each share",
		});
		expect(readFileSync(fileOf(world), "utf8")).toBe(before);
		expect(world.requests()).toEqual([]);
		expect(await runKept(world, 1, ["--shard", own])).toMatchObject({ code: 2, findings: [{ state: "still-there" }] });
		const gone = "f0000000-0000-4000-8000-000000000002";
		world.write("drift.json", before.replaceAll(organizationId, gone));
		const { code, stderr } = await runLater(world, 1, [...kept(world), "--shard", other]);
		expect(code).toBe(0);
		expect(stderr).toContain(`organization ${gone} is in no document: its findings are left out`);
	});

	test("the report of other organizations too where one is named, which stays unchanged", async () => {
		const other = "f0000000-0000-4000-8000-000000000002";
		const world = await makeWorld(signers);
		await world.submitAsBob("update_user_tag", removeCarol);
		await runKept(world, 0);
		world.write("orgsync.yaml", `${signers}---\norganizationId: ${other}\n`);
		const before = readFileSync(fileOf(world), "utf8");
		const refused = await runLater(world, 1, [...kept(world), "--organization", other]);
		expect(refused.code).toBe(3);
		expect(readOutput(refused).error).toMatchObject({
			message: `--since ${fileOf(world)} is of other organizations too: it has organization ${organizationId}`,
			hint: "leave out --since, or --organization",
		});
		expect(readFileSync(fileOf(world), "utf8")).toBe(before);
		const own = ["--organization", organizationId.toUpperCase()];
		expect(await runKept(world, 1, own)).toMatchObject({ code: 2, findings: [{ state: "still-there" }] });
	});

	test("a file that it also writes in a format that the next run cannot read, and a folder", async () => {
		const world = await makeWorld(signers);
		const answer = await world.run(["drift", "--since", "drift.json", "--output", "./drift.json"]);
		expect(answer.code).toBe(3);
		expect(answer.stderr).toContain("needs --format json");
		expect(existsSync(fileOf(world))).toBe(false);
		const folder = await runLater(world, 0, ["drift", "--since", world.folder]);
		expect(folder).toMatchObject({ code: 3, stderr: expect.stringContaining("it is a folder") });
	});
});

describe("a part that drift cannot read", () => {
	test("is reported with exit 1 beside the known findings", async () => {
		const world = await makeWorld(signers, { reads: "documented" });
		const { code, stdout } = await world.run(["drift"]);
		expect(code).toBe(1);
		expect(stdout).toContain("members of userTag:signers: the service does not answer list_users (HTTP 404)");
		expect(stdout).toContain("Unknown: 1 object could not be read; no known drift.\n");
	});

	test("removes no finding if only the list of activities is denied", async () => {
		const world = await makeWorld(document(agreeing.userTags));
		await world.submitAsBob("update_user_tag", removeCarol);
		await world.setRules({ denyReads: ["list_activities"] });
		const { code, stdout } = await world.run(["drift"]);
		expect(code).toBe(2);
		expect(stdout).toContain("    + member carol\n");
		expect(stdout).toContain("It is unknown who changed it: the service does not list activities to this key\n");
	});
});
