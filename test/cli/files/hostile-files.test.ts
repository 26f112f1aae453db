/**
 * Links, devices and FIFOs in place of a document, as a pull request or another user can put them. Only regular files are
 * read, and no message shows text of a file that is no document.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { decodeText } from "../../../src/cli/files/read-file.ts";
import { parseDocuments } from "../../../src/document/read/parse.ts";
import { parseSeed } from "../../../src/emulator/seed/seed.ts";
import { havePrograms, onPosix } from "../../needs.ts";
import { makeFolder, orgsync, readOutput, run, runProgram } from "../../run.ts";
import { agreeing, document, keys, makeWorld } from "../../world.ts";

const hasBash = havePrograms("the tests of what bash hands to a command", "bash");

const secret = "c0ffee11d00dfeed".repeat(4);
const sound = document(agreeing.userTags);

/** Files that are no documents, each with the secret where its error is. */
const strangers: readonly (readonly [what: string, content: string])[] = [
	["a bare key", `${secret}\n`],
	["a bare key of digits alone", `${"1234567890".repeat(6)}\n`],
	["a list", `- ${secret}\n- !${secret} {}\n`],
	["a line of words and a colon", `${secret} ${secret}: [\n`],
	["an alias", `*${secret}\n`],
	["a tag", `!${secret} x\n`],
	["two values on a line", `a: "b" ${secret}\n`],
	["an unclosed bracket", `[${secret}\n`],
	["variables", `{ x: "\${${secret.slice(0, 20)}-}" }\n`],
	["a variable as a whole", `\${X${secret}}\n`],
	["an environment file", `API_TOKEN=${secret}\nOTHER=${secret}\n`],
	["a map of something else", `token: ${secret}\n${secret}: {}\n`],
	["JSON of something else", JSON.stringify({ private_key: secret, [secret]: null })],
	["an escape in quotes", `a: "\\${secret}"\n`],
	["a directive", `%${secret}\n---\na: 1\n`],
	["a second document", `${sound}---\n${secret}\n`],
];

/** Expects no eight characters of the secret in a row. */
function expectNothingOf(shown: string, text = secret): void {
	for (let at = 0; at + 8 <= text.length; at += 1) expect(shown).not.toContain(text.slice(at, at + 8));
}

describe("no problem quotes", () => {
	test.each(strangers)("of %s given as a document", (_what, content) => {
		const { problems } = parseDocuments([{ file: "d.yaml", content }], {});
		expect(problems.length).toBeGreaterThan(0);
		expectNothingOf(JSON.stringify(problems));
		expectNothingOf(JSON.stringify(problems), "1234567890");
	});

	test.each(
		strangers.filter(([what]) => !/map|JSON|second|variables/.test(what)),
	)("%s in place of a seed", (_what, content) => {
		let told = "";
		try {
			parseSeed(content, "seed.yaml");
		} catch (error) {
			told = JSON.stringify(error);
		}
		expect(told).toContain("problems");
		expectNothingOf(told);
		expectNothingOf(told, "1234567890");
	});

	test.each([
		["--since", ["drift", "--since", "stranger", "--format", "json"]],
		["--plan", ["apply", "--plan", "stranger"]],
		["show", ["show", "stranger"]],
		["--base-file", ["plan", "--base-file", "stranger"]],
		["--key-file", ["plan", "--key-file", "stranger"]],
	])("a key or foreign JSON given to %s", async (_flag, words) => {
		const world = await makeWorld(sound);
		for (const content of [`${secret}xyz`, JSON.stringify({ command: secret, [secret]: secret })]) {
			world.write("stranger", content);
			const { code, stdout, stderr } = await world.run(words);
			expect(code).toBe(3);
			expectNothingOf(stdout + stderr);
		}
	});
});

/** Makes what a name points to instead of a regular file. */
const irregular: Readonly<Record<string, (path: string) => void>> = {
	"a FIFO": (path) => execFileSync("mkfifo", [path]),
	"a link to a FIFO": (path) => {
		execFileSync("mkfifo", [`${path}.fifo`]);
		symlinkSync(`${path}.fifo`, path);
	},
	"a link to a device without end": (path) => symlinkSync("/dev/zero", path),
};

/** A command for every flag that names a file to read. */
const readers: Readonly<Record<string, readonly string[]>> = {
	"-f": ["validate", "-f", "odd.yaml"],
	"-f of a folder": ["validate", "-f", "."],
	"--base-file": ["plan", "--base-file", "odd.yaml"],
	"--since": ["drift", "--since", "odd.yaml"],
	"--plan": ["apply", "--plan", "odd.yaml"],
	show: ["show", "odd.yaml"],
	"--seed": ["emulator", "--seed", "odd.yaml"],
	"--rules": ["emulator", "--rules", "odd.yaml"],
	"--key-file": ["plan", "--key-file", "odd.yaml"],
};

describe.runIf(onPosix).each(Object.entries(irregular))("%s is refused at once", (_what, make) => {
	test.each(Object.entries(readers))(
		"by %s",
		async (_reader, words) => {
			const world = await makeWorld(sound);
			make(join(world.folder, "odd.yaml"));
			const { child, ended } = world.start(words);
			onTestFinished(() => void child.kill("SIGKILL"));
			child.stdin?.end();
			const { code, stderr } = await ended;
			expect(code).toBe(3);
			expect(stderr).toMatch(/odd\.yaml.* (?:is not a regular file|points outside)/);
			expect(world.requests()).toEqual([]);
		},
		15_000,
	);
});

/** Makes a folder that is removed after the test: a walk through circular links does not end. */
function makeLinkedFolder(): string {
	const folder = makeFolder();
	onTestFinished(() => rmSync(folder, { recursive: true }));
	return folder;
}

describe("a folder", () => {
	const outside = () => {
		const folder = makeFolder();
		writeFileSync(join(folder, "other.yaml"), sound);
		return folder;
	};

	test.each([
		[
			"a file",
			(folder: string, elsewhere: string) => symlinkSync(join(elsewhere, "other.yaml"), join(folder, "a.yaml")),
		],
		["a folder", (folder: string, elsewhere: string) => symlinkSync(elsewhere, join(folder, "a"))],
		[
			"a file, by a link to a link",
			(folder: string, elsewhere: string) => {
				symlinkSync(elsewhere, join(folder, ".hidden"));
				symlinkSync(".hidden/other.yaml", join(folder, "a.yml"));
			},
		],
		["the folder above", (folder: string) => symlinkSync("..", join(folder, "a"))],
	])("with a link to %s outside it is refused", async (_what, link) => {
		const folder = makeLinkedFolder();
		mkdirSync(join(folder, "all"));
		writeFileSync(join(folder, "all", "orgsync.yaml"), sound);
		link(join(folder, "all"), outside());
		const { code, stderr } = await run(["validate", "-f", "all"], { cwd: folder });
		expect(code).toBe(3);
		expect(stderr).toMatch(/^error: all\/a(\.ya?ml)? is a link that points outside all\nhint: /);
	});

	test("with links inside it is read, each file once and under its own name, even with circular links", async () => {
		const folder = makeLinkedFolder();
		mkdirSync(join(folder, "all", "deep"), { recursive: true });
		writeFileSync(join(folder, "all", "deep", "orgsync.yaml"), sound);
		symlinkSync("deep/orgsync.yaml", join(folder, "all", "a.yaml"));
		symlinkSync(".", join(folder, "all", "again"));
		symlinkSync("..", join(folder, "all", "deep", "up"));
		symlinkSync("/nowhere/at/all", join(folder, "all", "dangling"));
		symlinkSync("all", join(folder, "named"));
		const { code, stdout } = await run(["validate", "-f", "named"], { cwd: folder });
		expect({ code, stdout }).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^named\/deep\/orgsync\.yaml: valid/),
		});
	});

	test("as Kubernetes mounts it is read, folders in it too", async () => {
		const folder = makeLinkedFolder();
		mkdirSync(join(folder, "..2026_11_21", "sub"), { recursive: true });
		symlinkSync("..2026_11_21", join(folder, "..data"));
		writeFileSync(join(folder, "..2026_11_21", "one.yaml"), sound);
		writeFileSync(join(folder, "..2026_11_21", "sub", "two.yaml"), document("limits: { policies: 1 }"));
		symlinkSync("..data/one.yaml", join(folder, "one.yaml"));
		symlinkSync("..data/sub", join(folder, "sub"));
		const { code, stdout } = await run(["validate", "-f", "."], { cwd: folder });
		expect({ code, stdout }).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^one\.yaml, sub\/two\.yaml: valid/),
		});
	});
});

describe("a file that is named more than once", () => {
	const spellings: Readonly<Record<string, readonly string[]>> = {
		twice: ["-f", "orgsync.yaml", "-f", "orgsync.yaml"],
		"by two spellings": ["-f", "orgsync.yaml", "-f", "./all/../orgsync.yaml"],
		"by a link": ["-f", "link.yaml", "-f", "orgsync.yaml"],
		"with its folder": ["-f", ".", "-f", "orgsync.yaml"],
		"as standard input": ["-f", "-", "-f", "-"],
	};

	test.each(Object.entries(spellings))("%s is read once", async (_how, words) => {
		const folder = makeFolder();
		mkdirSync(join(folder, "all"));
		writeFileSync(join(folder, "orgsync.yaml"), sound);
		symlinkSync("orgsync.yaml", join(folder, "link.yaml"));
		const { code, stdout, stderr } = await run(["validate", ...words], { cwd: folder, stdin: sound });
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/^[^,]*: valid/);
	});

	test("is read twice if only the content is the same", async () => {
		const folder = makeFolder();
		writeFileSync(join(folder, "one.yaml"), sound);
		linkSync(join(folder, "one.yaml"), join(folder, "two.yaml"));
		const { code, stderr } = await run(["validate", "-f", "one.yaml", "-f", "two.yaml"], { cwd: folder });
		expect(code).toBe(3);
		expect(stderr).toContain("duplicate tag `signers`, first at one.yaml");
	});
});

test("a link that points outside its folder is read, and its problems show no text of the target", async () => {
	const folder = makeFolder();
	const elsewhere = makeFolder();
	const passwords = `users:\n  alice: ${secret}\n  ${secret}: "\${${secret.slice(0, 20)}-"\n`;
	writeFileSync(join(elsewhere, "passwords.yaml"), passwords);
	symlinkSync(join(elsewhere, "passwords.yaml"), join(folder, "orgsync.yaml"));
	const hidden = await run(["validate", "--format", "json"], { cwd: folder });
	expect(hidden.code).toBe(3);
	expectNothingOf(hidden.stdout + hidden.stderr);
	expect(readOutput(hidden).problems).toContainEqual(
		expect.objectContaining({ file: "orgsync.yaml", line: 2, column: 10, code: "not-an-id", path: "" }),
	);
	expect(hidden.stderr).toContain("orgsync.yaml:2:10: not-an-id: details are hidden, because this file is a link");
	const named = await run(["validate", "-f", join(elsewhere, "passwords.yaml")], { cwd: folder });
	expect(named.stderr).toContain("is not an id: expected a UUID");
});

test.runIf(hasBash)(
	"a link that the operator names is read, wherever it points, and so is a pipe that the shell opened",
	async () => {
		const folder = makeFolder();
		const elsewhere = makeFolder();
		writeFileSync(join(elsewhere, "other.yaml"), sound);
		symlinkSync(join(elsewhere, "other.yaml"), join(folder, "orgsync.yaml"));
		expect((await run(["validate"], { cwd: folder })).code).toBe(0);
		const command = `${orgsync.join(" ")} drift -f <(cat orgsync.yaml) -f /dev/fd/63 --only userTag --shard 1/1`;
		const { stderr } = await runProgram(["bash", "-c", command], { cwd: folder });
		expect(stderr).toMatch(/^Shard 1\/1: 1 of 1 organizations\.\nerror: no service URL/);
	},
);

test("a key file that others can read causes a warning on standard error, one that they can write is refused", async () => {
	const world = await makeWorld(sound);
	world.write("alice.private", keys.alice.privateKey);
	const file = join(world.folder, "alice.private");
	const plan = (...words: string[]) => world.run(["plan", "--key-file", "alice.private", "--format", "json", ...words]);
	chmodSync(file, 0o640);
	const warned = await plan();
	expect(readOutput(warned).exitCode).toBe(0);
	expect(warned.stderr).toMatch(
		/^warning: the key file alice\.private can be read by others \(mode 0640\); run chmod 600 on it/,
	);
	expect((await plan("--quiet")).stderr).toBe("");
	chmodSync(file, 0o660);
	const refused = await plan();
	expect(readOutput(refused)).toMatchObject({
		exitCode: 3,
		error: { message: "the key file alice.private can be written by others (mode 0660)" },
	});
	const given = await world.run(["plan", "--key-file", keys.alice.privateKey]);
	expect(given).toMatchObject({
		code: 3,
		stderr: expect.stringMatching(/It must be the name of a file that holds the key, not the key\.$/m),
	});
	expect(given.stderr).not.toContain(keys.alice.privateKey.slice(0, 8));
});

test("a text that is larger than its limit is refused with the limit, not read in part", () => {
	const limit = { maxMebibytes: 1, hint: "write less" };
	const text = new Uint8Array(1024 * 1024).fill(32);
	expect(decodeText("standard input", text, limit)).toHaveLength(text.length);
	const refused = () => decodeText("standard input", new Uint8Array(text.length + 1), limit);
	expect(refused).toThrow("standard input cannot be read: it is larger than 1 MiB");
});

test("documents of more than 128 MiB in total are refused while they are read", async () => {
	const folder = makeFolder();
	const large = Buffer.alloc(8 * 1024 * 1024, "# nothing but comment\n");
	for (let index = 0; index < 17; index += 1) writeFileSync(join(folder, `${index}.yaml`), large);
	const { code, stderr } = await run(["validate", "-f", "."], { cwd: folder });
	expect(code).toBe(3);
	expect(stderr).toMatch(/^error: the documents are larger than 128 MiB in total\n/);
});
