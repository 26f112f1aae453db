import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { leaveOut, NotHere } from "../left-out.ts";
import { launchBrowser } from "./browser.ts";

/** The browser of a test file: started before its first test, closed after its last. Without one, the tests are left out. */
export function useBrowser(): () => Browser {
	let browser: Browser | undefined;
	let missing: NotHere | undefined;
	beforeAll(async () => {
		try {
			browser = await launchBrowser();
		} catch (error) {
			if (!(error instanceof NotHere)) throw error;
			leaveOut(error);
			missing = error;
		}
	}, 60_000);
	beforeEach(({ skip }) => {
		if (missing !== undefined) skip(missing.message);
	});
	afterAll(() => browser?.close());
	return () => {
		if (browser === undefined) throw new Error("the browser has not started");
		return browser;
	};
}
