/** A private key that is given in place of another value is not repeated by any error. */
import { expect, test } from "vitest";
import { onPosix } from "../../needs.ts";
import { document, keys, makeWorld, policies } from "../../world.ts";

const key = keys.stranger.privateKey;
const calls: readonly (readonly string[])[] = [
	["plan", "-f", key],
	["plan", "--base-file", key],
	["plan", "--base", key],
	["plan", "--only", key],
	["plan", "--only", `policy/${key}`],
	["plan", "--shard", key],
	["plan", "--out", `/nonexist/${key}`],
	["plan", "--output", `/nonexist/${key}`],
	...(onPosix ? [["plan", "--journal", `/dev/null/${key}`]] : []),
	["plan", "--url", key],
	["drift", "--accept", key],
	["show", key],
	["apply", "--plan", key],
	["apply", "--allow", key],
	["apply", "--yes", "--abandon", key, "--only", key],
	["init", "--organization", key],
	["export", "--organization", key],
	["import-key", "--user", key],
	["import-key", "--user", "bob", "--out", `/nonexist/${key}`],
	["query", key],
	["query", "list_user_tags", key],
	["query", "list_user_tags", "--json", key],
	["explain", key],
	["wait", key],
	["schema", key],
	["completion", key],
	["emulator", "--seed", key],
	["emulator", "--host", key],
	["plan", "--timeout", key],
	["plan", "--key-file", key],
	["plan", key],
	["apply", `--${key}`],
	[key],
];

test.each(
	calls.map((words) => [words.join(" ").replaceAll(key, "KEY"), words] as const),
)("orgsync %s does not show the key, in text or JSON, in any case of its digits", async (_shown, words) => {
	const world = await makeWorld(document(`absent: { policies: [${policies[0]}] }`));
	const formats = ["emulator", key].includes(words[0] ?? "") ? [[]] : [[], ["--format", "json"]];
	for (const format of formats) {
		for (const given of [words, words.map((word) => word.replaceAll(key, key.toUpperCase()))]) {
			const { code, stdout, stderr } = await world.run([...given, ...format]);
			expect(code).not.toBe(0);
			const printed = (stdout + stderr).toLowerCase();
			expect(printed).toContain("error");
			expect(printed).not.toContain(key.slice(0, 16));
		}
	}
});

test.each([
	["query", "ADDRESS"],
	["show", "plan.json", "ADDRESS"],
	["schema", "ADDRESS"],
	["plan", "--only", "ADDRESS"],
	["plan", "--url", "ADDRESS"],
])("orgsync %s %s does not show the password of an address in place of another value", async (...words) => {
	const world = await makeWorld(document());
	const given = words.map((word) => word.replace("ADDRESS", "https://me:p.a+s$s@service.test"));
	for (const format of [[], ["--format", "json"]]) {
		const { code, stdout, stderr } = await world.run([...given, ...format]);
		expect([code, stderr.startsWith("error: ")]).toEqual([3, true]);
		expect(stdout + stderr).not.toContain("p.a+s$s");
	}
});

test("a key is not shown either where letters touch it", async () => {
	const { stderr } = await (await makeWorld(document())).run(["plan", `--x${key}yz`]);
	expect(stderr).toMatch(/^error: unknown option '--x\(a key\)yz'/);
	const { stderr: longer } = await (await makeWorld(document())).run([`${key}0`]);
	expect(longer).toMatch(/^error: unknown command '\(a key\)'/);
});

test("a comment has no key in its first line", async () => {
	const { stdout } = await (await makeWorld(document())).run(["plan", "--format", "markdown", "--comment-key", key]);
	expect(stdout).toMatch(/^<!-- orgsync: _a_key_ -->\n/);
});

test("an empty argument is visible among those that are too many", async () => {
	const { stderr } = await (await makeWorld(document())).run(["show", "plan.json", "", "x"]);
	expect(stderr).toContain('got 3: plan.json, "", x.');
});

test("a fingerprint is shown, although it has as many digits as a key", async () => {
	const world = await makeWorld(document());
	const fingerprint = `sha256:${"ab".repeat(32)}`;
	expect((await world.run(["show", fingerprint])).stderr).toContain(fingerprint);
});
