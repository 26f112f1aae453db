/**
 * The cron scripts, run as they are written: they mail what is new since the last run, and report a failed run on standard error
 * alone.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needPrograms } from "../needs.ts";
import { type Answer, makeFolder, runProgram } from "../run.ts";
import { agreeing, alice, bob, carol, document, keys, makeWorld, tags, type World } from "../world.ts";
import type { Call } from "./recorder.ts";
import { examples, makeRecorders } from "./workflow.ts";

needPrograms("the tests of the cron scripts", "flock");

const hourMs = 3_600_000;

interface Cron {
	readonly state: string;
	/** One scheduled apply, and the mails that it sent. */
	apply(...flags: readonly string[]): Promise<Answer & { mails: readonly Call[] }>;
	/** One look, and the mails that it sent. */
	look(more?: Readonly<Record<string, string>>): Promise<Answer & { mails: readonly Call[] }>;
}

function makeCron({ url, folder, write }: World): Cron {
	const recorders = makeRecorders("mail");
	recorders.prepare({ when: /^mail / });
	const state = join(makeFolder(), "state");
	write("cron.private", keys.bob.privateKey);
	const call = async (name: string, flags: readonly string[], more: Readonly<Record<string, string>>) => {
		const env = {
			PATH: recorders.path,
			RECORDER: recorders.folder,
			ORGSYNC_URL: url,
			ORGSYNC_KEY_FILE: join(folder, "cron.private"),
			ORGSYNC_MAIL: "ops@example.org",
			ORGSYNC_STATE: state,
			...more,
		};
		const answer = await runProgram([join(examples, "cron", name), join(folder, "orgsync.yaml"), ...flags], { env });
		return { ...answer, mails: recorders.calls("mail") };
	};
	return {
		state,
		apply: (...flags) => call("orgsync-apply.sh", flags, {}),
		look: (more = {}) => call("orgsync-drift.sh", [], more),
	};
}

const having = (...userIds: readonly string[]) => ({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds }] });

test("the cron script mails when a run finds something new, and exits with orgsync's code", async () => {
	const world = await makeWorld(document(agreeing.userTags));
	const { look } = makeCron(world);
	expect(await look()).toMatchObject({ code: 0, mails: [], stderr: "" });

	await world.change(having(alice, bob));
	const found = await look();
	expect(found).toMatchObject({ code: 2, mails: [{ words: ["-s", "orgsync: drift", "ops@example.org"] }] });
	expect(found.mails[0]?.stdin).toContain("- member alice");
	expect(await look()).toMatchObject({ code: 2, mails: [] });

	await world.change(having(bob));
	const over = await look();
	expect(over).toMatchObject({
		code: 0,
		mails: [{ words: ["-s", "orgsync: in sync", "ops@example.org"] }],
	});
	expect(world.submits()).toEqual([]);
});

test("access that was granted for four hours is applied, ends and is removed by the cron script, which mails both", async () => {
	const text = document("userTags: [{ name: oncall, members: { exactly: [bob] } }]", "limits: { memberRemovals: 1 }");
	const world = await makeWorld(text);
	const { apply, look } = makeCron(world);
	const members = () =>
		world.organization().userTags.find((tag: { tagId: string }) => tag.tagId === tags.oncall).userIds;
	const granted = await world.run(["grant", "carol", "oncall", "--for", "4h", "--reason", "incident 4711"]);
	expect(granted.stdout).toContain("+ member carol");
	expect(members()).toEqual([bob]);

	const begun = await apply("--only", "userTag");
	expect(begun, begun.stderr).toMatchObject({
		code: 0,
		mails: [{ words: ["-s", "orgsync: applied", "ops@example.org"] }],
	});
	expect(members()).toEqual([bob, carol]);
	expect(await look()).toMatchObject({ code: 0, mails: [] });
	await world.moveClock(4 * hourMs - 60_000);
	// That the end came nearer is no news.
	expect(await look()).toMatchObject({ code: 0, mails: [] });
	expect(await apply("--only", "userTag")).toMatchObject({ code: 0, mails: [] });
	expect(members()).toEqual([bob, carol]);

	await world.moveClock(3 * 60_000);
	const ended = await world.run(["drift"]);
	expect(ended).toMatchObject({ code: 2, stdout: expect.stringContaining("- member carol") });
	// A limit that does not allow the removal is news once.
	world.write(
		"orgsync.yaml",
		readFileSync(join(world.folder, "orgsync.yaml"), "utf8").replace("Removals: 1", "Removals: 0"),
	);
	const blocked = await apply();
	expect(blocked).toMatchObject({
		code: 5,
		mails: [{ words: ["-s", "orgsync: blocked by a guard", "ops@example.org"] }],
	});
	expect(await apply()).toMatchObject({ code: 5, mails: [] });
	world.write(
		"orgsync.yaml",
		readFileSync(join(world.folder, "orgsync.yaml"), "utf8").replace("Removals: 0", "Removals: 1"),
	);

	const removed = await apply("--only", "userTag");
	expect(removed, removed.stderr).toMatchObject({
		code: 0,
		stderr: "",
		mails: [{ words: ["-s", "orgsync: applied", "ops@example.org"] }],
	});
	expect(members()).toEqual([bob]);
	expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
	expect((await world.run(["revoke", "carol", "oncall"])).code).toBe(0);
	expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(text);
}, 60_000);

test("a failed run mails nothing, prints the reason on standard error, and keeps its state", async () => {
	const world = await makeWorld(document(agreeing.userTags));
	const { look } = makeCron(world);
	await world.change(having(alice, bob));
	await look();
	world.write("stranger.private", keys.stranger.privateKey);
	const failed = await look({ ORGSYNC_KEY_FILE: join(world.folder, "stranger.private") });
	expect(failed).toMatchObject({ code: 4, mails: [], stdout: "" });
	expect(failed.stderr).toContain("orgsync drift ended with exit code 4");
	expect(await look()).toMatchObject({ code: 2, mails: [] });
});

test("a run that reads only a part prints its findings and the unread parts on standard error, and nothing older", async () => {
	const world = await makeWorld(document(agreeing.userTags));
	const { look, state } = makeCron(world);
	await world.change(having(alice, bob));
	const unknown = "f0000000-0000-4000-8000-000000000099";
	const text = readFileSync(join(world.folder, "orgsync.yaml"), "utf8");
	world.write("orgsync.yaml", `${text}---\norganizationId: ${unknown}\nuserTags: [{ name: oncall }]\n`);
	const partly = await look();
	expect(partly).toMatchObject({ code: 1, mails: [], stdout: "" });
	expect(partly.stderr).toContain("- member alice");
	expect(partly.stderr).toContain(`Organization ${unknown}: could not be read`);
	expect(partly.stderr).toContain("exit code 1: the check failed, for all or for a part");
	expect(existsSync(join(state, "last.txt"))).toBe(false);

	world.write("stranger.private", keys.stranger.privateKey);
	world.write("orgsync.yaml", text);
	const blind = await look({ ORGSYNC_KEY_FILE: join(world.folder, "stranger.private") });
	expect(blind.stderr).not.toContain("- member alice");
});

test("a run that starts before the last one ended does nothing and exits with 75", async () => {
	const world = await makeWorld(document(agreeing.userTags));
	const { look, state } = makeCron(world);
	mkdirSync(state);
	const holder = spawn("flock", [join(state, "lock"), "sh", "-c", "echo held; read _"], {
		stdio: ["pipe", "pipe", "ignore"],
	});
	onTestFinished(() => void holder.stdin.end("\n"));
	await new Promise((resolve) => holder.stdout.once("data", resolve));
	expect(await look()).toMatchObject({ code: 75, mails: [] });
	expect(world.requests()).toEqual([]);
});
