/**
 * `apply --resume RUN` goes on after an interruption: it skips organizations that the run left in sync, and shows them as not
 * read. The record of the run only ever skips: nothing is submitted because of it.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { type Answer, readLines, readOutput } from "../../run.ts";
import { alice, bob, keys, makeWorld, tags, type World } from "../../world.ts";

const apply = ["apply", "--yes", "-f", "fleet.yaml"];
const idOf = (index: number): string => `f0000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
const renamed = "{ name: ours, previously: [theirs] }";
const unchanged = "{ name: theirs }";

/** Organizations of alice, each with one tag `theirs`; `entries` are what the documents say of it, by organization. */
async function makeFleet(entries: readonly string[]): Promise<World> {
	const world = await makeWorld();
	const users = [
		{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] },
		{ userId: bob, userName: "bob" },
	];
	const userTags = [{ tagId: tags.oncall, tagName: "theirs", userIds: [alice] }];
	const organizations = entries.map((_, index) => ({ organizationId: idOf(index + 1), users, userTags }));
	await fetch(`${world.url}/emulator/state`, { method: "POST", body: JSON.stringify({ organizations }) });
	describeFleet(world, entries);
	return world;
}

function describeFleet(world: World, entries: readonly string[]): void {
	const documents = entries.map((tag, index) => `---\norganizationId: ${idOf(index + 1)}\nuserTags: [${tag}]\n`);
	world.write("fleet.yaml", documents.join(""));
}

const runOf = ({ stderr }: Pick<Answer, "stderr">): string => /--resume (\S+)\.$/m.exec(stderr)?.[1] ?? "";
const reads = (world: World): number => world.requests().filter((name) => name === "list_user_tags").length;

/** How many activities completed in the organization. */
async function countCompleted(world: World, index: number): Promise<number> {
	const response = await fetch(`${world.url}/emulator/state?organizationId=${idOf(index)}`);
	const { activities } = (await response.json()) as { readonly activities: readonly { readonly status: string }[] };
	return activities.filter(({ status }) => status === "ACTIVITY_STATUS_COMPLETED").length;
}

/** A run over four organizations that left three in sync, one of them unchanged, and failed in the second. */
async function makeFailed(): Promise<{ readonly world: World; readonly run: string }> {
	const world = await makeFleet([unchanged, renamed, renamed, renamed]);
	await world.addFault({ operation: "update_user_tag", fault: "fail" });
	const first = await world.run([...apply, "--concurrency", "1"]);
	expect(first.code).toBe(1);
	world.clearRequests();
	return { world, run: runOf(first) };
}

test("apply --resume skips organizations that the run left in sync, shows them as not read, and reads all others", async () => {
	const { world, run } = await makeFailed();
	const resumed = await world.run([...apply, "--resume", run]);
	expect(resumed.code).toBe(0);
	expect(resumed.stderr).toContain(`Run ${run}, resumed: 3 of 4 organizations are not read again.\n`);
	expect(resumed.stdout).toMatch(
		/^Organization f\S+\nApplied: 1 completed .*\n\n3 organizations: not read, because .* interrupted\.\n\n4 organizations: 3 not read, 1 applied\.\n$/s,
	);
	// What docs/fleets.md shows, with other numbers.
	const page = readFileSync(new URL("../../../docs/fleets.md", import.meta.url), "utf8");
	const [, first = "", id = "", last = ""] = /^```text\n(Run (\S+),.*\n)\.\.\.\n(.*\n)```$/m.exec(page) ?? [];
	const withN = (text: string): string => text.replaceAll(/\b\d+\b/g, "N");
	expect(withN(resumed.stderr.replaceAll(run, ""))).toContain(withN(first.replace(id, "")));
	expect(withN(resumed.stdout)).toContain(withN(last));
	// The plan, the same once activities are listed, and the result.
	expect(reads(world)).toBe(3);
	expect(world.submits()).toEqual(["update_user_tag"]);
	const complete = await world.run([...apply, "--resume", run]);
	expect(complete.code).toBe(3);
	expect(complete.stderr).toContain(`--resume ${run}: the journal has no such run, because it is complete`);
	expect((await world.run(apply)).stdout).toContain("4 organizations: 4 in sync.");
});

test("apply --resume reads an organization again whose document changed, or that the journal knows more about", async () => {
	const { world, run } = await makeFailed();
	describeFleet(world, [`{ name: theirs, members: { atLeast: [${bob}] } }`, renamed, renamed, renamed]);
	expect((await world.run([...apply, "--only", "userTag/theirs"])).code).toBe(0);
	describeFleet(world, [unchanged, renamed, renamed, "{ name: ours, previously: [older] }"]);
	world.clearRequests();
	const resumed = await world.run([...apply, "--resume", run, "--format", "json"]);
	expect(readOutput(resumed)).toMatchObject({ exitCode: 0, run: { id: run, resumed: true }, notRead: [idOf(3)] });
	expect(readOutput(resumed).reports).toHaveLength(3);
	expect(world.submits()).toEqual(["update_user_tag"]);
});

test("apply --resume reads an organization again if access in it may have ended since, whatever the clock of the machine shows", async () => {
	const until = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
	const ending = (hours: number) =>
		`{ name: theirs, members: { atLeast: [{ user: ${alice}, until: ${until(hours)} }] } }`;
	const world = await makeFleet([ending(4), renamed, ending(100)]);
	await world.addFault({ operation: "update_user_tag", fault: "fail" });
	const run = runOf(await world.run([...apply, "--concurrency", "1"]));
	await world.moveClock(5 * 3_600_000);
	const resumed = await world.run([...apply, "--resume", run, "--allow", "ownUserTags=1"]);
	expect(resumed.stderr).toContain(`Run ${run}, resumed: 1 of 3 organizations are not read again.\n`);
	expect([resumed.code, await countCompleted(world, 1), await countCompleted(world, 3)]).toEqual([0, 1, 0]);
});

test("every format of a resumed apply counts the organizations that were not read", async () => {
	for (const format of ["markdown", "html", "github", "jsonl"]) {
		const { world, run } = await makeFailed();
		const answer = await world.run([...apply, "--resume", run, "--format", format]);
		expect(answer.code, format).toBe(0);
		if (format !== "jsonl") expect(answer.stdout).toContain("4 organizations: 3 not read, 1 applied.");
		else {
			const { start, organizations, summary } = readLines(answer);
			expect(organizations.map(({ state }) => state)).toEqual(["notRead", "applied", "notRead", "notRead"]);
			expect(start).toMatchObject({ organizations: 4, run: { id: run, resumed: true } });
			expect(summary).toMatchObject({ exitCode: 0, states: { notRead: 3, applied: 1 } });
		}
	}
});

test("a resumed share that is in sync leaves the other shares of the run to resume", async () => {
	const { world, run } = await makeFailed();
	const share = async (text: string) => {
		const { code, stderr } = await world.run([...apply, "--resume", run, "--shard", text]);
		return { code, skipped: /resumed: (.*) organizations/.exec(stderr)?.[1] };
	};
	// An empty share, too.
	expect(await share("1/9000")).toEqual({ code: 0, skipped: "0 of 0" });
	expect(await share("2/2")).toEqual({ code: 0, skipped: "1 of 1" });
	expect(await share("1/2")).toEqual({ code: 0, skipped: "2 of 3" });
	expect((await share("2/2")).code).toBe(3);
});

test("two resumed runs at once submit nothing twice", async () => {
	const { world, run } = await makeFailed();
	const answers = await Promise.all([1, 2].map(() => world.run([...apply, "--resume", run])));
	expect(answers.map(({ code }) => code)).toEqual([0, 0]);
	expect(world.submits().length).toBeLessThanOrEqual(2);
	expect(await countCompleted(world, 2)).toBe(1);
});

test("apply refuses to resume an unknown run, one of other flags, and a saved plan, and sends nothing", async () => {
	const { world, run } = await makeFailed();
	const journal = join(world.folder, ".orgsync", "journal.sqlite");
	const refusals: readonly (readonly [readonly string[], string])[] = [
		[["--resume", "20260131-093000-000000"], `the latest run in this journal is ${run}; without --resume`],
		[["--resume", run, "--journal", "other.sqlite"], "or in another journal"],
		[["--resume", run, "--only", "userTag"], "the run was made with other flags: it had no --only"],
		[["--resume", run, "--reads", "documented"], "it read with --reads auto"],
		[["--resume", run, "--url", `${world.url}/other`], "its service is http://127.0.0.1"],
		[["--resume", run, "--plan", "plan.json"], "--resume and --plan cannot be used together"],
		[["--resume", "latest"], "It must be the id of a run"],
	];
	for (const [words, message] of refusals) {
		const { code, stderr } = await world.run([...apply, ...words]);
		expect(code, message).toBe(3);
		expect(stderr).toContain(message);
	}
	const later = await world.run([...apply, "--resume", run], { laterMs: 8 * 24 * 60 * 60 * 1000 });
	expect([later.code, later.stderr]).toEqual([3, expect.stringContaining("older than 7 days")]);
	const database = new DatabaseSync(journal);
	database.exec("UPDATE runs SET selection = 'x'");
	database.close();
	const forged = await world.run([...apply, "--resume", run]);
	expect([forged.code, forged.stderr]).toEqual([1, expect.stringContaining("a run in the journal cannot be read")]);
	expect(world.requests()).toEqual([]);
});

test("apply over 400 organizations, killed twice in the middle, submits nothing twice, with and without --resume", async () => {
	const size = 400;
	const step = 5;
	const changing = size / step;
	const world = await makeFleet(Array.from({ length: size }, (_, index) => (index % step === 0 ? renamed : unchanged)));
	await world.addFault({ operation: "update_user_tag", fault: "slow", delayMs: 40, count: 1000 });
	const words = [...apply, "--concurrency", "16", "--format", "jsonl"];
	const killAfter = async (submits: number): Promise<string> => {
		world.clearRequests();
		const { child, ended, stderr } = world.start(words);
		await expect.poll(() => world.submits().length, { timeout: 60_000, interval: 25 }).toBeGreaterThanOrEqual(submits);
		child.kill("SIGKILL");
		await ended;
		return runOf({ stderr: stderr() });
	};
	await killAfter(30);
	const run = await killAfter(20);
	world.clearRequests();
	const last = await world.run([...words, "--resume", run]);
	const { organizations, summary } = readLines(last);
	const states = Map.groupBy(organizations, ({ state }) => state);
	const counts = Object.fromEntries([...states].map(([state, all]) => [state, all.length]));
	expect(last.code).toBe(0);
	expect(organizations.map(({ organizationId }) => organizationId)).toEqual(
		Array.from({ length: size }, (_, index) => idOf(index + 1)),
	);
	expect(summary.states).toEqual(counts);
	expect(counts.notRead).toBeGreaterThanOrEqual(size - changing);
	expect(counts.applied).toBeLessThan(changing);
	const completed = Array.from({ length: changing }, (_, index) => countCompleted(world, index * step + 1));
	expect(await Promise.all(completed)).toEqual(Array(changing).fill(1));
}, 120_000);
