/**
 * A journal that is restored from a backup that is older than some requests. Where the service lists its activities, none of these
 * is submitted again. Where it does not, the same quarter of an hour has the same bytes; after it, no one can know.
 */
import "../../clock.ts";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { carol, document, makeWorld, policies, tags, type World } from "../../world.ts";

const later = { "in the same quarter of an hour": 0, "hours later": 3 * 60 * 60_000 } as const;

const before = document(`absent: { policies: [${policies[1]}] }`);
const change = document(
	"userTags: [{ name: signers, members: { exactly: [alice, bob] } }]",
	`absent: { policies: [${policies[0]}] }`,
);
const approvals = { ACTIVITY_TYPE_UPDATE_USER_TAG: 2, ACTIVITY_TYPE_DELETE_POLICIES: 2 };

const fileOf = (world: World): string => join(world.folder, ".orgsync", "journal.sqlite");
const backupOf = (world: World): string => join(world.folder, "backup.sqlite");

/** Copies the journal, as `cp` does when no command runs: SQLite has moved its log into the file, and removed it. */
function backUp(world: World): void {
	expect(existsSync(`${fileOf(world)}-wal`)).toBe(false);
	copyFileSync(fileOf(world), backupOf(world));
}

function restore(world: World): void {
	rmSync(fileOf(world));
	copyFileSync(backupOf(world), fileOf(world));
}

/** Runs `apply`, so much later. Returns its exit code. */
async function apply(world: World, laterMs = 0): Promise<number | null> {
	const { code, stderr } = await world.run(["apply", "--yes", "--quiet"], { laterMs });
	expect(stderr).toBe("");
	return code;
}

/** The activities that change the organization, oldest first. */
function changes(world: World): readonly string[] {
	const ofVotes = /^ACTIVITY_TYPE_(APPROVE|REJECT)_ACTIVITY$/;
	return world.activities().flatMap(({ type, status, fingerprint }) => {
		return ofVotes.test(type) ? [] : [`${type} ${status} ${fingerprint}`];
	});
}

async function vote(world: World, operation: "approve_activity" | "reject_activity"): Promise<void> {
	for (const { status, fingerprint } of world.activities())
		if (status === "ACTIVITY_STATUS_CONSENSUS_NEEDED") await world.submitAsBob(operation, { fingerprint });
}

/** A world in which the change was submitted after the journal was backed up. */
async function submitAfterBackup(reads: "all" | "documented", rules: object): Promise<World> {
	const world = await makeWorld(before, { reads });
	expect(await apply(world)).toBe(0);
	backUp(world);
	world.write("orgsync.yaml", change);
	await world.setRules(rules);
	await apply(world);
	expect(changes(world).length).toBe(3);
	return world;
}

describe("after an old backup of the journal is restored,", () => {
	for (const [when, laterMs] of Object.entries(later)) {
		test.each([
			["completed", {}, 0, undefined],
			["is pending", { approvals }, 8, undefined],
			["was approved meanwhile", { approvals }, 0, "approve_activity"],
		] as const)(`apply ${when} submits nothing for a change that %s`, async (_what, rules, code, operation) => {
			const world = await submitAfterBackup("all", rules);
			if (operation !== undefined) await vote(world, operation);
			const seen = changes(world);
			restore(world);
			await world.moveClock(laterMs);
			expect(await apply(world, laterMs)).toBe(code);
			expect(changes(world)).toEqual(seen);
		});

		test(`apply ${when} submits a change again that was reverted since, once`, async () => {
			const world = await submitAfterBackup("all", {});
			await world.change({ userTags: [{ tagId: tags.signers, userIds: [carol] }] });
			const seen = changes(world);
			restore(world);
			await world.moveClock(laterMs);
			expect(await apply(world, laterMs)).toBe(0);
			expect(await apply(world, laterMs)).toBe(0);
			expect(changes(world).length).toBe(seen.length + 1);
		});
	}

	test.each([
		["completed", {}, undefined],
		["is pending", { approvals }, undefined],
		["was approved meanwhile", { approvals }, "approve_activity"],
		["was rejected", { approvals }, "reject_activity"],
	] as const)("apply in the same quarter of an hour submits nothing for a change that %s, without the extended reads", async (_what, rules, operation) => {
		const world = await submitAfterBackup("documented", rules);
		if (operation !== undefined) await vote(world, operation);
		const seen = changes(world);
		restore(world);
		await apply(world);
		expect(changes(world)).toEqual(seen);
	});

	test("a rejected change is submitted once more, because the rejection was in the journal only", async () => {
		const laterMs = later["hours later"];
		const world = await submitAfterBackup("all", { approvals });
		await vote(world, "reject_activity");
		const seen = changes(world);
		restore(world);
		await world.moveClock(laterMs);
		expect(await apply(world, laterMs)).toBe(8);
		expect(await apply(world, laterMs)).toBe(8);
		expect(changes(world).length).toBe(seen.length + 2);
	});

	test("what the backup has as pending is read at the service, and not submitted again", async () => {
		const laterMs = later["hours later"];
		const world = await makeWorld(change);
		await world.setRules({ approvals });
		expect(await apply(world)).toBe(8);
		backUp(world);
		await vote(world, "approve_activity");
		expect(await apply(world)).toBe(0);
		const seen = changes(world);
		restore(world);
		await world.moveClock(laterMs);
		expect(await apply(world, laterMs)).toBe(0);
		expect(changes(world)).toEqual(seen);
	});
});
