import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { clockOption } from "../../clock.ts";
import { orgsync, readOutput, run } from "../../run.ts";
import { alice, bob, document, keys, makeWorld, organizationId, tags } from "../../world.ts";

const hourMs = 3_600_000;

const text = document(
	"userTags: # who may what",
	"  - name: signers",
	"    members:",
	"      exactly:",
	"        - alice # the boss",
	"        - carol",
	"  - { name: oncall, members: { atLeast: [bob], never: [alice] } }",
	"limits: { escalation: 100 }",
);

/** The full minute at or after a time so long after now. */
const minuteAfter = (ms: number): string =>
	new Date(Math.ceil((Date.now() + ms) / 60_000) * 60_000).toISOString().replace(".000Z", "Z");

describe("grant", () => {
	test("writes the access into the file that a link names, with its mode, and submits nothing", async () => {
		const world = await makeWorld();
		world.write("kept.yaml", text.replaceAll("\n", "\r\n"));
		symlinkSync("kept.yaml", join(world.folder, "orgsync.yaml"));
		chmodSync(join(world.folder, "kept.yaml"), 0o640);
		// The service's clock is ahead: its time counts.
		await world.moveClock(5 * hourMs);
		// A Date has whole seconds.
		const [earliest, before] = [minuteAfter(9 * hourMs - 1000), minuteAfter(9 * hourMs)];
		const { code, stdout, stderr } = await world.run([
			"grant",
			"bob",
			"signers",
			"--for",
			"4h",
			"--reason",
			"page 4711",
		]);
		const after = minuteAfter(9 * hourMs);
		const written = readFileSync(join(world.folder, "kept.yaml"), "utf8");
		const until = /until: (\S+),/.exec(written)?.[1] ?? "";
		expect(code).toBe(0);
		expect(stderr).toMatch(
			/^bob gets userTag:signers until \S+ \S+ UTC; by the service's clock it is \S+ \S+ UTC now\.\n$/,
		);
		expect(stderr).toContain(` until ${until.slice(0, 16).replace("T", " ")} UTC;`);
		expect([earliest, before, after]).toContain(until);
		const entry = `        - { user: bob, until: ${until}, reason: page 4711 }`;
		expect(written).toBe(text.replace("        - carol\n", `        - carol\n${entry}\n`).replaceAll("\n", "\r\n"));
		expect(stdout.split("\n")[0]).toBe(
			`Wrote orgsync.yaml:9: bob has userTag:signers until ${until.slice(0, 16).replace("T", " ")} UTC, reason "page 4711".`,
		);
		expect(stdout).toContain("    + member bob");
		expect(stdout).toContain("Next: review orgsync.yaml, then orgsync apply\n");
		expect(world.submits()).toEqual([]);
		expect(readlinkSync(join(world.folder, "orgsync.yaml"))).toBe("kept.yaml");
		expect(statSync(join(world.folder, "kept.yaml")).mode & 0o777).toBe(0o640);
		expect(readdirSync(world.folder)).toEqual(["kept.yaml", "orgsync.yaml"]);
	});

	test("asks what plan asks, and the tags once more", async () => {
		const world = await makeWorld(text);
		await world.run(["grant", bob, tags.signers, "--for", "4h", "--reason", "page"]);
		const asked = [...world.requests()];
		world.clearRequests();
		await world.run(["plan"]);
		expect(asked.sort()).toEqual([...world.requests(), "list_user_tags"].sort());
	});

	test("names a user without an alias whom the plan does not change as the live user, and an apply that reads the document", async () => {
		const world = await makeWorld(`organizationId: ${organizationId}\nuserTags: [{ name: "\${TAG}" }]\n`);
		const words = ["grant", bob, "oncall", "--for", "30d", "--reason", "page", "--env", "TAG"];
		const { stdout } = await world.run(words, { env: { TAG: "oncall" } });
		expect(stdout).toContain("No changes.");
		const name = `bob \\(id ${bob.slice(0, 8)}\\S*\\)`;
		expect(stdout).toMatch(new RegExp(`^Wrote orgsync.yaml:2: ${name} has userTag:oncall `));
		expect(stdout).toContain("then orgsync apply --env TAG\n");
	});

	test("changes nothing the second time, and describes it as JSON", async () => {
		const world = await makeWorld(text);
		const day = new Date(Date.now() + 72 * hourMs).toISOString().slice(0, 10);
		const end = ["--until", `${day} Europe/Berlin`, "--reason", "page", "--format", "json"];
		const words = ["grant", "bob", "userTag:signers", ...end];
		const first = await world.run(words);
		const written = readFileSync(join(world.folder, "orgsync.yaml"), "utf8");
		expect(readOutput(first)).toMatchObject({
			access: {
				organizationId,
				address: "userTag:signers",
				userId: bob,
				effect: "added",
				file: "orgsync.yaml",
				line: 9,
			},
			plans: [{ changes: [{ address: "userTag:signers", addUserIds: [bob] }] }],
		});
		const second = await world.run(words);
		expect(readOutput(second)).toMatchObject({ exitCode: 0, access: { effect: "unchanged", reason: "page" } });
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(written);
	});

	test.each<[why: string, words: readonly string[], said: string, code?: number]>([
		["an unknown user", ["dave", "signers"], "USER dave: no such user"],
		["a user who is only in the document", ["bob", "signers"], "USER bob: the organization has no user"],
		["an unknown tag", ["carol", "signer"], "TAG signer: no such user tag; did you mean signers?"],
		["a tag without an entry", ["carol", "auditors"], "TAG auditors: the document has no entry for this user tag"],
		["a tag that is only in the document", ["carol", "gone"], "no user tag is called `gone`"],
		["a user under `never`", ["alice", "oncall"], "the document has alice under `never` of userTag:oncall"],
		["a short time", ["carol", "oncall", "--for", "4"], "--for: it is shorter than a minute"],
		["a long time", ["carol", "oncall", "--for", "367d"], "--for: it is more than 366 days"],
		["an end that is over", ["carol", "oncall", "--until", "2026-01-01T00:00:00Z"], "it is in the past"],
		["an end without a zone", ["carol", "oncall", "--until", "2036-01-01"], "has no offset and no time zone"],
		["no end", ["carol", "oncall", "--url", "http://127.0.0.1:1"], "grant takes one of --for and --until"],
		["a reason that is a key", ["carol", "oncall", "--reason", "a".repeat(64)], "--reason contains a private key"],
		["a reason of two lines", ["carol", "oncall", "--reason", "a\nb"], "--reason contains a control character"],
		["standard input", ["carol", "oncall", "-f", "-"], "standard input is not a file"],
		["another organization", ["carol", "oncall", "--organization", alice], "no document is about organization"],
		["a key that the service refuses", ["carol", "oncall"], "the service does not accept this key", 4],
	])("refuses %s, and writes nothing", async (why, words, said, code = 3) => {
		const own = text.replace("userTags: # who may what", "$&\n  - { name: gone, members: { exactly: [] } }");
		const changed = why.startsWith("a user who is only")
			? own.replace(bob, "a0000000-0000-4000-8000-000000000009")
			: own;
		const world = await makeWorld(changed);
		const isTimed = words.some((word) => ["--for", "--until", "--url"].includes(word));
		const more = [...(isTimed ? [] : ["--for", "4h"]), ...(words.includes("--reason") ? [] : ["--reason", "page"])];
		const env = code === 4 ? { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } : {};
		const answer = await world.run(["grant", ...words, ...more], { env, stdin: own });
		expect(answer).toMatchObject({ code, stdout: "" });
		expect(answer.stderr).toContain(said);
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(changed);
		expect(world.submits()).toEqual([]);
	});

	test("needs a reason", async () => {
		const { code, stderr } = await run(["grant", "bob", "signers", "--for", "4h"]);
		expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining("'--reason <text>'") });
	});

	test("edits the document of the organization that --organization names, and asks for it if there are several", async () => {
		const world = await makeWorld(text);
		const other = organizationId.replace(/^0/, "1");
		world.write("other.yaml", `organizationId: ${other}\nuserTags: [{ name: signers }]\n`);
		const words = ["grant", "bob", "signers", "--for", "4h", "--reason", "page", "-f", "."];
		const unclear = await world.run(words);
		expect(unclear).toMatchObject({ code: 3, stderr: expect.stringContaining("the documents have 2 organizations") });
		expect(await world.run([...words, "--organization", organizationId])).toMatchObject({ code: 0 });
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toContain("user: bob");
	});

	test("does not write over a document that changed meanwhile", async () => {
		const world = await makeWorld(text);
		await world.addFault({ fault: "slow", operation: "list_user_tags", delayMs: 400 });
		const running = world.run(["grant", "bob", "signers", "--for", "4h", "--reason", "page"]);
		await expect.poll(() => world.requests().length).toBeGreaterThan(0);
		world.write("orgsync.yaml", `${text}# mine\n`);
		expect(await running).toMatchObject({ code: 3, stderr: expect.stringContaining("was changed while") });
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(`${text}# mine\n`);
	});

	test.each([
		["before it claims the document", "openSync", 3, "was changed while", "for carol"],
		["before it replaces the document", "renameSync", 0, "another orgsync is writing orgsync.yaml", "for bob"],
	])("loses no edit of a grant that overtakes it %s", async (_when, at, code, stderr, kept) => {
		const world = await makeWorld(text);
		const grant = (user: string, tag: string) => ["grant", user, tag, "--for", "4h", "--reason", `for ${user}`];
		const env = {
			NODE_OPTIONS: `${clockOption} --require=${fileURLToPath(new URL("../../overtake.cjs", import.meta.url))}`,
			OVERTAKE_AT: at,
			OVERTAKE_WITH: JSON.stringify([...orgsync.slice(1), ...grant("carol", "oncall")]),
		};
		const { child, ended } = world.start(grant("bob", "signers"), { env });
		child.stdin?.end();
		expect(await ended).toMatchObject({ code, stderr: expect.stringContaining(stderr) });
		const written = readFileSync(join(world.folder, "orgsync.yaml"), "utf8");
		expect(written.match(/for \w+/g)).toEqual([kept]);
		expect(readdirSync(world.folder)).toEqual(["orgsync.yaml"]);
	});

	test("shows the end before it writes, and is refused beside a file that an interrupted run left", async () => {
		const world = await makeWorld(text);
		world.write(".orgsync-orgsync.yaml.part", "");
		const { code, stderr } = await world.run(["grant", "bob", "signers", "--for", "4h", "--reason", "page"]);
		expect(code).toBe(3);
		expect(stderr).toMatch(
			/^bob gets userTag:signers until .* UTC now\.\nerror: another orgsync is writing orgsync\.yaml: \S*\.orgsync-orgsync\.yaml\.part exists\n/,
		);
		expect(stderr).toContain("hint: run it again; if no other orgsync runs, remove that file\n");
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(text);
	});
});

describe("revoke", () => {
	test("undoes a grant byte for byte in `exactly`, and ends the access now in `atLeast`", async () => {
		const world = await makeWorld(text);
		const read = (): string => readFileSync(join(world.folder, "orgsync.yaml"), "utf8");
		await world.run(["grant", "bob", "signers", "--for", "4h", "--reason", "page"]);
		const undone = await world.run(["revoke", "bob", "signers"]);
		expect(undone.stdout).toContain("Wrote orgsync.yaml:4: bob is no longer listed for userTag:signers.\n");
		expect(undone.stdout).toContain("No changes.");
		expect(read()).toBe(text);
		expect((await world.run(["revoke", "bob", "signers"])).stdout).toContain("Unchanged orgsync.yaml:4: ");
		const ended = await world.run(["revoke", "bob", "oncall"]);
		expect(ended.stdout).toContain("    - member bob");
		expect(read()).toMatch(/atLeast: \[\{ user: bob, until: \S+Z \}\], never/);
		expect(world.submits()).toEqual([]);
	});
});
