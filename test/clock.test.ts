import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { clockEnvironment, clockOption } from "./clock.ts";
import { variablesOfRun } from "./shared.ts";

const minuteMs = 60_000;

it("begins one minute into a quarter of an hour, so that no quarter ends in a test", () => {
	const passedMs = Date.now() % (15 * minuteMs);
	expect(passedMs).toBeGreaterThanOrEqual(minuteMs);
	expect(passedMs).toBeLessThan(3 * minuteMs);
});

it("is that of a new date too, whose other forms and whose class are as before", () => {
	const before = Date.now();
	const date = new Date();
	expect(date.getTime()).toBeGreaterThanOrEqual(before);
	expect(date.getTime()).toBeLessThanOrEqual(Date.now());
	expect(Math.abs(Date.parse(Date()) - before)).toBeLessThan(minuteMs);
	expect(new Date(0).toISOString()).toBe("1970-01-01T00:00:00.000Z");
	expect(date instanceof Date).toBe(true);
});

it.each([0, 60 * minuteMs])("is the clock of a child process that is %i ms later", (laterMs) => {
	const env = { ...variablesOfRun(), PATH: process.env.PATH, NODE_OPTIONS: clockOption, ...clockEnvironment(laterMs) };
	const printed = execFileSync(process.execPath, ["-p", "Date.now()"], { env, encoding: "utf8" });
	expect(Math.abs(Number(printed) - Date.now() - laterMs)).toBeLessThan(minuteMs);
});
