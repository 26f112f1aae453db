/**
 * A real browser: Chromium from the npm registry where it runs (Linux x64), an installed Chrome elsewhere.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as launcher } from "playwright-core";
import { NotHere } from "../left-out.ts";

/** Flags of the packaged Chromium that would hide what a user's browser refuses, or end it with its first page. */
const unwanted = ["--single-process", "--no-zygote", "--disable-web-security", "--allow-running-insecure-content"];

/** Starts a browser; the caller closes it. Throws NotHere where none runs. */
export async function launchBrowser(): Promise<Browser> {
	try {
		if (process.platform !== "linux" || process.arch !== "x64") return await launcher.launch({ channel: "chrome" });
		// Without WebGL the pages are drawn in a quarter of the time.
		chromium.setGraphicsMode = false;
		const args = chromium.args.filter((flag) => !unwanted.includes(flag));
		const executablePath = await unpack();
		// Chromium leaves files of its own in its temporary folder, also when it is closed.
		const temporary = mkdtempSync(join(tmpdir(), "orgsync-chromium-"));
		const remove = () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
		const start = () =>
			launcher.launch({ executablePath, args, env: { ...process.env, TMPDIR: temporary } as Record<string, string> });
		const browser = await start()
			// On a busy machine, Chromium sometimes ends while it starts: it is here, and no page was opened yet.
			.catch((error: unknown) => (/has been closed/.test(String(error)) ? start() : Promise.reject(error)))
			.catch((error: unknown) => {
				remove();
				throw error;
			});
		browser.on("disconnected", remove);
		return browser;
	} catch (error) {
		const [line = ""] = String((error as Error).message).split("\n");
		throw new NotHere(
			{
				what: "the tests in a browser",
				missing: `none runs (${line})`,
				install: "installing Google Chrome, or on Linux the libraries that Chromium needs",
			},
			{ cause: error },
		);
	}
}

/** Where the browser is unpacked, for all runs. */
const folder = fileURLToPath(new URL("../../node_modules/.cache/orgsync-browser", import.meta.url));

/** Unpacks the browser where no process has before, and returns its path. Another process would start one that is half written. */
async function unpack(): Promise<string> {
	mkdirSync(folder, { recursive: true });
	const lock = new DatabaseSync(join(folder, "lock.sqlite"), { timeout: 120_000 });
	const before = process.env.TMPDIR;
	try {
		lock.exec("BEGIN EXCLUSIVE");
		// The package unpacks into the temporary folder.
		process.env.TMPDIR = folder;
		return await chromium.executablePath();
	} finally {
		if (before === undefined) delete process.env.TMPDIR;
		else process.env.TMPDIR = before;
		lock.close();
	}
}
