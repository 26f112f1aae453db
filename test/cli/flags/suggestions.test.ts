/** What orgsync suggests runs as it is printed, in the folder of the command that printed it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeCommandTable } from "../../../src/cli/flags/command-table.ts";
import { exitCodes } from "../../../src/common/errors.ts";
import { type Answer, readOutput } from "../../run.ts";
import { alice, bob, document, keys, makeWorld, organizationId, tags, type World } from "../../world.ts";

const names = makeCommandTable().flatMap(({ commands }) => commands.map(({ name }) => name));
/** Where texts have commands to copy: in back quotes, before what they show, and at the end of a line. */
const places = [
	new RegExp(`\`(orgsync (?:${names.join("|")})\\b[^\`\\n]*)\``, "g"),
	/(orgsync explain [^`\n]+?)(?= shows what)/g,
	/(orgsync (?:[a-z-]+ )?--help)$/gm,
	/(?<=Next: |, then |this plan: |to check: |approve it: )(orgsync .+)$/gm,
];

/** Every command that the text suggests. */
function suggestionsIn(text: string): readonly string[] {
	return [...new Set(places.flatMap((one) => [...text.matchAll(one)].map(([, found = ""]) => found)))];
}

/** The words of a command line, as a shell splits and unquotes them. */
function wordsOf(line: string): readonly string[] {
	const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
	return stdout.split("\0").slice(1, -1);
}

/** Runs what was suggested; a person who may confirm it is not there, so `apply` and `approve` get `--yes`. */
async function follow(line: string, world: World): Promise<Answer> {
	const words = wordsOf(line);
	const isAsking = ["apply", "approve"].includes(words[0] ?? "") && !words.includes("--plan");
	const answer = await world.run(isAsking ? [...words, "--yes"] : words);
	expect(answer.code, `${line}\n${answer.stderr}`).not.toBe(exitCodes.invalid);
	return answer;
}

describe("every suggestion of the golden texts", () => {
	const folder = fileURLToPath(new URL("../../golden/", import.meta.url));
	const isText = (name: string): boolean =>
		/^(?:cli|render|accept)\/.+\.(?:txt|md|html)$|powers-(?:text|markdown)$/.test(name);
	const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isText);
	/** The first line of a case is the command that was run. */
	const read = (file: string): string => readFileSync(join(folder, file), "utf8").replace(/^\$ .*\n/, "");
	const found = new Set(files.flatMap((file) => suggestionsIn(read(file))));
	const activityId = "01a1fe02-1455-712e-be80-c4ad5d3e1bce";
	const inWorld = (line: string, { url }: World): string =>
		line
			.replaceAll("ACTIVITY_ID", activityId)
			.replaceAll("http://127.0.0.1:PORT", url)
			.replaceAll(/(--accept )\S+/g, "$1userTag:oncall");

	test("is found", () => {
		expect(found.size).toBeGreaterThan(8);
		// What is left names the command that ran, in titles and sentences.
		const prose = new RegExp(`orgsync (?:${names.join("|")})\\b(?! could not start| stopped:|: |\\. Keys).*`, "g");
		const left = files.flatMap((file) => {
			const text = places.reduce((rest, place) => rest.replaceAll(place, ""), read(file));
			return [...text.matchAll(prose)].map(([line]) => `${file}: ${line}`);
		});
		expect(left).toEqual([]);
	});

	test.each([...found])("%s ends with no usage error", async (line) => {
		const world = await makeWorld(document("userTags: [{ name: oncall, members: { exactly: [alice] } }]"));
		const words = wordsOf(inWorld(line, world));
		// Without a document, the hint is to write one.
		if (words[0] === "init") expect((await world.run([...words, "-f", "new.yaml"])).code).toBe(0);
		else await follow(inWorld(line, world), world);
	});
});

const other = "f0000000-0000-4000-8000-000000000002";

/** Two organizations in which `oncall` has drifted, in a folder whose name needs quotes. */
async function makeFleet(): Promise<World> {
	const world = await makeWorld();
	await world.addOrganization({
		organizationId: other,
		users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
		userTags: [{ tagId: tags.oncall, tagName: "oncall" }],
	});
	mkdirSync(join(world.folder, "my fleet"));
	for (const [name, id] of [
		["one", organizationId],
		["two", other],
	]) {
		const users = `users: { alice: ${alice}, bob: ${bob} }`;
		const text = `organizationId: ${id}\n${users}\nuserTags: [{ name: oncall, members: { exactly: [alice] } }]\n`;
		world.write(`my fleet/${name}.yaml`, text);
	}
	return world;
}

const tagsOf = async (world: World, id: string): Promise<unknown> =>
	JSON.parse((await world.run(["query", "list_user_tags", "--organization", id])).stdout);

describe("in a fleet", () => {
	const called = ["-f", "my fleet", "--journal", "our journal.sqlite"];

	test("apply as drift suggests it submits to its own organization only", async () => {
		const world = await makeFleet();
		const elsewhere = ["--url", world.url, ...called];
		const without = { env: { ORGSYNC_URL: "" } };
		const { drift } = readOutput(await world.run(["drift", ...elsewhere, "--format", "json"], without));
		const found = drift.find((one: { organizationId: string }) => one.organizationId === other);
		const [apply, accept] = suggestionsIn(found.findings[0].todo);
		const named = `--url ${world.url} -f 'my fleet' --organization ${other} --journal 'our journal.sqlite'`;
		expect([apply, accept]).toEqual([`orgsync apply ${named}`, `orgsync drift ${named} --accept userTag:oncall`]);
		const before = await tagsOf(world, organizationId);
		const applied = await world.run([...wordsOf(apply ?? ""), "--yes"], without);
		expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("Applied: 1 completed") });
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(await tagsOf(world, organizationId)).toEqual(before);
		expect(readdirSync(world.folder)).toContain("our journal.sqlite");
		// The other organization, which has drifted at the same address, has no part in it.
		const accepted = await world.run(wordsOf(accept ?? ""), without);
		expect(accepted).toMatchObject({ code: 3, stderr: expect.stringContaining("nothing to accept") });
	});

	test.each([
		"text",
		"markdown",
		"html",
		"github",
	])("explain as apply suggests it names the organization, in %s", async (format) => {
		const world = await makeFleet();
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const { stdout } = await world.run(["apply", ...called, "--yes", "--format", format]);
		const lines = suggestionsIn(stdout.replaceAll("&#39;", "'").replaceAll(/<\/?code>/g, ""));
		expect(lines).toHaveLength(1);
		for (const line of lines) {
			expect(line).toContain(`orgsync explain -f 'my fleet' --organization ${organizationId} `);
			expect((await follow(line, world)).stdout).toContain("update_user_tag is pending approval");
		}
	});

	test("approve as explain suggests it is about the same organization", async () => {
		const world = await makeFleet();
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const called = ["-f", "my fleet", "--organization", organizationId];
		await world.submitAsBob("update_user_tag", { userTagId: tags.oncall, addUserIds: [alice], removeUserIds: [bob] });
		const [activity] = world.activities();
		const { stdout } = await world.run(["explain", ...called, activity.id]);
		const [approve = ""] = suggestionsIn(stdout);
		expect(wordsOf(approve)).toEqual(["approve", ...called, activity.id]);
		expect((await follow(approve, world)).code).toBe(0);
	});

	test("the plan of one organization is saved, and applied as plan suggests it", async () => {
		const world = await makeFleet();
		const saved = await world.run(["plan", ...called, "--organization", other, "--out", "a plan.json"]);
		const [apply = ""] = suggestionsIn(saved.stderr);
		expect(wordsOf(apply)).toEqual([
			"apply",
			...called.slice(0, 2),
			"--organization",
			other,
			...called.slice(2),
			"--plan",
			"a plan.json",
		]);
		expect((await follow(apply, world)).code).toBe(0);
		expect(world.submits()).toEqual(["update_user_tag"]);
	});
});

describe("the hint of an error", () => {
	const missing = "01a1fe02-1455-712e-be80-c4ad5d3e1bce";
	const called = ["-f", "my fleet", "--journal", "our journal.sqlite"];

	test.each<[why: string, words: readonly string[], suggested: string]>([
		["no terminal", ["apply", ...called], "plan -f 'my fleet' --journal 'our journal.sqlite'"],
		["an unknown organization", ["drift", ...called, "--organization", missing], "validate -f 'my fleet'"],
		["an unknown activity", ["wait", ...called, missing], "status -f 'my fleet' --journal 'our journal.sqlite'"],
		["another", ["reject", ...called, missing], "status -f 'my fleet' --journal 'our journal.sqlite'"],
		[
			"a digest without its plan",
			["apply", ...called, "--digest", "0".repeat(64)],
			"plan -f 'my fleet' --journal 'our journal.sqlite' --out plan.json",
		],
		["no document", ["plan", "--local"], "init --local"],
		[
			"a strange field",
			["query", "get_mfa_policies", "--organization", organizationId],
			"schema operations/get_mfa_policies",
		],
	])("for %s has a command with the flags of the call", async (_why, words, suggested) => {
		const world = await makeFleet();
		const { code, stderr } = await world.run(words);
		expect(code).toBe(exitCodes.invalid);
		expect(suggestionsIn(stderr)).toEqual([`orgsync ${suggested}`]);
		await follow(`orgsync ${suggested}`, world);
	});
});

test("grant, and init, name the next command with their flags", async () => {
	const world = await makeWorld();
	const started = await world.run(["init", "--local", "-f", "my document.yaml"]);
	const [plan = ""] = suggestionsIn(started.stdout);
	expect(plan).toBe("orgsync plan --local -f 'my document.yaml'");
	expect((await follow(plan, world)).code).toBe(0);
	const called = ["--local", "-f", "my document.yaml", "--journal", "j.sqlite"];
	const granted = await world.run(["grant", "carol", "oncall", "--for", "4h", "--reason", "incident", ...called]);
	const [apply = ""] = suggestionsIn(granted.stdout);
	expect(apply).toBe("orgsync apply --local -f 'my document.yaml' --journal j.sqlite");
	expect((await follow(apply, world)).code).toBe(0);
});

test("no suggestion shows the path of --url, which can hold a token", async () => {
	const world = await makeWorld(document("userTags: [{ name: oncall, members: { exactly: [alice] } }]"));
	const { stdout, stderr } = await world.run(["apply", "--url", `${world.url}/SECRET`]);
	expect(stderr).toContain(`\`orgsync plan --url ${world.url}/PATH\``);
	expect(stdout + stderr).not.toContain("SECRET");
});
