/** JSON of others is read to a bounded depth, so that no text exhausts the stack. */
import { describe, expect, it } from "vitest";
import { DocumentError } from "../src/common/errors.ts";
import { hasMoreValues, isTextTooDeep, isValueTooDeep, maxJsonDepth, readJson } from "../src/common/json.ts";
import { parseRules, parseSeed } from "../src/emulator/seed/seed.ts";
import { startEmulator } from "../src/emulator/server.ts";
import { canonicalJson } from "../src/plan/value.ts";
import { checkSchema } from "./check-schema.ts";

const listsOf = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const objectsOf = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const tooDeep = { mistake: `nested more than ${maxJsonDepth} levels deep` };

function nest(depth: number): unknown {
	let value: unknown = 1;
	for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
	return value;
}

describe("readJson", () => {
	it.each([listsOf, objectsOf])("reads as many levels as are allowed, and not one more: %s", (text) => {
		expect(readJson(text(maxJsonDepth))).toHaveProperty("value");
		expect(readJson(text(maxJsonDepth + 1))).toEqual(tooDeep);
		expect(readJson(text(200_000))).toEqual(tooDeep);
	});

	it("counts no bracket inside a string, whatever is escaped there", () => {
		const text = JSON.stringify({ a: `${"[{".repeat(500)}"\\`, '"\\"[': "\\\\", b: [`\\${'"['.repeat(300)}`] });
		expect(readJson(text)).toEqual({ value: JSON.parse(text) });
		expect(isTextTooDeep(`["\\\\",${listsOf(maxJsonDepth)}]`)).toBe(true);
	});

	it("reports invalid JSON and too deep JSON as different errors", () => {
		for (const text of ["", "no", "{", '{"a', "[1,]", `${"x[".repeat(500)}`]) {
			expect(readJson(text)).toEqual({ mistake: "no JSON" });
		}
		expect(readJson(" \n\t{}")).toEqual({ value: {} });
		expect(readJson("[".repeat(201))).toEqual(tooDeep);
	});

	it("takes time that grows with the length of a text, not with its square: 4 MiB of each kind", () => {
		for (const piece of ['"\\\\\\"', "[]", '"["', "\\", '{"a":1},']) {
			const text = `[${piece.repeat((4 * 1024 * 1024) / piece.length)}`;
			expect(isTextTooDeep(text)).toBe(false);
		}
	});
});

describe("a value that is nested too deep", () => {
	it("is recognized, even if it contains itself", () => {
		const circle: { inner?: unknown } = {};
		circle.inner = [circle];
		expect([
			isValueTooDeep(nest(maxJsonDepth)),
			isValueTooDeep(nest(maxJsonDepth + 1)),
			isValueTooDeep(circle),
		]).toEqual([false, true, true]);
		// Doubled at each level: 2^60 paths, 60 objects.
		let shared: object = {};
		for (let level = 0; level < 60; level += 1) shared = { left: shared, right: shared };
		expect(isValueTooDeep(shared)).toBe(false);
	});

	it("has one mistake under a schema, and no digest", () => {
		expect(checkSchema("seed.json", { organizations: nest(100_000) })).toMatchObject([
			{ instancePath: "", message: "must not be nested more than 200 levels deep" },
		]);
		expect(() => canonicalJson(nest(100_000))).toThrow("a value is nested more than 200 levels deep");
		expect(canonicalJson(nest(maxJsonDepth))).toContain("[1]");
	});
});

describe("a seed that is nested too deep", () => {
	const problemsOf = (read: () => unknown) => {
		try {
			read();
		} catch (error) {
			if (error instanceof DocumentError) return error.problems;
			throw error;
		}
		throw new Error("it was read");
	};

	it.each<[string, string]>([
		["in JSON", `{"organizations":${listsOf(100_000)}}`],
		["in YAML's brackets", `organizations: ${listsOf(100_000)}`],
		["in YAML's lists on one line", `organizations:\n${"- ".repeat(100_000)}x`],
	])("is a problem with its line: %s", (_where, text) => {
		for (const read of [() => parseSeed(text, "seed.yaml"), () => parseRules(text, "seed.yaml")]) {
			expect(problemsOf(read)).toMatchObject([
				{ file: "seed.yaml", code: "too-deep", message: "a value is nested more than 200 levels deep" },
			]);
		}
		expect(problemsOf(() => parseSeed(`a: 1\n${text.replaceAll("\n", " ")}`, "s"))[0]?.line).toBeGreaterThan(0);
	});

	it("is a problem by way of aliases too", () => {
		const chain = Array.from({ length: 300 }, (_item, at) => `a${at + 1}: &a${at + 1} [*a${at}]`);
		const text = ["a0: &a0 []", ...chain, "organizations: *a300"].join("\n");
		expect(problemsOf(() => parseSeed(text, "seed.yaml"))[0]?.message).toContain("nested more than 200 levels deep");
	});
});

describe("a request to the emulator that is nested too deep", () => {
	it("is answered 400", async () => {
		const emulator = await startEmulator();
		try {
			for (const path of ["/emulator/state", "/public/v1/query/list_user_tags"]) {
				const body = `{"organizations":${listsOf(100_000)}}`;
				const response = await fetch(emulator.url + path, { method: "POST", body });
				expect([response.status, await response.json()]).toMatchObject([
					400,
					{ code: 3, message: "the body is nested more than 200 levels deep" },
				]);
			}
		} finally {
			await emulator.close();
		}
	});
});

it("A text has more values than a limit by its commas and brackets outside of strings", () => {
	expect(hasMoreValues('{"a":[1,2,{"b":",,,[["}]}', 5)).toBe(false);
	expect(hasMoreValues('{"a":[1,2,{"b":",,,[["}]}', 4)).toBe(true);
	expect(hasMoreValues("[]", 2)).toBe(false);
});
