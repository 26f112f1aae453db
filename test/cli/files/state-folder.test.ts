/**
 * Where `.orgsync` is: with the documents, wherever the command runs, and never a second journal beside an existing one.
 */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findDocumentFiles } from "../../../src/cli/files/document-files.ts";
import { findStateParent } from "../../../src/cli/files/state-folder.ts";
import { onPosix } from "../../needs.ts";
import { makeFolder, run } from "../../run.ts";
import { document, makeWorld } from "../../world.ts";

let root = "";

function find(from: string, file: readonly string[] = [], local?: boolean): string {
	const place = { directory: join(root, from), environment: {} };
	const parent = findStateParent({ file, ...(local === undefined ? {} : { local }) }, place);
	return parent.slice(root.length + 1).replaceAll("\\", "/") || ".";
}

function journalIn(folder: string, name = "journal.sqlite"): void {
	mkdirSync(join(root, folder, ".orgsync"), { recursive: true });
	writeFileSync(join(root, folder, ".orgsync", name), "");
}

beforeEach(() => {
	root = makeFolder();
	for (const folder of ["repo/.git", "repo/team/prod/scripts", "repo/other", "elsewhere"]) {
		mkdirSync(join(root, folder), { recursive: true });
	}
});

const pipe: [string, string, string[], string] = [
	"in the working folder for a pipe",
	"repo/team",
	["/dev/fd/63"],
	"repo/team",
];

describe("without a journal, .orgsync is made", () => {
	test.each([
		["in the working folder", "repo", [], "repo"],
		["in the working folder for documents below it", "repo", ["team", "other/a.yaml"], "repo"],
		["in the folder of the document above the working folder", "repo/team/prod", ["../a.yaml"], "repo/team"],
		["in the folder of the document beside it in the same repository", "repo/other", ["../team/a.yaml"], "repo/team"],
		["in the folder that the documents have in common", "repo/team/prod", ["../../other", "../a.yaml"], "repo"],
		["in the working folder for a document outside the repository", "repo", ["../elsewhere/a.yaml"], "repo"],
		["in the working folder for standard input", "repo/team", ["-"], "repo/team"],
		...(onPosix ? [pipe] : []),
	])("%s", (_, from, files, expected) => {
		expect(find(from, files)).toBe(expected);
	});
});

describe("an existing journal is used", () => {
	test.each([
		["from a subfolder, by the document's folder", "repo/team/prod/scripts", ["../a.yaml"]],
		["from a subfolder, by a folder of documents", "repo/team/prod", [".."]],
		["from a subfolder with a document of its own", "repo/team/prod", ["a.yaml"]],
		["from a subfolder without a document", "repo/team/prod", []],
		["from above", "repo", ["team/prod/a.yaml"]],
		["from outside", "elsewhere", ["../repo/team/a.yaml"]],
		["for documents of several folders", "repo", ["team/a.yaml", "team/prod"]],
		["in the working folder, for a document elsewhere", "repo/team", ["../elsewhere/a.yaml"]],
	])("%s", (_, from, files) => {
		journalIn("repo/team");
		expect(find(from, files)).toBe("repo/team");
	});

	test("only up to the root of the repository", () => {
		journalIn(".");
		expect(find("repo/team", ["a.yaml"])).toBe("repo/team");
		expect(find("elsewhere", ["a.yaml"])).toBe(".");
	});

	test.runIf(onPosix)("but not above a folder that every user can write", () => {
		journalIn("repo");
		chmodSync(join(root, "repo/team"), 0o777);
		expect(find("repo/team/prod", ["a.yaml"])).toBe("repo/team/prod");
	});

	test("and a folder .orgsync without one, as a pull request can add, changes nothing", () => {
		journalIn("repo");
		mkdirSync(join(root, "repo/team/.orgsync"));
		expect(find("repo", ["team/a.yaml"])).toBe("repo");
	});
});

describe("two journals are refused", () => {
	test.each([
		[
			"in the working folder and with the documents",
			"repo",
			["team/a.yaml"],
			["repo", "repo/team"],
			/several journals/,
		],
		["with documents of two folders", "repo", ["team", "other"], ["repo/team", "repo/other"], /several journals/],
		[
			"if only some of the documents have one",
			"repo",
			["team", "other"],
			["repo/team"],
			/only some of these documents/,
		],
	])("%s", (_, from, files, journals, message) => {
		for (const folder of journals) journalIn(folder);
		expect(() => find(from, files)).toThrow(message);
	});

	test("except that the local emulator has its own", () => {
		for (const folder of ["repo", "repo/team"]) journalIn(folder);
		journalIn("repo/team", "local.sqlite");
		expect(find("repo", ["team/a.yaml"], true)).toBe("repo/team");
	});
});

test("apply from a subfolder joins what the folder of the document submitted, and makes no second journal", async () => {
	const world = await makeWorld(document("userTags: [{ name: signatories, previously: [signers] }]"));
	const cwd = join(world.folder, "scripts");
	mkdirSync(cwd);
	await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	const words = ["apply", "--yes", "--reads", "documented", "-f", "../orgsync.yaml"];
	const first = await world.run(words, { cwd });
	expect(first).toMatchObject({ code: 8, stderr: expect.stringContaining("Journal: ") });
	const status = ["status", "--reads", "documented"];
	expect((await world.run(status)).stdout).toContain("userTag:signatories");
	expect((await world.run([...status, "-f", "../orgsync.yaml"], { cwd })).stdout).toContain("userTag:signatories");
	expect(existsSync(join(cwd, ".orgsync"))).toBe(false);
	expect(existsSync(join(world.folder, ".orgsync/journal.sqlite"))).toBe(true);
	mkdirSync(join(cwd, ".orgsync"));
	writeFileSync(join(cwd, ".orgsync/journal.sqlite"), "");
	const refused = await world.run(words, { cwd });
	expect(refused.code).toBe(3);
	expect(refused.stderr).toMatch(
		/^error: there are several journals for these documents: .*\nhint: name the right one with --journal/,
	);
	const named = await world.run([...words, "--journal", "../.orgsync/journal.sqlite"], { cwd });
	expect(named.code).toBe(8);
	expect(world.activities().length).toBe(1);
});

describe("without a document in the working folder", () => {
	const hint = (): unknown => {
		try {
			return findDocumentFiles([], join(root, "repo/team/prod"));
		} catch (error) {
			return (error as { hint?: string }).hint;
		}
	};

	test("the error names the one above it in the same repository, and no other", () => {
		writeFileSync(join(root, "orgsync.yaml"), "");
		expect(hint()).toBe("create one with `orgsync init`, or name a file with -f");
		writeFileSync(join(root, "repo/orgsync.yaml"), "");
		expect(hint()).toBe("there is one above this folder: add -f ../../orgsync.yaml");
	});
});

test("a local service of a parent folder is not taken", () => {
	journalIn("repo", "local.sqlite");
	expect(find("repo/other", ["a.yaml"], true)).toBe("repo/other");
	expect(find("repo/other", [], true)).toBe("repo/other");
	expect(find("repo", ["other/a.yaml"], true)).toBe("repo");
});

describe("with --local, stderr", () => {
	const runLocal = (from: string, ...words: string[]) =>
		run(["status", "--local", ...words], { cwd: join(root, from) });

	test("names no state that is that of the working folder", async () => {
		expect(await runLocal("repo")).toMatchObject({ code: 0, stderr: "" });
		expect(await runLocal("repo")).toMatchObject({ code: 0, stderr: "" });
	});

	test("names the state of another folder", async () => {
		await runLocal("repo/team");
		writeFileSync(join(root, "repo/team/a.yaml"), document("userTags: []"));
		const { stderr } = await runLocal("repo", "-f", "team/a.yaml");
		expect(stderr).toContain(`Local service: ${join(root, "repo/team/.orgsync")}\n`);
	});

	test("names the state of a folder above that is not used, except with --quiet", async () => {
		await runLocal("repo");
		const said = `Local service: ${join(root, "repo/other/.orgsync")}, not ${join(root, "repo/.orgsync")}, which is in a folder above\n`;
		expect(await runLocal("repo/other")).toMatchObject({ code: 0, stderr: said });
		expect(await runLocal("repo/other", "--quiet")).toMatchObject({ code: 0, stderr: "" });
	});
});
