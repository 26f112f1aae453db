/**
 * Slips on the command line: each is one clear error with exit code 3, in JSON one object, and nothing is asked, sent or
 * written. What the program knows of its flags is looped over, so a new flag is held to the same.
 */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeProgram } from "../../../src/cli/flags/program.ts";
import type { Terminal } from "../../../src/cli/output/output.ts";
import { checkSchema } from "../../check-schema.ts";
import { havePrograms } from "../../needs.ts";
import { makeFolder, normalize, orgsync, readOutput, run, runProgram } from "../../run.ts";
import { agreeing, document, makeWorld, organizationId } from "../../world.ts";

const hasBash = havePrograms("the tests of what bash hands to a command", "bash");

const { commands } = makeProgram({} as Terminal, () => {});

/** Runs the command in a folder with a document. */
async function call(words: readonly string[]) {
	const directory = makeFolder();
	writeFileSync(join(directory, "orgsync.yaml"), `organizationId: ${organizationId}\n`);
	return run(words, { cwd: directory });
}

/** The words are refused with exit code 3 and one error that fits; in JSON it is the one object too. */
async function expectRefused(words: readonly string[], error: RegExp): Promise<void> {
	const { code, stdout, stderr } = await call(words);
	expect({ words, code, stdout }).toEqual({ words, code: 3, stdout: "" });
	expect(stderr).toMatch(error);
	expect(stderr.match(/^error: /gm)).toHaveLength(1);
	const json = await call([...words, "--format", "json"]);
	const output = JSON.parse(json.stdout);
	expect(checkSchema("output.json", output)).toEqual([]);
	expect({ words, code: json.code, exitCode: output.exitCode }).toEqual({ words, code: 3, exitCode: 3 });
	expect(output.error.message).toMatch(new RegExp(error.source.replace(/^\^error: /, "^"), error.flags));
}

const valued = commands.flatMap((command) =>
	command.options.filter(({ required }) => required).map((option) => ({ name: command.name(), option })),
);
const withFormat = valued.filter(({ option }) => option.long !== "--format");
const sampleOf = (option: { readonly argChoices?: readonly string[]; readonly long?: string | null | undefined }) =>
	samples[option.long ?? ""] ?? option.argChoices?.[0] ?? "1";

/** Values of flags that do not take a number. */
const samples: Readonly<Record<string, string>> = {
	"--digest": "1".repeat(64),
	"--at": "2026-08-01",
	"--resume": "20260131-093000-3f9c1a",
};

describe("an unknown command", () => {
	test.each([
		["nonsense"],
		["nonsense", "--help"],
		["nonsense", "-V"],
		["nonsense", "--version"],
		["--help", "nonsense"],
		["-V", "nonsense"],
		["help", "nonsense"],
		["help", "nonsense", "--help"],
		["--help", "help", "nonsense"],
		["nonsense", "-f", "orgsync.yaml"],
	])("is an error: %s %s %s", async (...words) => {
		await expectRefused(words, /^error: unknown command 'nonsense'$/m);
	});

	test.each([
		["plna"],
		["plna", "--help"],
		["help", "plna"],
		["plna", "-V"],
		["-h", "plna"],
	])("is reported with the nearest one: %s %s", async (...words) => {
		await expectRefused(words, /^error: unknown command 'plna' \(Did you mean plan\?\)$/m);
	});

	test("is an error however it is spelled", async () => {
		for (const word of ["", " plan", "Plan", "constructor", "__proto__", "plan\u0000"]) {
			expect((await call([word])).code, JSON.stringify(word)).toBe(3);
		}
	});
});

describe("help", () => {
	test("is printed for a command, in every way to ask for it", async () => {
		const { code, stdout } = await call(["plan", "--help"]);
		expect(code).toBe(0);
		for (const words of [
			["help", "plan"],
			["--help", "plan"],
			["-h", "plan"],
			["plan", "-h"],
			["help", "plan", "--help"],
		]) {
			expect(await call(words)).toEqual({ code: 0, stdout, stderr: "" });
		}
	});

	test("takes one command and no flag", async () => {
		await expectRefused(["help", "plan", "apply"], /^error: help takes one command$/m);
		expect(await call(["help", "--bogus"])).toMatchObject({ code: 3, stderr: expect.stringContaining("'--bogus'") });
	});
});

describe("the version", () => {
	test("is no flag of a command: `apply -V` applies nothing", async () => {
		for (const command of commands) {
			const { code, stdout } = await call([command.name(), "-V"]);
			expect({ name: command.name(), code, stdout }).toEqual({ name: command.name(), code: 3, stdout: "" });
		}
	});
});

describe("a flag that takes one value", () => {
	test.each(
		withFormat.filter(({ option }) => !Array.isArray(option.defaultValue)),
	)("is refused when given twice: $name $option.long", async ({ name, option }) => {
		const words = [option.long ?? "", sampleOf(option)];
		const formats = name === "emulator" ? call : expectRefused;
		const again = /^error: option '.*' is given more than once$/m;
		const answer = await formats([name, ...words, ...words], again);
		if (answer !== undefined) expect(answer).toMatchObject({ code: 3, stderr: expect.stringMatching(again) });
	});

	test("is refused when given twice: --format", async () => {
		for (const words of [
			["--format", "json", "--format", "json"],
			["--format=json", "--format", "text"],
		]) {
			expect(await call(["plan", ...words])).toMatchObject({
				code: 3,
				stderr: expect.stringContaining("more than once"),
			});
		}
	});

	test.each(valued)("is refused without a value: $name $option.long", async ({ name, option }) => {
		const { code, stdout, stderr } = await call([name, `${option.long}=`]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		expect(stderr).toMatch(/^error: (option '.*' argument '' is invalid\.|--\w+ ?:) .+\n(hint: .+\n)?$/);
		const json = await call([name, "--format", "json", option.long ?? "", ""]);
		if (name !== "emulator") expect(JSON.parse(json.stdout)).toMatchObject({ exitCode: 3, problems: [] });
		expect(json.code).toBe(3);
	});
});

test.each([
	["show", ""],
	["query", ""],
	["query", "list_user_tags", ""],
	["explain", ""],
	["wait", ""],
	["schema", ""],
	["completion", ""],
])("an empty argument is refused: %s '%s'", async (...words) => {
	await expectRefused(
		words,
		/^error: command-argument value '' is invalid for argument '\w+'\. It must (not be empty|be the name of a file)\.$/m,
	);
});

describe("a number", () => {
	const numbers = valued.filter(({ option }) => /<(seconds|number)>/.test(option.flags));

	test.each(numbers)("is refused if it is too large: $name $option.long", async ({ name, option }) => {
		for (const value of [
			"9".repeat(400),
			"99999999999999999999",
			"1e3",
			"-1",
			"0x10",
			"NaN",
			"Infinity",
			"1,5",
			" 1",
		]) {
			const { code, stderr } = await call([name, option.long ?? "", value]);
			expect({ value, code }).toEqual({ value, code: 3 });
			expect(stderr).toMatch(/is invalid\. It must be a (whole )?number from [\d.]+ to \d+\.\n/);
		}
	});

	test("is refused as a rate that no timer can hold", async () => {
		await expectRefused(["plan", "--max-rps", "0.0000001"], /It must be a number from 0\.001 to 1000000\.$/m);
	});
});

describe("flags", () => {
	test.each<[string[], RegExp]>([
		[["plan", "--bogus"], /^error: unknown option '--bogus'$/m],
		[["plan", "--flie", "x"], /^error: unknown option '--flie' \(Did you mean --file\?\)$/m],
		[["apply", "--yes=no"], /^error: unknown option '--yes=no'/m],
		[["plan", "extra"], /^error: too many arguments for 'plan'/m],
		[["plan", "--output", "--quiet"], /It must be the name of a file; write \.\/--quiet for a file of that name\.$/m],
		[["apply", "--journal", "--yes"], /It must be the name of a file; write \.\/--yes for a file of that name\.$/m],
	])("are refused in a wrong place or form: %j", async (words, error) => {
		await expectRefused(words, error);
	});

	test.each([
		["--yes", "apply"],
		["--quiet", "plan"],
		["--local", "plan"],
	])("%s before %s are refused with a hint to put them after the command", async (flag, command) => {
		const { code, stderr } = await call([flag, command]);
		expect({ code, stderr }).toEqual({
			code: 3,
			stderr: `error: unknown option '${flag}'\nhint: put flags after the command: orgsync ${command} --help\n`,
		});
		expect(JSON.parse((await call([flag, command, "--format", "json"])).stdout)).toMatchObject({ exitCode: 3 });
	});

	test.each([
		"plan",
		"validate",
		"completion",
	])("with a misspelled --format of %s are refused with the formats", async (name) => {
		for (const format of ["jsn", "JSON", "yaml", "xml"]) {
			const { code, stdout, stderr } = await call([name, "--format", format]);
			expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
			expect(stderr).toMatch(/Allowed choices are text, json/);
		}
	});
});

describe("a file named -", () => {
	const refused = valued.filter(({ option }) =>
		["--journal", "--key-file", "--since", "--data"].includes(option.long ?? ""),
	);

	test.each(refused)("is refused by $name $option.long", async ({ name, option }) => {
		const { code, stdout, stderr } = await call([name, option.long ?? "", "-"]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		expect(stderr).toContain("argument '-' is invalid. It must be the name of a file, not -.");
	});

	test("is refused by plan --out and init -f, and no file of that name is made", async () => {
		const world = await makeWorld(document(agreeing.userTags));
		for (const words of [
			["plan", "--out", "-"],
			["init", "-f", "-"],
		]) {
			expect(await world.run(words)).toMatchObject({
				code: 3,
				stdout: "",
				stderr: expect.stringMatching(/file, not -/),
			});
		}
		expect(readdirSync(world.folder)).toEqual(["orgsync.yaml"]);
	});

	test("is standard output with --output, in every format, and no file of that name is made", async () => {
		const world = await makeWorld(document(agreeing.userTags));
		for (const words of [
			["validate"],
			["validate", "--format", "json"],
			["export"],
			["plan", "--format", "markdown"],
		]) {
			const plain = await world.run(words);
			const named = await world.run([...words, "--output", "-"]);
			expect({ ...named, stdout: normalize(named.stdout) }).toEqual({ ...plain, stdout: normalize(plain.stdout) });
			expect(plain.stdout).not.toBe("");
		}
		expect(readdirSync(world.folder)).toEqual(["orgsync.yaml"]);
	});

	test("is standard output with import-key --out", async () => {
		const world = await makeWorld(document());
		const { code, stdout } = await world.run(["import-key", "--user", "bob", "--out", "-"]);
		expect(code).toBe(0);
		expect(stdout).toBe(`${world.activities()[0].result.initImportPrivateKeyResult.importBundle}\n`);
		expect(readdirSync(world.folder)).not.toContain("-");
	});

	test("is standard input with emulator --seed, and with --rules, but not with both", async () => {
		const cwd = makeFolder();
		const wrong = await run(["emulator", "--seed", "-"], { cwd, stdin: "organizations: 7\n" });
		expect(wrong).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(/^-:1:1: /) });
		const rules = await run(["emulator", "--rules", "-"], { cwd, stdin: "approvals: 7\n" });
		expect(rules).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(/^-:1:1: /) });
		const both = await run(["emulator", "--seed", "-", "--rules", "-"], { cwd });
		expect(both).toMatchObject({ code: 3, stderr: "error: --seed and --rules cannot both be standard input\n" });
		expect(readdirSync(cwd)).toEqual([]);
	});
});

describe("--output or --out with a file that the command reads or keeps", () => {
	test("is refused before anything is written, by any name and in JSON too", async () => {
		const text = document(agreeing.userTags);
		const world = await makeWorld(text);
		mkdirSync(join(world.folder, "more"));
		world.write("more/one.yaml", text);
		symlinkSync("orgsync.yaml", join(world.folder, "link.yaml"));
		expect((await world.run(["plan", "--out", "saved.json"])).code).toBe(0);
		const saved = readFileSync(join(world.folder, "saved.json"), "utf8");
		const cases: [string[], string][] = [
			[["plan", "--output", "orgsync.yaml"], "the document"],
			[["validate", "-f", "./orgsync.yaml", "--output", "more/../orgsync.yaml"], "the document"],
			[["plan", "--output", "link.yaml"], "the document"],
			[["query", "list_user_tags", "--output", "orgsync.yaml"], "the document"],
			[["plan", "-f", "more", "--output", "more/one.yaml"], "the document"],
			[["init", "-f", "new.yaml", "--output", "new.yaml"], "the document"],
			[["apply", "--yes", "--journal", "j.sqlite", "--output", "j.sqlite"], "the journal"],
			[["apply", "--plan", "saved.json", "--output", "saved.json"], "the saved plan"],
			[["show", "saved.json", "--output", "saved.json"], "the saved plan"],
			[["plan", "--out", "link.yaml"], "the document"],
			[["plan", "--out", "j.sqlite", "--journal", "j.sqlite"], "the journal"],
			[["import-key", "--user", "bob", "--out", "orgsync.yaml"], "the document"],
			[["import-key", "--user", "bob", "--out", "b.txt", "--output", "b.txt"], "the file of --out"],
		];
		for (const [words, what] of cases) {
			for (const format of ["text", "json"]) {
				const { code, stdout, stderr } = await world.run([...words, "--format", format]);
				expect({ words, code }).toEqual({ words, code: 3 });
				expect(stderr).toMatch(new RegExp(`^error: --out(put)? \\S+: that is ${what}\nhint: name another file\n$`));
				if (format === "json") expect(readOutput({ code, stdout, stderr }).error.code).toBe("configuration");
			}
		}
		for (const name of ["orgsync.yaml", "more/one.yaml"])
			expect(readFileSync(join(world.folder, name), "utf8")).toBe(text);
		expect(readFileSync(join(world.folder, "saved.json"), "utf8")).toBe(saved);
		expect(readdirSync(world.folder).sort()).toEqual(["link.yaml", "more", "orgsync.yaml", "saved.json"]);
	});

	test("is accepted for the document that named the organization of export", async () => {
		const world = await makeWorld(document());
		expect((await world.run(["export", "-f", "orgsync.yaml", "--output", "orgsync.yaml"])).code).toBe(0);
		expect((await world.run(["plan"])).stdout).toContain("No changes.");
	});
});

describe("query", () => {
	test.each<[string[], RegExp]>([
		[["list_user_tag"], /^error: unknown query: list_user_tag; did you mean list_user_tags\?$/m],
		[["get_mfa_status", "activityId=1", "activityId=2"], /^error: the field activityId is given more than once$/m],
		[
			["list_user_tags", `organizationId=${organizationId}`, "--organization", organizationId],
			/^error: the field organizationId and --organization cannot be used together$/m,
		],
		[
			["list_activities", "filterByStatus=ACTIVITY_STATUS_PENDING"],
			/^error: the field filterByStatus must be a list, which --json takes$/m,
		],
		[["list_user_tags", "__proto__=1"], /^error: list_user_tags has no field __proto__$/m],
	])("refuses %j", async (words, error) => {
		await expectRefused(["query", ...words], error);
	});
});

test("an unknown schema is reported with the nearest one", async () => {
	await expectRefused(["schema", "documents"], /^error: there is no schema documents; did you mean document\?$/m);
	await expectRefused(["schema", "x".repeat(10_000)], /^error: there is no schema x+$/m);
});

describe("a working folder that was removed", () => {
	test.runIf(hasBash)("is exit 3 without a stack trace, and --version still works", async () => {
		const gone = join(makeFolder(), "gone");
		const call = (words: string) =>
			runProgram([
				"bash",
				"-c",
				`mkdir '${gone}'; cd '${gone}'; rmdir '${gone}'; '${orgsync.join("' '")}' ${words}; exit $?`,
			]);
		expect(await call("plan")).toEqual({
			code: 3,
			stdout: "",
			stderr: "error: the working folder does not exist any more\nhint: change to a folder that exists\n",
		});
		expect(await call("--version")).toMatchObject({ code: 0, stderr: "" });
	});
});

describe("an invalid organization id in the environment", () => {
	const env = { ORGSYNC_ORGANIZATION_ID: "garbage" };

	test("is reported with its variable", async () => {
		const world = await makeWorld();
		for (const words of [["init"], ["export"], ["query", "list_user_tags"]]) {
			expect(await world.run(words, { env })).toEqual({
				code: 3,
				stdout: "",
				stderr:
					"error: `garbage` is not an organization id: it must be a UUID\nhint: the environment variable for the organization has an invalid id\n",
			});
		}
	});

	test("is ignored by init --local", async () => {
		expect((await run(["init", "--local"], { cwd: makeFolder(), env })).code).toBe(0);
	});
});

describe("init -f", () => {
	test("refuses a folder and shows how to name a file in it", async () => {
		const cwd = makeFolder();
		mkdirSync(join(cwd, "my documents"));
		expect(await run(["init", "-f", "my documents", "--organization", organizationId], { cwd })).toEqual({
			code: 3,
			stdout: "",
			stderr:
				"error: my documents is a folder, and init writes one file\nhint: name the file: -f 'my documents/orgsync.yaml'\n",
		});
	});
});
