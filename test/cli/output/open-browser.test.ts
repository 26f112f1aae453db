/** Which browser `--passkey` starts, and when it starts none. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBrowser } from "../../../src/cli/output/open-browser.ts";
import type { Terminal } from "../../../src/cli/output/output.ts";
import { onPosix } from "../../needs.ts";
import { makeFolder } from "../../run.ts";

const url = "http://localhost:8765/a$(touch b);'\"&c";
const terminalWith = (environment: Terminal["environment"], isTTY = true) =>
	({ environment, stderr: { isTTY } }) as unknown as Terminal;

test.runIf(onPosix)("the browser of BROWSER gets the address as one argument, without a shell", async () => {
	const folder = makeFolder();
	const program = join(folder, "browser");
	writeFileSync(
		program,
		`#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${folder}/seen.new' && mv '${folder}/seen.new' '${folder}/seen'\n`,
	);
	chmodSync(program, 0o700);
	expect(openBrowser(url, terminalWith({ BROWSER: program }))).toBe(true);
	await expect.poll(() => existsSync(join(folder, "seen")), { timeout: 10_000 }).toBe(true);
	expect(readFileSync(join(folder, "seen"), "utf8")).toBe(`1\n${url}\n`);
});

test("no browser is started without a terminal, without a desktop, and with BROWSER=none; one that is missing is no error", () => {
	expect(openBrowser(url, terminalWith({ BROWSER: "firefox" }, false))).toBe(false);
	expect(openBrowser(url, terminalWith({ BROWSER: "none" }))).toBe(false);
	expect(openBrowser(url, terminalWith({}), "linux")).toBe(false);
	expect(openBrowser(url, terminalWith({ DISPLAY: "" }), "linux")).toBe(false);
	expect(openBrowser(url, terminalWith({ BROWSER: join(makeFolder(), "missing") }))).toBe(true);
});
