/**
 * `npm run bench`: how fast the parts are, as ratios measured side by side in one run, so that a slow machine is slow on
 * both sides. It prints a table and judges nothing; tests never depend on it.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../scripts/manifest.ts";
import { benchDiff } from "./diff.ts";
import { benchEmulator } from "./emulator.ts";
import { benchFleet } from "./fleet.ts";
import { benchImpact } from "./impact.ts";
import { benchApply, benchReading } from "./latency.ts";
import { benchPage } from "./page.ts";
import { benchPlugin } from "./plugin.ts";
import { benchPulumi } from "./pulumi.ts";
import { benchStamps } from "./stamps.ts";

/** One line of the table. */
export interface Measured {
	readonly what: string;
	readonly measured: string;
	readonly aim: string;
}

/** The middle of several values. */
export function median(values: readonly number[]): number {
	return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function benchStart(): Measured {
	const time = (words: readonly string[]): number => {
		const start = performance.now();
		execFileSync(process.execPath, words, { stdio: "pipe" });
		return performance.now() - start;
	};
	const ours: number[] = [];
	const bare: number[] = [];
	for (let round = 0; round < 21; round += 1) {
		ours.push(time([commandFile, "--version"]));
		bare.push(time(["-e", "0"]));
	}
	const ratio = median(ours) / median(bare);
	return {
		what: "orgsync --version, against bare node -e 0",
		measured: `${ratio.toFixed(2)} times (${median(ours).toFixed(0)} ms to ${median(bare).toFixed(0)} ms)`,
		aim: "at most 1.6 times",
	};
}

async function main(): Promise<void> {
	const rows = [
		await benchStamps(),
		...(await benchEmulator()),
		...benchDiff(),
		...benchImpact(),
		...(await benchPage()),
		benchStart(),
		await benchReading(),
		await benchApply(),
		...(await benchFleet()),
		await benchPulumi(),
		...(await benchPlugin()),
	];
	const widths = ["what", "measured", "aim"].map((key) =>
		Math.max(key.length, ...rows.map((row) => row[key as keyof Measured].length)),
	);
	const line = (cells: readonly string[]): string =>
		`| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |\n`;
	process.stdout.write(line(["what", "measured", "aim"]));
	process.stdout.write(line(widths.map((width) => "-".repeat(width))));
	for (const { what, measured, aim } of rows) process.stdout.write(line([what, measured, aim]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
