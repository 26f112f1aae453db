import { describe, expect, it } from "vitest";
import { phraseText } from "../../../src/render/print/text.ts";
import { powersGrid } from "../../../src/render/sections/impact-matrix.ts";
import {
	alice,
	bob,
	calmPlanOf,
	carol,
	findingOf,
	rootQuorum,
	sideOf,
	thresholdOf,
	withImpact,
} from "../support-impact.ts";

const exporting = { resource: "WALLET", action: "EXPORT" } as const;
const twoOf = (...of: readonly string[]) => sideOf({ thresholds: [[thresholdOf(2, of)], rootQuorum] });

const matrixOf = (...findings: readonly ReturnType<typeof findingOf>[]) =>
	powersGrid(withImpact(calmPlanOf(), findings));

describe("the matrix of changed powers", () => {
	it("has a row for each condition under which a power changes, with who has it there", () => {
		const lost = findingOf({ change: "nobody", group: exporting, userIds: [bob, carol], before: twoOf(bob, carol) });
		const after = sideOf({ thresholds: [rootQuorum] });
		const matrix = matrixOf(
			{ ...lost, after, condition: "wallet.id == 'w-1'" },
			{ ...lost, before: twoOf(alice, bob), after, condition: "wallet.id == 'w-2'" },
		);
		const titles = matrix?.rows.map(({ title }) => phraseText(title));
		expect(titles).toEqual(["export wallets, where the wallet is `w-1`", "export wallets, where the wallet is `w-2`"]);
		const column = matrix?.columns.findIndex(({ id }) => id === carol) ?? -1;
		expect(matrix?.rows.map(({ cells }) => cells[column]?.words)).toEqual([
			"before together with others, after no",
			"no",
		]);
	});

	it("is left out where no group changes", () => {
		expect(matrixOf()).toBe(null);
	});
});
