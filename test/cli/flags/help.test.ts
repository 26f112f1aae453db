/**
 * The help as its reader has it: what it says is short, and uniform. Examples are calls that the program takes.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeProgram } from "../../../src/cli/flags/program.ts";
import type { Terminal } from "../../../src/cli/output/output.ts";
import { makeFolder, run } from "../../run.ts";
import { document, keys, makeWorld } from "../../world.ts";

const program = makeProgram({} as Terminal, () => {});
const { commands } = program;

const described = [program, ...commands].flatMap((command) => [
	{ of: command.name(), what: "the command", text: command.description() },
	...command.options.map((option) => ({ of: command.name(), what: option.flags, text: option.description })),
	...command.registeredArguments.map((one) => ({ of: command.name(), what: one.name(), text: one.description })),
]);

describe("the help text", () => {
	test.each(described)("of $of, $what, is one short phrase: $text", ({ text }) => {
		expect(text.length).toBeLessThan(70);
		expect(text).toMatch(/^[a-z]|^(API|SQLite|NAME=|-)/);
		expect(text).not.toMatch(/\.$|\.\s|\s\s/);
		expect(text).not.toMatch(/\b(told|stands|speaks of|anew|whoever|somebody|nobody|what is wanted)\b/);
	});

	test.each(
		commands.map((command) => command.name()),
	)("of %s ends with one example, which the program takes", async (name) => {
		const { code, stdout } = await run([name, "--help"]);
		expect(code).toBe(0);
		const [, example = ""] = /\nExample:\n {2}(.*)\n$/.exec(stdout) ?? [];
		const words = /orgsync ([^)]*)/.exec(example)?.[1]?.split(" ") ?? [];
		expect(words[0]).toBe(name);
		// Asked for help, it checks every flag and value before it prints.
		const command = commands.find((one) => one.name() === name);
		const flags = words.filter((word) => word.startsWith("-"));
		const known = command?.options.flatMap(({ short, long }) => [short, long]) ?? [];
		expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
		expect((await run([...words, "--bogus"])).stderr).toMatch(/^error: unknown option '--bogus'/);
	});

	test("of the program ends with calls that need no account", async () => {
		const { stdout } = await run(["--help"]);
		const examples = [...stdout.matchAll(/^ {2}orgsync (.*)$/gm)].map(([, words = ""]) => words.split(" "));
		expect(examples.length).toBe(2);
		const cwd = makeFolder();
		for (const words of examples) expect(await run(words, { cwd })).toMatchObject({ code: 0, stderr: "" });
	});
});

describe("an environment variable that the help names", () => {
	const named = commands.flatMap((command) =>
		command.options.flatMap(({ long, description }) =>
			[...description.matchAll(/\((ORGSYNC_\w+)\)/g)].map(([, variable = ""]) => ({ flag: long ?? "", variable })),
		),
	);
	const pairs = new Map(named.map(({ flag, variable }) => [flag, variable]));

	test("belongs to one flag", () => {
		expect([...pairs.keys()].sort()).toEqual(["--key-file", "--organization", "--stamp-command", "--url"]);
		expect(new Set(named.map(({ flag, variable }) => `${flag} ${variable}`)).size).toBe(pairs.size);
	});

	test.each([...pairs])("does the same as its flag: %s, %s", async (flag, variable) => {
		const text = document("userTags: [{ name: signers }]");
		const world = await makeWorld(text);
		writeFileSync(join(world.folder, "alice.private"), `${keys.alice.privateKey}\n`);
		const other = "f0000000-0000-4000-8000-000000000009";
		const value: Readonly<Record<string, string>> = {
			"--url": world.url,
			"--key-file": "alice.private",
			"--stamp-command": "echo not a stamp",
			"--organization": other,
		};
		const none = { ORGSYNC_URL: flag === "--url" ? "" : world.url };
		const key = ["--key-file", "--stamp-command"].includes(flag) ? "" : keys.alice.privateKey;
		const env = { ...none, ORGSYNC_API_PRIVATE_KEY: key };
		const words = ["query", "list_user_tags"];
		const byFlag = await world.run([...words, flag, value[flag] ?? ""], { env });
		const byVariable = await world.run(words, { env: { ...env, [variable]: value[flag] ?? "" } });
		expect(byVariable).toEqual(byFlag);
		expect(await world.run(words, { env })).not.toEqual(byFlag);
	});
});

describe("--help", () => {
	test.each(
		commands.map((command) => command.name()),
	)("of %s shows every flag in a group with a heading", async (name) => {
		const { stdout } = await run([name, "--help"]);
		expect(stdout).not.toContain("\nOptions:\n");
		const groups = stdout.split("\n\n").filter((part) => /^\w[\w ]*:\n {2}-/.test(part));
		const flags = groups.flatMap((part) => [...part.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag));
		const command = commands.find((one) => one.name() === name);
		expect(flags.sort()).toEqual([...(command?.options.map(({ long }) => long) ?? []), "--help"].sort());
	});

	test("of the program shows each command once, under a heading", async () => {
		const { stdout } = await run(["--help"]);
		for (const command of commands) {
			expect(stdout.match(new RegExp(`^ {2}${command.name()} +\\S`, "gm")), command.name()).toHaveLength(1);
		}
		expect(stdout).not.toContain("\nCommands:\n");
	});

	test("of init offers neither standard input nor folders, which init refuses", async () => {
		const { stdout } = await run(["init", "--help"]);
		expect(stdout).toMatch(/-f, --file <path> +file to write; must not exist \(default:\s+orgsync\.yaml\)/);
		expect(stdout).not.toMatch(/standard input|folder|repeat/);
	});

	test.each([[], ...commands.map((command) => [command.name()])])("of %s fits into 80 columns", async (...words) => {
		for (const line of (await run([...words, "--help"])).stdout.split("\n"))
			expect(line.length).toBeLessThanOrEqual(80);
	});
});
