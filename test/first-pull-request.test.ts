/**
 * Plays docs/first-pull-request.md line by line: its keys are made, its organization is seeded on the emulator, its commands are
 * run in their order, and its document is edited. `ORGSYNC_WRITE_README=1` writes the real outputs into the page.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Emulator, parseSeed, startEmulator } from "../src/emulator/server.ts";
import { writes } from "../src/wire/operations.ts";
import { action } from "./pipelines/workflow.ts";
import { playSceneHere, readScenes, writeScenes } from "./transcript.ts";

const file = fileURLToPath(new URL("../docs/first-pull-request.md", import.meta.url));
const page = readFileSync(file, "utf8");
const blocks = [...page.matchAll(/^ *```(\w+)\n(.*?)^ *```$/gms)].map(([, word = "", text = ""]) => ({ word, text }));
const scenes = readScenes(page).filter(({ block }) => block === "console");
const blockOf = (word: string): string => blocks.find((block) => block.word === word)?.text ?? "";

describe("docs/first-pull-request.md", () => {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-first-"));
	const outputs: string[] = [];
	let emulator: Emulator;

	/** Ids of activities and their fingerprints are others in every run. */
	const shown = (output: string): string =>
		output
			.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:…")
			.replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "01…")
			.replaceAll(/(?<=\/\/|file:)\S*\/schemas\//g, "…/schemas/");

	/** Changes the document as the block of the page says. */
	function edit(difference: string): void {
		const [before = "", after = ""] = difference.split("\n").map((line) => line.slice(1));
		const document = join(folder, "organization/orgsync.yaml");
		const text = readFileSync(document, "utf8");
		expect(text).toContain(`${before}\n`);
		writeFileSync(document, text.replace(before, after));
	}

	beforeAll(async () => {
		const env = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
		const made = spawnSync("sh", ["-euc", blockOf("sh")], { cwd: folder, env, encoding: "utf8" });
		expect(made).toMatchObject({ status: 0, stderr: "" });
		const seed = blockOf("yaml").replaceAll(/PUBLIC KEY OF ([\w-]+)/g, (_, name: string) =>
			readFileSync(join(folder, `keys/${name}.public`), "utf8"),
		);
		emulator = await startEmulator({ seed: parseSeed(seed, "seed.yaml") });
		const [, organization = ""] = /^export ORGSYNC_ORGANIZATION_ID=(\S+)$/m.exec(blockOf("bash")) ?? [];
		const settings = { ORGSYNC_URL: emulator.url, ORGSYNC_ORGANIZATION_ID: organization };
		const edited = page.slice(0, page.indexOf("```diff")).split("\n").length;
		for (const [index, { command, line }] of scenes.entries()) {
			if (line > edited && (scenes[index - 1]?.line ?? 0) < edited) edit(blockOf("diff"));
			outputs.push(shown(await playSceneHere(command, folder, settings)));
		}
		if (process.env.ORGSYNC_WRITE_README === "1") writeFileSync(file, writeScenes(page, outputs));
	}, 60_000);

	afterAll(async () => {
		await emulator?.close();
		rmSync(folder, { recursive: true, force: true });
	});

	it("has commands", () => expect(scenes.length).toBeGreaterThan(6));

	it.each(scenes.map((scene, index) => ({ ...scene, index })))("prints what line $line shows: $command", ({
		output,
		index,
	}) => {
		expect(outputs[index]?.trimEnd()).toBe(output.trimEnd());
	});

	it("gives the reading user no activity, and ends with bob among the signers", async () => {
		const { organization, activities } = emulator.state("6b1f4a1e-7c2d-4f35-9a08-51d2c3e4f001");
		expect(activities.map(({ type, status }) => `${type} ${status}`)).toEqual([
			"ACTIVITY_TYPE_UPDATE_USER_TAG ACTIVITY_STATUS_COMPLETED",
			"ACTIVITY_TYPE_APPROVE_ACTIVITY ACTIVITY_STATUS_COMPLETED",
		]);
		expect(organization.userTags?.map(({ userIds }) => userIds?.length)).toEqual([2, 2]);
	});

	it("lets the pipeline submit every type of activity that apply submits, and no other", () => {
		const types = Object.values(writes).map(({ type }) => type);
		const applied = types.filter((type) => type !== writes.init_import_private_key.type);
		expect([...new Set(blockOf("yaml").match(/ACTIVITY_TYPE_\w+/g))].sort()).toEqual(applied.toSorted());
	});

	it("adds an input to the workflows that the action has, with a flag of plan", () => {
		const added = parse(blocks.filter(({ word }) => word === "yaml").at(-1)?.text ?? "") as object;
		expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(added)));
		expect(Object.values(added).flatMap((value: string) => value.split("="))[0]).toBe("--submitter");
	});
});
