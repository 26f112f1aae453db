/**
 * The cron script, run as it is written: it mails findings when they differ from those of the last run, and reports a failed
 * run on standard error alone.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Answer, expectNoSecret, makeFolder, runProgram } from "../run.ts";
import { agreeing, alice, bob, document, keys, makeWorld, tags, type World } from "../world.ts";
import type { Call } from "./recorder.ts";
import { examples, makeRecorders } from "./workflow.ts";

interface Cron {
	readonly state: string;
	/** One look, and the mails that it sent. */
	look(more?: Readonly<Record<string, string>>): Promise<Answer & { mails: readonly Call[] }>;
}

function makeCron({ url, folder, write }: World): Cron {
	const recorders = makeRecorders("mail");
	recorders.prepare({ when: /^mail / });
	const state = join(makeFolder(), "state");
	write("cron.private", keys.bob.privateKey);
	return {
		state,
		look: async (more = {}) => {
			const env = {
				PATH: recorders.path,
				RECORDER: recorders.folder,
				ORGSYNC_URL: url,
				ORGSYNC_KEY_FILE: join(folder, "cron.private"),
				ORGSYNC_MAIL: "ops@example.org",
				ORGSYNC_STATE: state,
				...more,
			};
			const answer = await runProgram([join(examples, "cron/orgsync-drift.sh"), join(folder, "orgsync.yaml")], { env });
			return { ...answer, mails: recorders.calls("mail") };
		},
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

test("no secret is in what was printed, recorded or kept", () => expectNoSecret());
