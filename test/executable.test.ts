/**
 * The command line as one executable, on the system of the test: what people unpack who have no Node, and no registry in reach.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executableFile, findNodeLicense, stageExecutable } from "../scripts/executable.ts";
import { makeFolder, runProgram } from "./run.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const nodeLicense = findNodeLicense();

describe("the executable", () => {
	let folder: string;

	beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), "orgsync-executable-"));
		await stageExecutable(folder, join(root, "dist"), nodeLicense ?? join(root, "LICENSE"));
	}, 120_000);

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	/** Runs it in the folder, with no Node and nothing else on the PATH. */
	const run = (cwd: string, words: readonly string[]) =>
		runProgram([join(folder, executableFile), ...words], { cwd, env: { PATH: "", NODE_OPTIONS: "" } });

	it("plans and applies on the embedded service in an empty folder, without Node", async () => {
		const cwd = makeFolder();
		expect(await run(cwd, ["init", "--local"])).toMatchObject({ code: 0, stderr: "" });
		// It has no schema as a file, so the document names none.
		expect(readFileSync(join(cwd, "orgsync.yaml"), "utf8")).not.toContain("yaml-language-server");
		const planned = await run(cwd, ["plan", "--local", "--detailed-exitcode", "--format", "html"]);
		expect(planned).toMatchObject({ code: 2, stdout: expect.stringMatching(/^<!DOCTYPE html>/i), stderr: "" });
		expect(await run(cwd, ["apply", "--local", "--yes"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("5 completed"),
		});
		expect(readdirSync(cwd).sort()).toEqual([".orgsync", "orgsync.yaml"]);
	}, 60_000);

	it("has every schema inside, and refuses an unknown flag with the usual exit code", async () => {
		const [schema, refused] = await Promise.all([
			run(folder, ["schema", "operations/update_user_tag"]),
			run(folder, ["plan", "--no-such-flag"]),
		]);
		expect(JSON.parse(schema.stdout)).toHaveProperty("$defs");
		expect(refused).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(/^error: unknown option/) });
	}, 60_000);

	it("comes with man pages, completion scripts and all licences, in the folders of a prefix", () => {
		const files = readdirSync(join(folder, "share"), { recursive: true, encoding: "utf8" });
		expect(files).toEqual(
			expect.arrayContaining([
				join("man/man1/orgsync.1"),
				join("man/man1/orgsync-apply.1"),
				join("bash-completion/completions/orgsync"),
				join("zsh/site-functions/_orgsync"),
				join("fish/vendor_completions.d/orgsync.fish"),
				join("doc/orgsync/LICENSE"),
			]),
		);
		const notices = readFileSync(join(folder, "share/doc/orgsync/THIRD-PARTY-NOTICES.txt"), "utf8");
		for (const name of ["undici", "yaml", "commander"]) expect(notices).toMatch(new RegExp(`^## ${name} `, "m"));
		expect(existsSync(join(folder, "share/doc/orgsync/NODE-LICENSE.txt"))).toBe(true);
	});

	it.skipIf(nodeLicense === undefined)("comes with Node's own licence, with those of the parts of Node", () => {
		const license = readFileSync(join(folder, "share/doc/orgsync/NODE-LICENSE.txt"), "utf8");
		expect(license).toMatch(/^Node\.js is licensed/);
		expect(license).toContain("V8");
	});
});
