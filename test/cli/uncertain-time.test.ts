/** What is refused while the service's answers and this machine do not agree what time it is, and what goes on. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bob, document, makeWorld, tags, type World } from "../world.ts";
import { startHostileService } from "./hostile-service.ts";

const dayMs = 24 * 3_600_000;
const both =
	/ an answer of the service says 20.* UTC, and the clock of this machine says 20.* UTC, which is more than 5 minutes apart/;

const isoIn = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** Bob signs for three more days. */
const withWindow = () =>
	document(`userTags: [{ name: signers, members: { atLeast: [{ user: bob, until: "${isoIn(3 * dayMs)}" }] } }]`);

/** The flags for a service of which the answer with this number, from 0, has a `Date` ten days late. */
async function straying({ url }: World, stray = 0): Promise<readonly string[]> {
	const late = (date: string, count: number) =>
		count === stray ? new Date(Date.parse(date) + 10 * dayMs).toUTCString() : date;
	return ["--url", await startHostileService(url, (text) => text, late)];
}

async function giveBobTheTag(world: World): Promise<void> {
	expect((await world.run(["apply", "--yes"])).code).toBe(0);
	world.clearRequests();
}

describe("one answer of several with another date", () => {
	test.each([0, 1])("ends no access ten days early: answer %i", async (stray) => {
		const world = await makeWorld(withWindow());
		await giveBobTheTag(world);
		const { code, stdout, stderr } = await world.run(["apply", "--yes", ...(await straying(world, stray))]);
		expect({ code, submits: world.submits() }).toEqual({ code: 1, submits: [] });
		expect(stdout + stderr).toMatch(both);
		expect(stdout + stderr).toContain("orgsync.yaml:");
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual([]);
	});

	test("gives no access: grant and revoke write nothing", async () => {
		const text = document("userTags: [{ name: signers, members: { atLeast: [alice] } }]");
		const world = await makeWorld(text);
		const grant = ["grant", "bob", "signers", "--for", "1h", "--reason", "page"];
		for (const words of [grant, ["revoke", "alice", "signers"]]) {
			const { code, stderr } = await world.run([...words, ...(await straying(world))]);
			expect(code).toBe(1);
			expect(stderr).toMatch(/^error: the end of the access depends on the time, so nothing was written: /);
			expect(stderr).toMatch(both);
			expect(stderr).toContain("hint: set the clock of this machine");
		}
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(text);
	});

	test("lets no saved plan with a window run, export drop no window, and drift accept none", async () => {
		const world = await makeWorld(withWindow());
		await world.run(["plan", "--out", "plan.json"]);
		const saved = await world.run(["apply", "--plan", "plan.json", ...(await straying(world))]);
		expect(saved.code).toBe(1);
		expect(saved.stderr).toMatch(both);
		expect(saved.stderr).not.toContain("stale");
		const exported = await world.run(["export", ...(await straying(world))]);
		expect({ code: exported.code, stdout: exported.stdout }).toEqual({ code: 1, stdout: "" });
		expect(exported.stderr).toMatch(both);
		const accepted = await world.run(["drift", "--accept", "userTag:*", ...(await straying(world))]);
		expect(accepted.code).toBe(1);
		expect(accepted.stderr).toMatch(both);
		expect(world.submits()).toEqual([]);
	});

	test("lets approve cast no vote that a window decides", async () => {
		const world = await makeWorld(withWindow());
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		await world.submitAsBob("update_user_tag", { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [] });
		world.clearRequests();
		const { code, stderr } = await world.run(["approve", "--yes", ...(await straying(world, 1))]);
		expect({ code, submits: world.submits() }).toEqual({ code: 1, submits: [] });
		expect(stderr).toMatch(both);
		expect((await world.run(["approve", "--yes"])).code).toBe(0);
	});
});

describe("a machine whose clock is ten days off", () => {
	test("is refused what depends on the time, and nothing else", async () => {
		const world = await makeWorld(withWindow());
		const timed = await world.run(["apply", "--yes"], { laterMs: 10 * dayMs });
		expect({ code: timed.code, submits: world.submits() }).toEqual({ code: 1, submits: [] });
		expect(timed.stdout + timed.stderr).toMatch(both);
		world.write("orgsync.yaml", document("userTags: [{ name: signers, members: { atLeast: [bob] } }]"));
		const plain = await world.run(["apply", "--yes"], { laterMs: 10 * dayMs });
		expect({ code: plain.code, submits: world.submits() }).toEqual({ code: 0, submits: ["update_user_tag"] });
	});
});
