/** What was answered is there after the process was killed, and a data file serves one process after another. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEmulator } from "../../src/emulator/server.ts";
import * as world from "./world.ts";

const { organizationId, alice, bob, carol, tagUpdate } = world;
let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "emulator-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = fileURLToPath(new URL("./child.ts", import.meta.url));

async function startChild(dataFile: string): Promise<{ child: ChildProcess; url: string }> {
	const child = spawn(process.execPath, [program, dataFile, JSON.stringify(world.makeSeed())], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	if (child.stdout === null) throw new Error("the child has no output");
	const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
	return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
	const exited = once(child, "exit");
	child.kill("SIGKILL");
	await exited;
}

test("a kill in the middle of concurrent submits loses nothing that was answered", async () => {
	const dataFile = join(folder, "state.sqlite");
	const { child, url } = await startChild(dataFile);
	const answered = new Map<string, string>();
	let sent = 0;
	const submitUntilKilled = async () => {
		for (;;) {
			sent += 1;
			const parameters = tagUpdate([], [], `name ${sent}`);
			const raw = world.submitBody("update_user_tag", parameters, Date.now() - sent);
			const answer = await world.submitRaw(url, "update_user_tag", raw).catch(() => undefined);
			if (answer === undefined) return;
			answered.set(raw, answer.body.activity.id);
		}
	};
	const clients = Array.from({ length: 8 }, submitUntilKilled);
	await expect.poll(() => answered.size, { timeout: 20_000 }).toBeGreaterThan(50);
	await kill(child);
	await Promise.all(clients);
	const emulator = await startEmulator({ dataFile, seed: world.makeSeed() });
	const stored = new Set(emulator.state(organizationId).activities.map((activity) => activity.id));
	expect([...answered.values()].filter((activityId) => !stored.has(activityId))).toEqual([]);
	const [raw, activityId] = [...answered].at(-1) ?? ["", ""];
	expect((await world.submitRaw(emulator.url, "update_user_tag", raw)).body.activity.id).toBe(activityId);
	await emulator.close();
});

test("state, activities, rules and delays survive a restart, and the seed is not applied again", async () => {
	const dataFile = join(folder, "state.sqlite");
	const options = { dataFile, seed: world.makeSeed() };
	const first = await startEmulator(options);
	await world.submit(first.url, "update_user_tag", tagUpdate([bob], [alice], "keepers"));
	await first.setRules(organizationId, { pendingMs: { ACTIVITY_TYPE_UPDATE_USER_TAG: 60_000 } });
	await world.submit(first.url, "update_user_tag", tagUpdate([carol]));
	const before = first.state(organizationId);
	await first.close();
	const second = await startEmulator(options);
	expect(second.state(organizationId)).toEqual(before);
	second.setClock({ advanceMs: 61_000 });
	expect(second.state(organizationId).organization.userTags?.[0]).toMatchObject({
		tagName: "keepers",
		userIds: [bob, carol],
	});
	await second.close();
});

test("a data file that is open in another process, or is not a data file, is a storage error", async () => {
	const dataFile = join(folder, "state.sqlite");
	const { child } = await startChild(dataFile);
	await expect(startEmulator({ dataFile })).rejects.toMatchObject({
		...{ code: "storage", hint: "one emulator at a time can have a data file open" },
	});
	await kill(child);
	await (await startEmulator({ dataFile })).close();
	const other = join(folder, "notes.txt");
	writeFileSync(other, "not a database, but long enough to be read as one".repeat(20));
	await expect(startEmulator({ dataFile: other })).rejects.toMatchObject({
		...{ code: "storage", hint: expect.stringContaining("restore it from a copy") },
	});
});
