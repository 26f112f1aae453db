/**
 * `npm run bench`: how fast the parts are, as ratios measured side by side in one run, so that a slow machine is slow on
 * both sides. It prints a table and judges nothing; tests never depend on it.
 */
import { fileURLToPath } from "node:url";
import { benchCases } from "./cases.ts";
import { benchDiff } from "./diff.ts";
import { benchEmulator } from "./emulator.ts";
import { benchFleet } from "./fleet.ts";
import { benchImpact } from "./impact.ts";
import { benchApply, benchReading } from "./latency.ts";
import { benchPage } from "./page.ts";
import { benchPlugin } from "./plugin.ts";
import { benchPlan, benchPolicies } from "./policies.ts";
import { benchPulumi } from "./pulumi.ts";
import { benchStamps } from "./stamps.ts";
import { benchStart } from "./start.ts";

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

async function main(): Promise<void> {
	const rows = [
		await benchStamps(),
		...(await benchEmulator()),
		...benchDiff(),
		...benchImpact(),
		...benchCases(),
		...(await benchPage()),
		...(await benchStart()),
		await benchReading(),
		await benchApply(),
		...(await benchFleet()),
		await benchPulumi(),
		...(await benchPlugin()),
		await benchPlan(),
		await benchPolicies(),
	];
	printTable(rows);
}

export function printTable(rows: readonly Measured[]): void {
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
