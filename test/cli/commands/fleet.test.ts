/**
 * Many organizations in one call: each has its own verdict, one sentence sums them up, what goes wrong in one does not stop
 * the others, and `--shard` splits them among runners.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Answer, normalize, readLines, readOutput } from "../../run.ts";
import { alice, document, keys, makeWorld, organizationId, tags, type World } from "../../world.ts";

const apply = ["apply", "--yes"];
const inJson = ["--format", "json"];
const nobody = "f0000000-0000-4000-8000-00000000ffff";
const idOf = (index: number): string => `f0000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;

/** The document's organization, with `count` more of alice's, each with one tag `theirs` that alice has. */
async function makeFleet(count: number, text = ""): Promise<World> {
	const world = await makeWorld(document("userTags: [{ name: signatories, previously: [signers] }]"));
	for (let index = 1; index <= count; index += 1) {
		await world.addOrganization({
			organizationId: idOf(index),
			users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
			userTags: [{ tagId: tags.oncall, tagName: "theirs", userIds: [alice] }],
		});
	}
	world.write("fleet.yaml", text);
	return world;
}

const entry = (id: string, tag = `{ name: theirs, members: { exactly: [${alice}] } }`): string =>
	`---\norganizationId: ${id}\nuserTags: [${tag}]\n`;

const verdicts = ({ stdout }: Answer): readonly string[] =>
	stdout.split("\n").filter((line) => /^Organization \S+: |organizations: /.test(line));

test("429 responses are reported once, with a summary at the end", async () => {
	const world = await makeFleet(12, Array.from({ length: 12 }, (_, index) => entry(idOf(index + 1))).join(""));
	await world.addFault({ operation: "*", fault: "429", count: 8 });
	const { code, stderr } = await world.run(["plan", "-f", "fleet.yaml"]);
	expect(code).toBe(0);
	const lines = stderr.trimEnd().split("\n");
	expect(lines).toHaveLength(2);
	expect(lines[0]).toMatch(/^too many requests.*; retried in .* --max-rps, or /);
	expect(lines[1]).toMatch(
		/^rate limit: the service rejected 8 requests within \d+ s \(429\); orgsync retried all of them$/,
	);
});

test("apply shows only changes, and does not count organizations without changes as applied", async () => {
	const world = await makeFleet(12, Array.from({ length: 12 }, (_, index) => entry(idOf(index + 1))).join(""));
	const words = ["-f", "fleet.yaml", "-f", "orgsync.yaml"];
	const { code, stdout, stderr } = await world.run([...apply, ...words]);
	expect(code).toBe(0);
	expect(normalize(stderr)).toBe(`Run RUN: to go on with it after an interruption, add --resume RUN.
Organization Acme (${organizationId})

~ userTag:signatories  ${tags.signers}
    name: signers -> signatories

Who can do what stays the same.

Plan: 1 activity; it runs at once. 1 user tag to update.

12 organizations: no changes.

Acme (${organizationId}) [1/1] ok rename \`signers\` to \`signatories\`  userTag:signatories
`);
	expect(stdout).toMatch(
		new RegExp(`^Organization Acme \\(${organizationId}\\)
Applied: 1 completed \\(.*\\).

12 organizations: nothing to do.

13 organizations: 1 applied, 12 in sync.
$`),
	);
	const again = await world.run([...apply, ...words, "--format", "markdown"]);
	expect(again.stdout).toContain("### 13 organizations: 13 in sync.\n");
	expect((await world.run([...apply, ...words])).stdout).toBe(
		"13 organizations: nothing to do.\n\n13 organizations: 13 in sync.\n",
	);
});

test("an unknown organization blocks no other", async () => {
	const world = await makeFleet(1, entry(nobody) + entry(idOf(1)));
	const words = ["-f", "fleet.yaml", "-f", "orgsync.yaml"];
	const plan = await world.run(["plan", ...words]);
	expect(plan.code).toBe(1);
	expect(plan.stdout).toContain("~ userTag:signatories");
	expect(verdicts(plan).at(-1)).toBe("3 organizations: 1 could not be read, 1 with changes, 1 in sync.");
	expect(plan.stderr).toMatch(new RegExp(`^error: organization ${nobody}: list_user(s|_tags): `, "m"));
	expect(verdicts(plan)[0]).toContain(`Organization ${nobody}: could not be read: `);
	const inLines = await Promise.all(
		["plan", "drift"].map(async (command) => readLines(await world.run([command, ...words, "--format", "jsonl"]))),
	);
	for (const { start, organizations, summary } of inLines) {
		expect(start.organizations).toBe(3);
		expect(organizations).toMatchObject([
			{ organizationId, error: null, plan: { organizationId } },
			{ organizationId: idOf(1), state: "inSync", exitCode: 0 },
			{ organizationId: nobody, state: "unread", exitCode: 1, error: { code: "service" } },
		]);
		expect(organizations[2]).not.toHaveProperty("plan");
		expect(summary.error.message).toContain(`organization ${nobody}: `);
	}
	expect(inLines.map(({ summary }) => summary.states)).toEqual([
		{ unread: 1, changing: 1, inSync: 1 },
		{ unread: 1, drifted: 1, inSync: 1 },
	]);
	const page = readFileSync(new URL("../../../docs/output.md", import.meta.url), "utf8");
	const [, member = "", state = "", shown = ""] = /jq -r 'select\(\.(\w+) == "(\w+)"\) \| \.(\w+)'/.exec(page) ?? [];
	const selected = inLines[1]?.organizations.filter((line) => line[member] === state);
	expect(selected?.map((line) => line[shown])).toEqual([organizationId]);
	const output = readOutput(await world.run(["drift", ...words, ...inJson]));
	expect(output).toMatchObject({
		exitCode: 1,
		error: { code: "service" },
		failed: [{ organizationId: nobody, error: { code: "service" }, steps: [] }],
	});
	expect(output.plans.map((one: { organizationId: string }) => one.organizationId)).toEqual([organizationId, idOf(1)]);
	const applied = await world.run([...apply, ...words, ...inJson]);
	expect(applied.code).toBe(1);
	expect(readOutput(applied)).toMatchObject({
		failed: [{ organizationId: nobody, steps: [] }],
		reports: [
			{ organizationId, inSync: true },
			{ organizationId: idOf(1), inSync: true },
		],
	});
	for (const command of [["lint", "--live"], ["credentials"], ["powers"]]) {
		const asked = await world.run([...command, ...words, ...inJson]);
		// An error that was found in another organization counts more.
		expect(asked.code, command[0]).toBe(command[0] === "lint" ? 2 : 1);
		const { organizations } = readOutput(asked);
		expect(organizations).toHaveLength(3);
		const isUnread = ({ unread }: { unread: { what: string }[] }) => unread.some(({ what }) => what === "users");
		expect(organizations.filter(isUnread)).toMatchObject([{ organizationId: nobody }]);
		expect(JSON.stringify(organizations)).toMatch(/list_user(s|_tags): /);
	}
	world.write("one.access.yaml", "tests: [{ name: one, power: sign, alone: { exactly: [] } }]\n");
	const tested = await world.run(["test", "--live", ...words, ...inJson]);
	expect(tested.code, tested.stdout).toBe(1);
	expect(readOutput(tested).organizations).toMatchObject([{}, {}, { organizationId: nobody, error: {} }]);
	expect(world.submits()).toEqual(["update_user_tag"]);
});

test.each([
	["markdown", `**Organizations that could not be read**\n\n- \`${nobody}\`: `],
	["html", `<h2 id="unplanned">Organizations that could not be read <span class="number">1</span></h2>`],
	["github", `::error title=orgsync%3A organization that could not be read::${nobody}: `],
])("%s shows the failed organization with its reason", async (format, told) => {
	const world = await makeFleet(0, entry(nobody));
	const { code, stdout } = await world.run(["plan", "-f", "fleet.yaml", "-f", "orgsync.yaml", "--format", format]);
	expect(code).toBe(1);
	expect(stdout).toContain(told);
	expect(stdout).toContain("2 organizations: 1 could not be read, 1 with changes.");
});

test("docs/document.md says of an organization that cannot converge what apply does: the others are applied", async () => {
	const markdown = readFileSync(new URL("../../../docs/document.md", import.meta.url), "utf8");
	const said = markdown.slice(
		markdown.indexOf("Problems of the *live* organization"),
		markdown.indexOf("\n## What the service shows"),
	);
	const rows = [...said.matchAll(/^\| `(\w+)` \| (\d) \| (.*) \|$/gm)].map(([, ...row]) => row);
	const world = await makeFleet(1, entry(idOf(1), "{ name: nowhere }"));
	for (const [command = "", code] of rows) {
		const answer = await world.run([command, "-f", "fleet.yaml", ...(command === "apply" ? ["--yes"] : [])]);
		expect(`${command} ${answer.code}`).toBe(`${command} ${code}`);
	}
	expect(world.submits()).toEqual([]);
	expect((await world.run([...apply, "-f", "fleet.yaml", "-f", "orgsync.yaml"])).code).toBe(1);
	expect(world.submits()).toEqual(["update_user_tag"]);
	expect(rows.map(([command]) => command).sort()).toEqual(["apply", "drift", "plan"]);
	expect(rows.find(([command]) => command === "apply")?.[2]).toBe(
		"submits nothing to this organization, and applies the other organizations of the run",
	);
});

test("a saved plan runs for the planned organizations and names those that failed or cannot converge", async () => {
	const world = await makeFleet(1, entry(nobody) + entry(idOf(1), "{ name: nowhere }"));
	const words = ["-f", "fleet.yaml", "-f", "orgsync.yaml"];
	expect((await world.run(["plan", ...words, "--out", "plan.json"])).code).toBe(1);
	const shown = await world.run(["show", "plan.json"]);
	expect(shown.stdout).toContain(
		`Organization ${nobody}: could not be read: it was unreadable when the plan was made\n`,
	);
	const answer = await world.run(["apply", "--plan", "plan.json", ...words, ...inJson]);
	expect(answer.code).toBe(1);
	expect(readOutput(answer)).toMatchObject({
		reports: [{ organizationId, inSync: true }],
		failed: [
			{ organizationId: idOf(1), error: { code: "live-problem" } },
			{
				organizationId: nobody,
				error: { code: "not-planned", message: expect.stringContaining("could not be read when the plan was made") },
			},
		],
	});
	expect(world.submits()).toEqual(["update_user_tag"]);
});

test("a blocking guard and a failed organization are both shown in every format", async () => {
	const world = await makeFleet(1);
	world.write(
		"fleet.yaml",
		`${entry(nobody)}${entry(idOf(1), "{ name: theirs, members: { exactly: [] } }")}limits: { memberRemovals: 0 }\n`,
	);
	const words = ["-f", "fleet.yaml", "-f", "orgsync.yaml"];
	await world.run(["plan", ...words, "--out", "plan.json"]);
	for (const format of ["markdown", "html", "github"]) {
		const { code, stdout } = await world.run(["apply", "--plan", "plan.json", ...words, "--format", format]);
		expect(code).toBe(5);
		expect(stdout).toMatch(
			/a guard blocked by a guard, nothing was submitted|blocked by a guard, nothing was submitted: 1 member/,
		);
		expect(stdout).toContain(nobody);
		expect(stdout).not.toContain("Ran the saved plan");
	}
	expect((await world.run(["show", "plan.json", "--format", "markdown"])).stdout).toContain(nobody);
	expect(world.submits()).toEqual([]);
});

test("a blocking guard and a key that one organization does not accept are exit 4", async () => {
	const world = await makeFleet(0, entry(nobody));
	await world.addOrganization({
		organizationId: idOf(7),
		users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.stranger.publicKey }] }],
	});
	world.write("fleet.yaml", entry(idOf(7), "{ name: theirs }"));
	world.write(
		"orgsync.yaml",
		document("userTags: [{ name: signers, members: { exactly: [] } }]", "limits: { memberRemovals: 0 }"),
	);
	const answer = await world.run([...apply, "-f", "fleet.yaml", "-f", "orgsync.yaml", ...inJson]);
	expect(answer.code).toBe(4);
	expect(readOutput(answer)).toMatchObject({
		error: { code: "guard" },
		failed: [{ error: { code: "not-authorized" } }],
	});
});

test("--only that matches nothing is refused with --shard too", async () => {
	const world = await makeFleet(0);
	for (const shard of ["1/2", "2/2"]) {
		const { code, stderr } = await world.run(["drift", "--shard", shard, "--only", "userTag/nosuch"]);
		expect(code).toBe(3);
		expect(stderr).toContain("no object of the documents matches");
	}
});

test("the plan of an empty shard is saved, shown and applied", async () => {
	const world = await makeFleet(0);
	for (const shard of ["1/2", "2/2"]) {
		expect((await world.run(["plan", "--shard", shard, "--out", "plan.json"])).code).toBe(0);
		expect((await world.run(["show", "plan.json"])).code).toBe(0);
		expect((await world.run(["apply", "--shard", shard, "--plan", "plan.json"])).code).toBe(0);
	}
	expect(world.submits()).toEqual(["update_user_tag"]);
});

test("Ctrl-C during the reads starts no further read, submits nothing and is exit 130", async () => {
	const ids = Array.from({ length: 12 }, (_, index) => idOf(index + 1));
	const world = await makeFleet(12, ids.map((id) => entry(id, "{ name: ours, previously: [theirs] }")).join(""));
	await world.addFault({ operation: "list_user_tags", fault: "slow", delayMs: 500, count: 100 });
	const { child, ended } = world.start([...apply, "-f", "fleet.yaml", "--concurrency", "1", ...inJson]);
	await expect.poll(() => world.requests().length, { timeout: 20_000 }).toBeGreaterThan(0);
	child.kill("SIGINT");
	const answer = await ended;
	expect(answer.code).toBe(130);
	expect(readOutput(answer).failed.at(-1)).toMatchObject({
		organizationId: ids.at(-1),
		error: { code: "interrupted" },
	});
	expect(world.requests().length).toBeLessThan(12);
	expect(world.submits()).toEqual([]);
});

test("an unreachable service is not queried for every organization", async () => {
	const world = await makeFleet(0, Array.from({ length: 40 }, (_, index) => entry(idOf(index + 1))).join(""));
	const words = ["plan", "-f", "fleet.yaml", "--url", "http://127.0.0.1:1", "--timeout", "1", "--concurrency", "12"];
	const answer = await world.run([...words, ...inJson]);
	expect(answer.code).toBe(1);
	const { failed } = readOutput(answer);
	expect(failed).toHaveLength(40);
	// On a busy machine, a third round of twelve has begun before the first two have failed.
	const notAsked = failed.filter(({ error }: { error: { message: string } }) => error.message.startsWith("not read, "));
	expect(notAsked.length).toBeGreaterThanOrEqual(4);
});

test("all shards together read every organization exactly once", async () => {
	const ids = Array.from({ length: 9 }, (_, index) => idOf(index + 1));
	const world = await makeFleet(9, ids.map((id) => entry(id)).join(""));
	const read: string[] = [];
	for (const shard of ["1/3", "2/3", "3/3"]) {
		const answer = await world.run(["drift", "-f", "fleet.yaml", "--shard", shard, ...inJson]);
		expect(answer.code).toBe(0);
		expect(answer.stderr).toMatch(new RegExp(`^Shard ${shard}: \\d of 9 organizations\\.$`, "m"));
		read.push(...readOutput(answer).plans.map((plan: { organizationId: string }) => plan.organizationId));
	}
	expect(read.sort()).toEqual(ids);
});

test("a shard without an organization is no error", async () => {
	const world = await makeFleet(0);
	const empty = ["1/2", "2/2"].map((shard) => world.run([...apply, "--shard", shard]));
	const answers = await Promise.all(empty);
	expect(answers.map(({ code }) => code)).toEqual([0, 0]);
	expect(answers.map(({ stdout }) => stdout)).toContain("Nothing to show: there is no organization.\n");
	expect(world.submits()).toEqual(["update_user_tag"]);
});

test("--shard 3/2 is refused with the correct form", async () => {
	const world = await makeFleet(0);
	const { code, stderr } = await world.run(["plan", "--shard", "3/2"]);
	expect(code).toBe(3);
	expect(stderr).toBe(
		`error: --shard 3/2: it is not a valid share\nhint: write I/N, for example 2/8 for the second of eight; I counts from 1\n`,
	);
});

test("the marker in Markdown has the given name, and truncated output names the full result", async () => {
	const world = await makeFleet(0);
	const markdown = ["plan", "--format", "markdown"];
	expect((await world.run([...markdown, "--comment-key", "acme/plan"])).stdout).toMatch(
		/^<!-- orgsync: acme\/plan -->\n/,
	);
	const many = Array.from({ length: 1500 }, (_, index) => `  - { name: ${"t".repeat(60)}${index} }`).join("\n");
	world.write("many.yaml", `organizationId: ${organizationId}\nuserTags:\n${many}\n`);
	const { stdout } = await world.run([...markdown, "-f", "many.yaml", "--full-at", "the artifact plan.html"]);
	expect(stdout.length).toBeLessThan(65_536);
	expect(stdout).toContain("`the artifact plan.html`");
});
