import { readdirSync, readlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openSpool } from "../../../src/cli/files/spool.ts";
import { makeFolder } from "../../run.ts";

const value = (index: number) => ({ index, text: "x".repeat(50_000), missing: undefined });
const indexes = Array.from({ length: 60 }, (_, index) => index);

describe("a spool", () => {
	test("returns copies of what was put in, and leaves no file that has a name", () => {
		const folder = makeFolder();
		const spool = openSpool(folder);
		const places = indexes.map((index) => spool.put(value(index)));
		expect(readdirSync(folder)).toEqual([]);
		for (const index of [...indexes].reverse()) expect(spool.get(places[index] as number)).toEqual(value(index));
		if (process.platform !== "linux") return;
		const open = readdirSync("/proc/self/fd").flatMap((name) => {
			try {
				return [readlinkSync(`/proc/self/fd/${name}`)];
			} catch {
				return [];
			}
		});
		expect(open.some((path) => path.startsWith(folder) && path.endsWith("(deleted)"))).toBe(true);
	});

	test("keeps values in memory where no file can be made", () => {
		const spool = openSpool("/nonexistent");
		const places = indexes.map((index) => spool.put(value(index)));
		expect(places.map((place) => spool.get(place))).toEqual(indexes.map(value));
	});
});
