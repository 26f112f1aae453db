import type { Browser } from "playwright-core";
import { afterAll } from "vitest";
import { prepareOrSkip } from "../needs.ts";
import { launchBrowser } from "./browser.ts";

/** The browser of a test file: started before its first test, closed after its last. Without one, the tests are left out. */
export function useBrowser(): () => Browser {
	let browser: Browser | undefined;
	prepareOrSkip(async () => {
		browser = await launchBrowser();
	}, 60_000);
	afterAll(() => browser?.close());
	return () => {
		if (browser === undefined) throw new Error("the browser has not started");
		return browser;
	};
}
