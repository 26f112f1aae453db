import { describe, expect, it } from "vitest";
import { makePowersMatrix } from "../../src/render/sections/impact-matrix.ts";
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
} from "./support-impact.ts";

const exporting = { resource: "WALLET", action: "EXPORT" } as const;
const twoOf = (...of: readonly string[]) => sideOf({ thresholds: [[thresholdOf(2, of)], rootQuorum] });

const matrixOf = (...findings: readonly ReturnType<typeof findingOf>[]) =>
	makePowersMatrix(withImpact(calmPlanOf(), findings));

describe("the matrix of changed powers", () => {
	it("has a row for each condition under which a power changes, with who has it there", () => {
		const lost = findingOf({ change: "nobody", group: exporting, userIds: [bob, carol], before: twoOf(bob, carol) });
		const after = sideOf({ thresholds: [rootQuorum] });
		const matrix = matrixOf(
			{ ...lost, after, condition: "wallet.id == 'w-1'" },
			{ ...lost, before: twoOf(alice, bob), after, condition: "wallet.id == 'w-2'" },
		);
		expect(matrix?.rows.map(({ finding }) => finding.condition)).toEqual(["wallet.id == 'w-1'", "wallet.id == 'w-2'"]);
		const column = matrix?.users.findIndex(({ id }) => id === carol) ?? -1;
		expect(matrix?.rows.map(({ cells }) => cells[column])).toEqual([
			{ before: "together", after: "no" },
			{ before: "no", after: "no" },
		]);
	});

	it("is left out where no group changes", () => {
		expect(matrixOf()).toBe(null);
	});
});
