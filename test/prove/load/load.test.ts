/** A sample of `npm run prove -- load`. */
import { describe, expect, it } from "vitest";
import { prove } from "../proof.ts";
import { makeLoad } from "./proof.ts";

describe("the emulator under 64 connections", () => {
	it("has everything that it answered after two kills, and each change in flight whole or not at all", async () => {
		const sample = makeLoad({ requests: 1500, kills: 2 }, 1);
		const { counts, findings } = await prove(sample, { seed: 17, cases: 1, seconds: undefined });
		expect(findings).toEqual([]);
		expect(counts.of("kills")).toBe(2);
		expect(counts.of("answered activities, all there at the end")).toBeGreaterThan(300);
	}, 120_000);
});
