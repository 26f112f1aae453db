/** Which cells random conditions distinguish, with an activity of each, and how regions of them are described. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findCells } from "../../../src/policy/cells/cells.ts";
import { describeRegion, writeRegion } from "../../../src/policy/cells/regions.ts";
import { factsOfGroup } from "../../../src/policy/powers/activity.ts";
import { activitiesOf, allOf, literalsOf } from "../../../src/policy/powers/group-cells.ts";
import { setOf } from "../../../src/policy/sets/sets.ts";
import { brief } from "../brief.ts";
import { randomComparison, randomOf } from "../language/random-expressions.ts";
import { parseText } from "../worlds.ts";

const activities = activitiesOf(factsOfGroup({ resource: "PRIVATE_KEY", action: "SIGN" }), [], new Set());
const kinds = ["activity.kind == 'SIGN_TRANSACTION'", "activity.type in ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2']"];
const params = ["activity.params.encoding == 'a'", "activity.params.sign_with != wallet_account.address"];

/** Returns conditions with few comparisons each. */
function randomConditions(random: () => number): readonly string[] {
	const part = (): string => {
		const roll = random();
		if (roll < 0.15) return kinds[Math.floor(random() * 2)] ?? "";
		if (roll < 0.25) return params[Math.floor(random() * 2)] ?? "";
		return roll < 0.4 ? `!(${randomComparison(random)})` : randomComparison(random);
	};
	return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
		const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, part);
		return parts.map((one) => `(${one})`).join(random() < 0.6 ? " && " : " || ");
	});
}

describe("Of random conditions", () => {
	it("cells and the words for them are the same as before", async () => {
		const lines: string[] = [];
		for (let seed = 1; seed <= 60; seed += 1) {
			const random = randomOf(seed);
			const texts = randomConditions(random);
			const { cells, wide } = findCells(
				texts.map((text) => ({ text, anyOf: [parseText(text)] })),
				activities,
			);
			const grouped = cells.map(({ holds }) => ({
				holding: new Set(texts.filter((_, index) => holds[index] === true).map((text) => `C${texts.indexOf(text)}`)),
				open: new Map(texts.flatMap((text, at) => (typeof holds[at] === "string" ? [[`C${at}`, text] as const] : []))),
				wide: new Set<string>(),
			}));
			const literals = literalsOf(grouped, []);
			const chosen = setOf([...cells.keys()].filter(() => random() < 0.4));
			const also = setOf([...cells.keys()].filter(() => random() < 0.2));
			const regions = describeRegion(chosen, allOf(grouped), literals, also).map(
				({ holding, failing, first, cells: own }) => `${writeRegion(holding, failing)} ${first} ${own}`,
			);
			lines.push(
				...texts.map((text, index) => `${index === 0 ? `${seed}: ` : "  "}${text}`),
				`  ${cells.length} cells, wide ${brief(wide)}, ${regions.join("; ")}`,
				...cells.slice(0, 5).map(({ holds, example }) => `  ${brief([...holds, example])}`),
			);
		}
		const file = new URL("../../golden/policy/cells.txt", import.meta.url);
		await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(fileURLToPath(file));
	});
});
