/**
 * A real browser: Chromium from the npm registry where it runs (Linux x64), an installed Chrome elsewhere.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as launcher } from "playwright-core";

/** Flags of the packaged Chromium that would hide what a user's browser refuses, or end it with its first page. */
const unwanted = ["--single-process", "--no-zygote", "--disable-web-security", "--allow-running-insecure-content"];

/** Starts a browser; the caller closes it. */
export async function launchBrowser(): Promise<Browser> {
	if (process.platform !== "linux" || process.arch !== "x64") return launcher.launch({ channel: "chrome" });
	const args = chromium.args.filter((flag) => !unwanted.includes(flag));
	unpacked ??= unpack();
	return launcher.launch({ executablePath: await unpacked, args });
}

let unpacked: Promise<string> | undefined;

/** Unpacks the browser where no process has before, and returns its path. Another process would start one that is half written. */
async function unpack(): Promise<string> {
	const lock = new DatabaseSync(join(tmpdir(), "orgsync-browser.sqlite"), { timeout: 120_000 });
	try {
		lock.exec("BEGIN EXCLUSIVE");
		return await chromium.executablePath();
	} finally {
		lock.close();
	}
}
