/** One slip in a clause, and the parts around it that still decide. */
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/policy/language/evaluate.ts";
import { readClause } from "../../../src/policy/language/read-clause.ts";
import { type Clause, partsOf } from "../../../src/policy/language/syntax.ts";
import { isUnknown } from "../../../src/policy/language/values.ts";
import { scopeOf } from "../worlds.ts";

const scope = scopeOf({
	activity: { type: "ACTIVITY_TYPE_OAUTH", kind: "OAUTH", resource: "AUTH", action: "CREATE", params: {} },
});

/** Returns the texts of the opaque parts, each once. */
const opaqueIn = (text: string, clause: Clause = "condition"): readonly string[] => [
	...new Set(partsOf(readClause(text, clause).expression).flatMap((part) => (part.node === "opaque" ? part.text : []))),
];

function valueIn(text: string): unknown {
	const value = evaluate(readClause(text, "condition").expression, scope);
	return isUnknown(value) ? `${value.cause}: ${value.because}` : value;
}

describe("a part that is not understood", () => {
	it.each([
		["activity.resource == 'AUTH' && sponsor == true", "sponsor == true"],
		["activity.action == 'SIGN' && eth.tx.chain_id == '1'", "eth.tx.chain_id == '1'"],
		["controls.daily && wallet.id == 'w'", "controls.daily"],
		["!(controls.daily > 5) || activity.action == 'SIGN'", "controls.daily > 5"],
		["solana.tx.transfers.count == 1 && solana.tx.transfers[0].to == 'x'", "solana.tx.transfers.count == 1"],
		["wallets.any(w, w.name == 'x') || wallets.count() == 1", "wallets.any(w, w.name == 'x')"],
		['activity.action  ==\n"SIGN"', 'activity.action == "SIGN"'],
	])("of %s is %s alone", (text, opaque) => {
		expect(opaqueIn(text)).toEqual([opaque]);
	});

	it("is one part where its text is written twice", () => {
		const text = "sponsor == true && activity.action == 'SIGN' || sponsor  ==  true";
		expect(opaqueIn(text)).toEqual(["sponsor == true"]);
	});

	it("is the whole of a condition that names who approves, and of no consensus", () => {
		const text = "activity.action != 'SIGN' || approvers.count() >= 1";
		expect(opaqueIn(text)).toEqual([text]);
		expect(valueIn(text)).toMatch(/^unread: `approvers` is a name of consensus/);
		expect(opaqueIn("approvers.count() >= 1", "consensus")).toEqual([]);
	});

	it("leaves a clause without slips as it is", () => {
		const text = "activity.params.sponsor == true && secret.static_properties['kind'] == 'creditCard'";
		expect(opaqueIn(text)).toEqual([]);
		expect(readClause(text, "condition").mistakes).toEqual([]);
	});

	it("has its mistake with its place", () => {
		expect(readClause("true && sponsor == true", "condition").mistakes).toEqual([
			{ message: expect.stringMatching(/^`sponsor` is not a name of condition/), span: { start: 8, end: 15 } },
		]);
	});
});

describe("a clause with an opaque part", () => {
	it("is false where another part is", () => {
		expect(valueIn("activity.action == 'SIGN' && sponsor == true")).toBe(false);
	});

	it("is unknown where the part decides, with the reason", () => {
		expect(valueIn("activity.action == 'CREATE' && sponsor == true")).toMatch(/^unread: `sponsor` is not a name/);
	});

	it("is not true where the rest is: the part may err", () => {
		const text = "(sponsor == true && activity.action == 'SIGN') || activity.action == 'CREATE'";
		expect(valueIn(text)).toMatch(/^unread: `sponsor` is not a name/);
	});
});
