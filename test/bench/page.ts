/** The HTML page of 3,000 membership changes: how long it takes to make, and to answer its reader. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderHtml } from "../../src/render/html/page.ts";
import { launchBrowser } from "../browser/browser.ts";
import { complete } from "../render/complete.ts";
import { largePlan } from "../render/large.ts";
import { type Measured, median } from "./run.ts";

const rounds = 5;

export async function benchPage(): Promise<readonly Measured[]> {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-bench-page-"));
	const file = join(folder, "page.html");
	const plan = largePlan();
	const browser = await launchBrowser();
	try {
		const made: number[] = [];
		const answered: number[] = [];
		let bytes = 0;
		for (let round = 0; round < rounds; round += 1) {
			const start = performance.now();
			const text = renderHtml(complete({ command: "plan", plans: [plan] }));
			made.push(performance.now() - start);
			bytes = Buffer.byteLength(text);
			writeFileSync(file, text);
			const page = await browser.newPage();
			const opened = performance.now();
			await page.goto(`file://${file}`, { waitUntil: "commit" });
			await page.fill("input[type=search]", "tag-07");
			await page.waitForFunction("document.querySelector('output').textContent.startsWith('1 of 100 tags')");
			answered.push(performance.now() - opened);
			await page.close();
		}
		return [
			{
				what: "page of 100 tags × 100 users with 3,000 changes: made",
				measured: `${median(made).toFixed(0)} ms, ${(bytes / 1000).toFixed(0)} kB`,
				aim: "under 1 MB",
			},
			{
				what: "the same: opened and its search answered",
				measured: `${median(answered).toFixed(0)} ms`,
				aim: "under 1,000 ms",
			},
		];
	} finally {
		await browser.close();
		rmSync(folder, { recursive: true });
	}
}
