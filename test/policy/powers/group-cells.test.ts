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
	it("are found once for the same conditions, and are others for other conditions and kinds apart", () => {
		const facts = factsOfGroup(signing);
		const cells = cellsOf([one, other], facts, new Set());
		expect(holdingIn(cells)).toContainEqual([one.condition, other.condition]);
		expect(cellsOf([one, other, one], facts, new Set())).toBe(cells);
		expect(holdingIn(cellsOf([one], facts, new Set()))).toEqual([[], [one.condition]]);
		expect(cellsOf([one, other], facts, new Set(["kind SIGN_TRANSACTION"]))).not.toBe(cells);
		expect(cellsOf([one, other], factsOfGroup({ resource: "WALLET", action: "UPDATE" }), new Set())).not.toBe(cells);
	});

	it("are those of the one activity that is asked about, whichever was asked about before", () => {
		const ofKey = partOf("private_key.id == 'seventy'");
		const cellsWith = (field: string) =>
			holdingIn(cellsOf([ofKey], factsOfGroup(signing, new Map([[field, "one"]])), new Set()));
		expect(cellsWith("private_key.label")).toEqual([[], [ofKey.condition]]);
		// What is signed with is a private key or a wallet.
		expect(cellsWith("wallet.id")).toEqual([[]]);
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
