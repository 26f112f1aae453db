/** A sample of `npm run prove -- soak`. */
import { describe, expect, it } from "vitest";
import { prove } from "../proof.ts";
import { Samples } from "./figures.ts";
import { makeSoak } from "./proof.ts";

describe("a schedule of drift and apply", () => {
	it("brings all in sync after a round with faults, with one activity for each outside change", async () => {
		let figures = "";
		const print = (text: string): void => {
			figures += `${text}\n`;
		};
		const sample = makeSoak({ everyMs: 0, cleanEvery: 2, waits: false, print }, 2);
		const { counts, findings } = await prove(sample, { seed: 4, cases: 2, seconds: undefined });
		expect(findings).toEqual([]);
		expect(counts.of("activities")).toBeGreaterThan(0);
		expect(counts.of("too short to judge growth: fewer than 12 samples")).toBe(1);
		expect(figures).toMatch(/emulator: heap kB: .*plugin: timers: /s);
	}, 120_000);
});

describe("figures of a soak", () => {
	const samplesOf = (...values: readonly number[]): Samples => {
		const samples = new Samples();
		for (const value of [0, ...values]) samples.add({ "emulator: heap kB": value, "emulator: sockets": 12 });
		return samples;
	};

	it("are flat if they grow at the start only, or by little", () => {
		expect(samplesOf(5000, 9000, 20_000, 20_010, 20_500, 20_500).findGrowth()).toEqual([]);
	});

	it("are a finding if they grow from the middle to the end", () => {
		expect(samplesOf(20_000, 20_000, 20_000, 20_010, 22_500, 22_500).findGrowth()).toEqual([
			"emulator: heap kB grew from 20010 in the middle of the run to 22500 at its end",
		]);
	});
});
