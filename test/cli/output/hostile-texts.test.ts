/**
 * Texts of others on their way to a terminal, a pipeline's log and a file: none of them acts there, none is unseen, and
 * what a program reads stays the same.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readOutput } from "../../run.ts";
import { bob, document, makeWorld, organizationId, policies, tags, type World } from "../../world.ts";
import { startHostileService } from "../hostile-service.ts";

/** Commands of a log and of a terminal, lines of their own, a turn of the direction, and blank letters. */
const evil = "::error::x\n::error::y\r\u001b[2J\u009b31m\u202E\u3164\u115F\u{E0041}\u2800##[error]x";
const shown = "::error::y\\u{d}\\u{1b}[2J\\u{9b}31m\\u{202e}\\u{3164}\\u{115f}\\u{e0041}\\u{2800}#\\u{23}[error]x";

/** Nothing of it may be in what is printed; line ends are our own. */
const unsafe = /(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|^\s*::|##\[/mu;

/** The organization with a tag and a policy of that name, as alice's key sees it. */
async function makeHostile(name: string): Promise<World> {
	const world = await makeWorld(document(`userTags: [{ name: oncall, id: ${tags.oncall}, members: { exactly: [] } }]`));
	await world.change({
		userTags: [{ tagId: tags.oncall, tagName: name, userIds: [bob] }],
		policies: [{ policyId: policies[0], policyName: name }],
	});
	return world;
}

describe("JSON", () => {
	test("of a query has escapes for what cannot be seen, and reads back as the service said it", async () => {
		const world = await makeHostile(evil);
		const { code, stdout } = await world.run(["query", "list_policies"]);
		expect(code).toBe(0);
		expect(stdout).not.toMatch(unsafe);
		expect(JSON.parse(stdout).policies[0].policyName).toBe(evil);
	});

	test("of a plan, on standard output and saved, has the same escapes, and the digest of what it says", async () => {
		const world = await makeHostile(evil);
		const answer = await world.run(["plan", "--out", "plan.json", "--format", "json"]);
		const saved = readFileSync(join(world.folder, "plan.json"), "utf8");
		for (const text of [answer.stdout, saved]) {
			expect(text).not.toMatch(unsafe);
			expect(JSON.parse(text).plans[0].changes[0].before.name).toBe(evil);
		}
		const again = readOutput(await world.run(["show", "plan.json", "--format", "json"]));
		expect(again.savedPlan.digest).toBe(readOutput(answer).savedPlan.digest);
		// What a program wrote without escapes is the same plan.
		world.write("plain.json", JSON.stringify(JSON.parse(saved)));
		expect((await world.run(["show", "plain.json"])).code).toBe(0);
	});

	test("of the line that reports the emulator's address has the same escapes", async () => {
		const world = await makeWorld();
		const user = { userId: bob, userName: evil };
		world.write("seed.json", JSON.stringify({ organizations: [{ organizationId, users: [user] }] }));
		const { child, stdout, ended } = world.start(["emulator", "--seed", "seed.json"]);
		await expect.poll(stdout, { timeout: 20_000 }).toContain("\n");
		child.kill("SIGTERM");
		await ended;
		expect(stdout()).not.toMatch(unsafe);
		expect(JSON.parse(stdout()).organizations[0].users).toEqual([user]);
	});
});

test.each([
	["plan"],
	["drift"],
	["plan", "--format", "markdown"],
	["plan", "--format", "html"],
	["plan", "--format", "github"],
	["drift", "--format", "github"],
	["export"],
	["status"],
	["powers", "--why", "alice", "sign"],
	["powers", "--why", "alice", "sign", "--format", "markdown"],
	["powers", "--why", "alice", "sign", "--format", "html"],
	["powers", "--why", "alice", "sign", "--format", "github"],
	["apply", "--yes"],
])("%s %s %s shows a name with what cannot be seen escaped, and begins no command of a log", async (...words) => {
	const world = await makeHostile(evil);
	const { stdout, stderr } = await world.run(words.filter((word) => word !== undefined));
	const printed = `${stdout}${stderr}`.replace(/<(style|script)>.*?<\/\1>/gs, "");
	expect(printed.replaceAll(/^::(notice|warning|error) .*?title=orgsync%3A/gm, "")).not.toMatch(unsafe);
	if (words[0] !== "status" && words[0] !== "export") expect(printed).toContain(shown);
});

test.each([
	["text"],
	["markdown"],
	["github"],
	["junit"],
	["json"],
])("test in %s shows the names of cases, policies and users with what cannot be seen escaped", async (format) => {
	const world = await makeWorld(document(), { reads: "all" });
	const consensus = `approvers.any(user, user.id == '${bob}')`;
	await world.change({ policies: [{ policyId: policies[0], policyName: evil, consensus }] });
	// A document has invisible characters as escapes only.
	const name = JSON.stringify(evil).replaceAll(
		/[^ -~]/g,
		(one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	world.write("a.access.yaml", `rootQuorum: aside\ntests: [{ name: ${name}, power: sign, alone: { never: [bob] } }]`);
	const { code, stdout, stderr } = await world.run(["test", "--live", "--format", format]);
	expect({ code, stderr }).toEqual({ code: 10, stderr: "" });
	expect(stdout.replaceAll(/^::(notice|warning|error) .*?title=orgsync%3A/gm, "")).not.toMatch(unsafe);
	if (format === "json") expect(JSON.parse(stdout).organizations[0].cases[0].name).toBe(evil);
	else expect(stdout.length).toBeGreaterThan(200);
});

test.each([
	["text"],
	["json"],
])("credentials in %s, and a rule that they break, show names and issuers with what cannot be seen escaped", async (format) => {
	const world = await makeWorld(
		document("rules: { credentials: { issuers: [https://login.test], keysExpire: true } }"),
	);
	const keys = ["apiKeyName", "providerName", "issuer", "type", "subject", "userName", "userEmail"];
	const url = await startHostileService(world.url, (text, key) => (keys.includes(key) ? evil : text));
	const { code, stdout, stderr } = await world.run(["credentials", "--personal", "--url", url, "--format", format]);
	expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
	expect(stdout).not.toMatch(unsafe);
	expect(stdout.length).toBeGreaterThan(300);
});

test("export writes a tag's name with escapes where it would not be seen, or be a command of a log", async () => {
	const name = "sign\u3164ers ##[error]x";
	const world = await makeHostile(name);
	const { stdout } = await world.run(["export"]);
	expect(stdout).not.toMatch(unsafe);
	expect(stdout).toContain('- name: "sign\\u3164ers #\\x23[error]x"\n');
	expect(parse(stdout).userTags).toContainEqual({ name, id: tags.oncall, members: { exactly: ["bob"] } });
});

test("an error of the service, and what it calls activities and who voted, begin no command of a log either", async () => {
	const world = await makeWorld(document(`absent: { policies: [${policies.join(", ")}] }`));
	await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	const keys = ["message", "userName", "policyName", "outcome", "consensus"];
	const url = await startHostileService(world.url, (text, key) => (keys.includes(key) ? evil : text));
	const options = { env: { ORGSYNC_URL: url } };
	const words: readonly (readonly string[])[] = [
		["plan"],
		["apply", "--yes"],
		["apply", "--yes", "--format", "json"],
		["status"],
		["status", "--format", "json"],
		["powers"],
		["powers", "--why", "alice", "sign", "--format", "markdown"],
		["powers", "--format", "json"],
		["drift"],
		["query", "get_mfa_policies", `userId=${organizationId}`],
		["query", "list_users"],
		["wait", "--wait", "0"],
		["export"],
		["plan", "--verbose"],
	];
	for (const one of words) {
		const { stdout, stderr } = await world.run(one, options);
		expect(`${stdout}${stderr}`, one.join(" ")).not.toMatch(unsafe);
		expect(`${stdout}${stderr}`.length, one.join(" ")).toBeGreaterThan(20);
	}
	const explained = await world.run(["explain", world.activities()[0].id], options);
	expect(explained.stdout).toContain("approved by alice");
	expect(`${explained.stdout}${explained.stderr}`).not.toMatch(unsafe);
});

test("validate shows the name of a file on one line", async () => {
	const world = await makeWorld();
	world.write("a\n::error::b.yaml", document());
	const { code, stdout } = await world.run(["validate", "-f", "a\n::error::b.yaml"]);
	expect({ code, stdout }).toEqual({
		code: 0,
		stdout: `a\\u{a}::error::b.yaml: valid, organization ${organizationId}\n`,
	});
});

describe("import-key", () => {
	const words = ["import-key", "--user", bob, "--organization", organizationId];

	async function makeBundle(bundle: string) {
		const world = await makeWorld();
		const url = await startHostileService(world.url, (text, key) => (key === "importBundle" ? bundle : text));
		return { world, options: { env: { ORGSYNC_URL: url } } };
	}

	test.each([
		["a command of a terminal", "\u001b[2J{}"],
		["a command of a log", "::set-output name=a::b"],
		["a command of a log in its second line", '{\n  ::error::"a"\n}'],
		["a command of a log in its middle", '{"a": "##[error]b"}'],
		["a line that is written over", '{"a": 1}\r{"a": 2}'],
		["a letter that nobody sees", '{"a\u3164": 1}'],
	])("prints no bundle with %s, and says how to get it", async (_, bundle) => {
		const { world, options } = await makeBundle(bundle);
		const answer = await world.run(words, options);
		expect(answer).toMatchObject({ code: 1, stdout: "" });
		expect(answer.stderr).toContain("but its import bundle is not plain text, so it is not printed\n");
		expect(answer.stderr).toContain("hint: --out FILE writes it byte for byte");
		expect(answer.stderr).not.toMatch(unsafe);
	});

	test("writes any bundle byte for byte to a file, and with escapes as JSON", async () => {
		const { world, options } = await makeBundle(evil);
		expect((await world.run([...words, "--out", "bundle.txt"], options)).code).toBe(0);
		expect(readFileSync(join(world.folder, "bundle.txt"), "utf8")).toBe(evil);
		const answer = await world.run([...words, "--format", "json"], options);
		expect(answer.stdout).not.toMatch(unsafe);
		expect(readOutput(answer).importBundle).toBe(evil);
	});

	test("prints a bundle of several plain lines as it is", async () => {
		const { world, options } = await makeBundle('{\n  "a": "b::c"\n}');
		expect(await world.run(words, options)).toEqual({ code: 0, stdout: '{\n  "a": "b::c"\n}\n', stderr: "" });
	});
});

test("init shows the name of its file with escapes", async () => {
	const world = await makeWorld();
	const { code, stdout } = await world.run(["init", "--file", "a\u001b[2J\u202eb.yaml"]);
	expect([code, stdout]).toEqual([0, expect.stringContaining("Wrote a\\u{1b}[2J\\u{202e}b.yaml.")]);
	expect(stdout).not.toMatch(unsafe);
});
