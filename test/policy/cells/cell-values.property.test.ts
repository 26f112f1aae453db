/** The cells of random conditions hold every activity: what the evaluator says of one is so in some cell, for all conditions at once. */
import { describe, expect, it } from "vitest";
import { findCells } from "../../../src/policy/cells/cells.ts";
import { evaluate } from "../../../src/policy/language/evaluate.ts";
import { forEachSeed } from "../../case-count.ts";
import { randomActivity, randomComparison, randomOf } from "../language/random-expressions.ts";
import { parseText } from "../worlds.ts";

const names = { kind: "K", type: "T", resource: "R", action: "A" };
const activities = { rows: [{ names, params: null }], has: () => true };

function randomCondition(random: () => number): string {
	const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
		const comparison = randomComparison(random);
		return random() < 0.2 ? `!(${comparison})` : comparison;
	});
	return parts.join(random() < 0.7 ? " && " : " || ");
}

describe("The cells of conditions", () => {
	it("hold every activity, with what the evaluator says of it", () => {
		let numTrue = 0;
		const cases = forEachSeed(450, (seed) => {
			const random = randomOf(seed);
			const texts = [...new Set(Array.from({ length: 1 + (seed % 3) }, () => randomCondition(random)))];
			const conditions = texts.map((text) => ({ text, anyOf: [parseText(text)] }));
			const { cells, wide } = findCells(conditions, activities);
			for (let turn = 0; turn < 100; turn += 1) {
				const activity = randomActivity(random);
				const holding = conditions.map(({ anyOf }) => anyOf.some((one) => evaluate(one, activity) === true));
				numTrue += holding.filter(Boolean).length;
				const isIn = cells.some(({ holds }) =>
					texts.every((text, at) => wide.has(text) || typeof holds[at] === "string" || holds[at] === holding[at]),
				);
				if (isIn) continue;
				const fields = JSON.stringify([...activity], (_key, value) =>
					value instanceof Map ? [...value] : typeof value === "bigint" ? Number(value) : value,
				);
				throw new Error(`no cell for ${holding}\n${texts.join("\n")}\n${fields}`);
			}
		});
		expect(numTrue).toBeGreaterThan(cases * 10);
	});
});
