/** The cells of a group of activities, which several questions about the same policies share. */
import { describe, expect, it } from "vitest";
import { factsOfGroup } from "../../../src/policy/powers/activity.ts";
import { cellsOf } from "../../../src/policy/powers/group-cells.ts";
import { ownCredentials } from "../../../src/policy/powers/judge.ts";
import { parseText } from "../worlds.ts";

const signing = { resource: "PRIVATE_KEY", action: "SIGN" };
const partOf = (condition: string) => ({
	condition,
	anyOf: condition === ownCredentials ? [] : [parseText(condition)],
});
const [one, other] = [partOf("eth.tx.nonce == 71"), partOf("wallet.id == 'seventy'")];
const holdingIn = (cells: ReturnType<typeof cellsOf>) => cells.map(({ holding }) => [...holding]);

describe("The cells of a group", () => {
	it("are found once for the same conditions, and are others for other conditions, kinds apart and fields", () => {
		const facts = factsOfGroup(signing);
		const cells = cellsOf([one, other], facts, new Set());
		expect(holdingIn(cells)).toContainEqual([one.condition, other.condition]);
		expect(cellsOf([one, other, one], facts, new Set())).toBe(cells);
		expect(holdingIn(cellsOf([one], facts, new Set()))).toEqual([[], [one.condition]]);
		expect(cellsOf([one, other], facts, new Set(["kind SIGN_TRANSACTION"]))).not.toBe(cells);
		expect(cellsOf([one, other], factsOfGroup({ resource: "WALLET", action: "UPDATE" }), new Set())).not.toBe(cells);
		const known = factsOfGroup(signing, new Map([["eth.tx.nonce", 71n]]));
		expect(cellsOf([one, other], known, new Set())).not.toBe(cells);
	});

	it("are there twice where users may change their own credentials, those that are their own behind the others", () => {
		const facts = factsOfGroup({ resource: "CREDENTIAL", action: "CREATE" });
		const part = partOf("activity.kind == 'CREATE_API_KEYS'");
		const once = cellsOf([part], facts, new Set());
		const twice = holdingIn(cellsOf([part, partOf(ownCredentials)], facts, new Set()));
		expect(twice).toHaveLength(2 * once.length);
		expect(twice.filter((holding) => holding.includes(ownCredentials))).toHaveLength(once.length);
		expect(cellsOf([part], facts, new Set())).toBe(once);
	});
});
