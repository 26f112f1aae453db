/** What --local and the emulator keep is their owner's alone, and what they notice about it is said. */
import { chmodSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startEmulator } from "../../../src/emulator/server.ts";
import { onPosix } from "../../needs.ts";
import { makeFolder, orgsync, run, runProgram, start } from "../../run.ts";

const modeOf = (path: string) => statSync(path).mode & 0o7777;
const kept = ["local.private", "local.public", "local.sqlite", ".gitignore"];

describe.runIf(onPosix)("the files of --local", () => {
	test("are made for their owner alone, whatever the umask", async () => {
		const cwd = makeFolder();
		const answer = await runProgram(["sh", "-c", 'umask 000; exec "$@"', "sh", ...orgsync, "status", "--local"], {
			cwd,
		});
		expect(answer.code).toBe(0);
		const folder = join(cwd, ".orgsync");
		expect(modeOf(folder)).toBe(0o700);
		expect(kept.map((name) => [name, modeOf(join(folder, name))])).toEqual(kept.map((name) => [name, 0o600]));
		expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
	});

	test("are tightened with a notice when they are open to others", async () => {
		const cwd = makeFolder();
		await run(["status", "--local"], { cwd });
		for (const name of kept) chmodSync(join(cwd, ".orgsync", name), 0o644);
		const answer = await run(["status", "--local"], { cwd });
		expect(answer.code).toBe(0);
		for (const name of ["local.private", "local.sqlite"]) {
			const file = join(cwd, ".orgsync", name);
			expect(modeOf(file)).toBe(0o600);
			expect(answer.stderr).toContain(
				`${file} was open to other users (mode 0644); orgsync changed its mode to 0600\n`,
			);
		}
		expect((await run(["status", "--local"], { cwd })).stderr).toBe("");
	});

	test("get their organization in a later start where the first ended before", async () => {
		const cwd = makeFolder();
		await run(["status", "--local"], { cwd });
		rmSync(join(cwd, ".orgsync/local.sqlite"));
		const empty = await startEmulator({ dataFile: join(cwd, ".orgsync/local.sqlite") });
		await empty.close();
		const { code, stdout } = await run(["status", "--local"], { cwd });
		expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Organization 0a5d6d8e-/) });
	});

	test("are refused where the key is a link, and where everyone can replace them", async () => {
		const cwd = makeFolder();
		await run(["status", "--local"], { cwd });
		const key = join(cwd, ".orgsync/local.private");
		rmSync(key);
		writeFileSync(join(cwd, "elsewhere"), "5e".repeat(32));
		symlinkSync(join(cwd, "elsewhere"), key);
		const linked = await run(["status", "--local"], { cwd });
		expect([linked.code, linked.stderr.split("\n")[0]]).toEqual([1, `error: ${key} is a symbolic link`]);
		chmodSync(join(cwd, ".orgsync"), 0o777);
		const open = await run(["status", "--local"], { cwd });
		expect([open.code, open.stderr]).toEqual([
			1,
			`error: every user can replace files in the folder ${join(cwd, ".orgsync")} (mode 0777)\nhint: run: chmod o-w ${join(cwd, ".orgsync")}\n`,
		]);
	});
});

test("the emulator warns on standard error when other machines can reach it, and takes allowed names", async () => {
	const { child, stdout, ended } = start(["emulator", "--host", "0.0.0.0", "--allow-host", "emulator.test"]);
	await expect.poll(stdout, { timeout: 20_000 }).toContain("\n");
	const { url } = JSON.parse(stdout()) as { url: string };
	const { port } = new URL(url);
	expect((await fetch(`http://127.0.0.1:${port}/emulator/faults`)).status).toBe(200);
	child.kill("SIGTERM");
	const { code, stderr } = await ended;
	expect(code).toBe(0);
	expect(stderr).toMatch(/^warning: the emulator listens on 0\.0\.0\.0: other machines can reach it/);
});

test("the emulator refuses a name that no Host header has", async () => {
	const answer = await run(["emulator", "--allow-host", "http://emulator.test"]);
	expect(answer).toMatchObject({
		code: 3,
		stdout: "",
		stderr:
			"error: `http://emulator.test` is not a host name\nhint: give names without scheme and port, for example emulator.test\n",
	});
});
