/** Files that are lost or cannot be written while a command works: what was done is said, and nothing is reported twice. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeFolder, readOutput } from "../../run.ts";
import { bob, document, makeWorld, policies, type World } from "../../world.ts";

const removal = document(`absent: { policies: [${policies[0]}] }`);

/** An address in front of the world's service; `onSubmit` is called before a submit is passed on. */
async function passThrough(world: World, onSubmit: () => void): Promise<string> {
	const server = createServer((incoming, outgoing) => {
		if (incoming.url?.includes("/submit/") === true) onSubmit();
		const { method = "POST", url: path, headers } = incoming;
		const onward = request(new URL(path ?? "/", world.url), { method, headers }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(outgoing);
		});
		incoming.pipe(onward);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => void server.close());
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a journal that disappears", () => {
	test.each([
		["removed", ["apply", "--yes"], () => undefined],
		["replaced", ["apply", "--yes"], (file: string) => writeFileSync(file, "other")],
		["removed", ["import-key", "--user", bob], () => undefined],
	])("because it is %s while %s runs causes a warning at the end, even with --quiet", async (_how, words, then) => {
		const world = await makeWorld(removal);
		const file = join(world.folder, ".orgsync", "journal.sqlite");
		const url = await passThrough(world, () => {
			rmSync(file, { force: true });
			then(file);
		});
		const answer = await world.run([...words, "--quiet"], { env: { ORGSYNC_URL: url } });
		expect(answer.code).toBe(0);
		expect(answer.stderr).toContain(`warning: the journal ${file} was removed or replaced during this run`);
		expect(answer.stderr).toContain("orgsync status");
	});

	test("causes the only such warning: one that stays causes none", async () => {
		const world = await makeWorld(removal);
		expect((await world.run(["apply", "--yes"])).stderr).not.toContain("warning");
	});
});

describe.runIf(existsSync("/dev/full"))("an import bundle that cannot be written after the activity", () => {
	test("is exit 1 with the activity and the way to the same bundle", async () => {
		const world = await makeWorld(removal);
		const words = ["import-key", "--user", bob, "--out"];
		const lost = await world.run([...words, "/dev/full", "--format", "json"]);
		const [activity] = world.activities();
		expect(lost.code).toBe(1);
		expect(readOutput(lost).error).toMatchObject({
			code: "output",
			message: `activity ${activity.id} completed, but its bundle cannot be written to /dev/full: the disk is full`,
			hint: expect.stringContaining("within 15 minutes it gets the same bundle"),
		});
		expect((await world.run([...words, "bundle"])).code).toBe(0);
		expect(world.activities().length).toBe(1);
	});
});

describe("the summary of a pipeline's step", () => {
	const words = ["plan", "--format", "github", "--quiet"];

	test("is appended to its file", async () => {
		const world = await makeWorld(removal);
		world.write("summary", "before\n");
		for (const name of ["summary", "new"]) {
			const answer = await world.run(words, { env: { GITHUB_STEP_SUMMARY: join(world.folder, name) } });
			expect([answer.code, answer.stderr]).toEqual([0, ""]);
		}
		expect(readFileSync(join(world.folder, "summary"), "utf8")).toMatch(/^before\n<!-- orgsync: plan -->/);
		expect(readFileSync(join(world.folder, "new"), "utf8")).toMatch(/^<!-- orgsync: plan -->/);
	});

	test("that cannot be written is a warning even with --quiet, and no link is written through", async () => {
		const world = await makeWorld(removal);
		const victim = join(makeFolder(), "victim");
		writeFileSync(victim, "precious\n");
		symlinkSync(victim, join(world.folder, "link"));
		mkdirSync(join(world.folder, "folder"));
		for (const [name, reason] of [
			["link", "it is a symbolic link"],
			["folder", "it is a folder"],
			["none/summary", "there is no such file or folder"],
		] as const) {
			const file = join(world.folder, name);
			const answer = await world.run(words, { env: { GITHUB_STEP_SUMMARY: file } });
			expect(answer.code).toBe(0);
			expect(answer.stderr).toBe(`warning: the summary of the step cannot be written to ${file}: ${reason}\n`);
		}
		expect(readFileSync(victim, "utf8")).toBe("precious\n");
	});
});
