/** A sample of `npm run prove -- fuzz`, the same in every run, and what the proof would find. */
import { afterAll, describe, expect, it, test } from "vitest";
import { removeFolder } from "../leftovers.ts";
import { prove } from "../proof.ts";
import { folder } from "./command.ts";
import { findFault } from "./judge.ts";
import { proof, targets } from "./proof.ts";
import { shrink } from "./shrink.ts";

afterAll(() => removeFolder(folder));

test("every kind of input is read, or refused with a clear error", async () => {
	const { cases, counts, findings } = await prove(proof, { seed: 1, cases: 300, seconds: undefined });
	expect(findings).toEqual([]);
	expect(cases).toBe(300);
	for (const { name } of targets) expect(counts.of(name), name).toBeGreaterThan(0);
});

describe("the judge", () => {
	it.each([
		["a raw character", "error: the tag a\u202eb is unknown"],
		["U+d800", "error: the tag \ud800 is unknown"],
		["the words of a defect", "error: unexpected error: Cannot read properties of undefined"],
		["the words of a defect", "error: the tag undefined is unknown"],
		["the words of a defect", "error: wrong\n    at read (file.ts:12:3)"],
		["refused without a word", "\n"],
		["a part of the message is missing", "error: the tag cannot be read: "],
		["a secret", "error: canary-of-the-environment is no id"],
		["characters", `error: ${"a".repeat(3000)}`],
	])("finds %s", (fault, printed) => {
		expect(findFault({ accepted: false, printed }, "")).toContain(fault);
	});

	it("finds nothing in a message with what is wrong and where, also where it quotes the input", () => {
		const printed = 'orgsync.yaml:3:7: unknown user "undefined"\nerror: the document has a problem\n';
		expect(findFault({ accepted: false, printed }, { text: "undefined" })).toBeUndefined();
	});
});

test("a failing input shrinks to what makes it fail", async () => {
	const input = { text: "one two three", more: [1, 2, { deep: "x" }] };
	expect(await shrink(input, async (one) => JSON.stringify(one).includes("wo t"))).toEqual({ text: "wo t" });
});
