/** `apply --wait-for-approval` as users have it: what it prints meanwhile, its exit codes, saved plans and fleets. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeFolder, normalize, readOutput } from "../../run.ts";
import { alice, bob, carol, document, keys, makeWorld, policies, tags, type World } from "../../world.ts";

const removing = "ACTIVITY_TYPE_DELETE_POLICIES";
const renaming = "ACTIVITY_TYPE_UPDATE_USER_TAG";

const removal = document(`absent: { policies: [${policies[0]}] }`);
const applyAndWait = ["apply", "--yes", "--wait-for-approval", "2h"];
const inJson = ["--format", "json"];

async function makeWaitingWorld(text: string): Promise<World> {
	const world = await makeWorld(text);
	await world.setRules({ approvals: { [removing]: 2, [renaming]: 2 } });
	return world;
}

/** Votes of bob on everything that needs a second user. */
async function vote(world: World, name = "approve_activity"): Promise<void> {
	for (const { status, fingerprint } of world.activities()) {
		if (status === "ACTIVITY_STATUS_CONSENSUS_NEEDED") await world.submitAsBob(name, { fingerprint });
	}
}

const golden = (name: string): string => fileURLToPath(new URL(`../../golden/cli/${name}.txt`, import.meta.url));

const removals = (world: World) => world.activities().filter(({ type }) => type === removing);

/** What interrupts a command in this process as Ctrl-C does. */
const pressCtrlC = (): void => (process.listeners("SIGINT").at(-1) as (() => void) | undefined)?.();

describe("apply --wait-for-approval", () => {
	test("prints what it waits for, each vote, and who is still missing", async () => {
		const world = await makeWorld(removal);
		await world.change({
			policies: policies.map((policyId) => ({ policyId, policyName: policyId, consensus: "false" })),
			rootQuorum: { threshold: 3, userIds: [alice, bob, carol] },
		});
		const answer = await world.run([...applyAndWait, ...inJson], { onPause: (count) => count === 3 && vote(world) });
		expect(answer.code).toBe(8);
		const shown = normalize(answer.stderr);
		await expect(shown.slice(shown.indexOf("..")).replace(/until .* UTC/, "until TIME")).toMatchFileSnapshot(
			golden("wait-for-approval"),
		);
		expect(readOutput(answer).reports[0].steps[0].events).toMatchObject([{ event: "vote", userId: bob }]);
	});

	test("exits with 8 when the time is up, with 130 after Ctrl-C and with 9 after a rejection, and makes one activity", async () => {
		const world = await makeWaitingWorld(removal);
		const late = await world.run([...applyAndWait.slice(0, -1), "90"], { onPause: () => undefined });
		expect(late.code).toBe(8);
		expect(late.stdout).toContain("run apply again when it ends");
		const stopped = await world.run(applyAndWait, { onPause: (count) => count === 2 && pressCtrlC() });
		expect(stopped.code).toBe(130);
		expect(stopped.stdout).toContain("Interrupted: 1 pending approval");
		const rejected = await world.run([...applyAndWait, ...inJson], {
			onPause: (count) => count === 2 && vote(world, "reject_activity"),
		});
		expect(rejected.code).toBe(9);
		expect(readOutput(rejected).reports[0].steps).toMatchObject([
			{
				outcome: "rejected",
				requests: 0,
				events: [{ event: "vote", userId: bob, userName: "bob" }, { event: "status" }],
			},
		]);
		expect(removals(world).length).toBe(1);
		// The journal knows of the rejection.
		expect((await world.run(["apply", "--yes"])).code).toBe(9);
	});

	test("is refused with --passkey and no API key, before anything is read: each reading would ask for a touch", async () => {
		const world = await makeWaitingWorld(removal);
		world.clearRequests();
		const refused = await world.run([...applyAndWait, "--passkey"], { env: { ORGSYNC_API_PRIVATE_KEY: "" } });
		expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("needs an API key")]);
		expect(world.requests()).toEqual([]);
	});

	test("waits for the activity of another runner, and for those of a saved plan", async () => {
		const world = await makeWaitingWorld(removal);
		await world.run(["plan", "--out", "plan.json"]);
		const file = join(world.folder, "orgsync.yaml");
		expect(
			(await world.run(["apply", "--yes", "-f", file, "--journal", "theirs.sqlite"], { cwd: makeFolder() })).code,
		).toBe(8);
		const words = ["apply", "--plan", "plan.json", "--wait-for-approval", "1h"];
		const asBob = await world.run([...words, "--format", "markdown"], {
			env: { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey },
			onPause: (count) => count === 2 && vote(world),
		});
		expect(asBob.code).toBe(0);
		expect(asBob.stdout).toMatch(/^ +- approved by `bob` at /m);
		expect(removals(world).length).toBe(1);
		expect((await world.run(["apply", "--plan", "plan.json"])).code).toBe(6);
	});

	test("lets every organization of a fleet submit before it waits, and reads once a second at most", async () => {
		const world = await makeWaitingWorld(removal);
		const ids = [1, 2, 3, 4].map((number) => `0000000${number}-0000-4000-8000-0000000000ff`);
		let documents = "";
		for (const organizationId of ids) {
			await world.addOrganization({
				organizationId,
				users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
				userTags: [{ tagId: tags.oncall, tagName: "oncall" }],
				rules: { approvals: { [renaming]: 2 } },
			});
			documents += `---\norganizationId: ${organizationId}\nuserTags: [{ name: pagers, previously: [oncall] }]\n`;
		}
		world.write("fleet.yaml", documents);
		world.clearRequests();
		const pauses: number[] = [];
		const answer = await world.run(
			["apply", "--yes", "-f", "fleet.yaml", "--concurrency", "1", "--wait-for-approval", "60"],
			{
				onPause: (_, ms) => pauses.push(ms),
			},
		);
		expect(answer.code).toBe(8);
		const requests = world.requests();
		const firstReading = requests.indexOf("get_activity");
		expect(requests.slice(0, firstReading).filter((name) => name === "update_user_tag").length).toBe(4);
		expect(Math.min(...pauses.slice(3, -4))).toBeGreaterThanOrEqual(4000);
	});
});
