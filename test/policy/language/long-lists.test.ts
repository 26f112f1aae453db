import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { checkExpression } from "../../../src/policy/language/checker.ts";
import { evaluate } from "../../../src/policy/language/evaluate.ts";
import { parseExpression } from "../../../src/policy/language/parser.ts";
import { printExpression } from "../../../src/policy/language/printer.ts";
import { structOf } from "../../../src/policy/language/values.ts";
import { findPowers } from "../../../src/policy/powers/powers.ts";

const address = (index: number): string => `0x${index.toString(16).padStart(40, "0")}`;

describe("a deny list that is written out, one address a clause", () => {
	const text = Array.from({ length: 1_500 }, (_, index) => `eth.tx.to == '${address(index)}'`).join(" || ");

	it("is understood, evaluated and printed", () => {
		const parsed = parseExpression(text);
		if (!("expression" in parsed)) throw new Error(parsed.mistakes[0]?.message);
		expect(checkExpression(parsed.expression, "condition")).toEqual([]);
		expect(printExpression(parsed.expression)).toBe(text);
		const scope = (to: string) => new Map([["eth", structOf({ tx: structOf({ to }) })]]);
		expect(evaluate(parsed.expression, scope(address(1_499)))).toBe(true);
		expect(evaluate(parsed.expression, scope("0xother"))).toBe(false);
	});

	it("leaves powers known, except where it holds", () => {
		const allow = { id: "a", name: "a", effect: "EFFECT_ALLOW", consensus: "", condition: "", time: "" };
		const user = { id: "u", tagIds: { known: true, value: [] }, email: { known: true, value: null } } as const;
		const powers = findPowers(
			{
				users: { known: true, value: [{ ...user, credentials: { known: true, value: [] } }] },
				policies: { known: true, value: [allow, { ...allow, id: "d", effect: "EFFECT_DENY", condition: text }] },
				rootQuorum: { known: true, value: { threshold: 1, userIds: ["u"] } },
			},
			0,
		);
		const signing = powers.find(({ group }) => "resource" in group && group.action === "SIGN");
		expect(signing?.unknown).toBe(null);
	});

	it("is as long in a consensus", () => {
		const consensus = Array.from({ length: 1_800 }, (_, index) => `approvers.any(u, u.id == 'u${index}')`).join(" || ");
		const powers = findPowers(
			{
				users: { known: true, value: [] },
				policies: {
					known: true,
					value: [{ id: "a", name: "a", effect: "EFFECT_ALLOW", consensus, condition: "", time: "" }],
				},
				rootQuorum: { known: true, value: { threshold: 1, userIds: ["u1799"] } },
			},
			0,
		);
		expect(powers[0]).toMatchObject({ alone: ["u1799"], unknown: null });
	});
});

describe("the deepest expression that is understood", () => {
	it.each(["condition", "consensus"])("is checked as a %s in a process that has checked none before", (clause) => {
		const code = `
			import { checkExpression } from "./src/policy/language/checker.ts";
			import { parseExpression } from "./src/policy/language/parser.ts";
			const { expression } = parseExpression("true" + " || true && true".repeat(999));
			console.log(checkExpression(expression, ${JSON.stringify(clause)}).length);
			console.log(checkExpression(parseExpression("true" + "||true".repeat(1999)).expression, ${JSON.stringify(clause)}).length);
			console.log(checkExpression(parseExpression("1 && true" + "||2".repeat(3)).expression, ${JSON.stringify(clause)}).map(({ span }) => span.start));
		`;
		const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
			encoding: "utf8",
		});
		expect(stderr).not.toContain("RangeError");
		expect([status, stdout]).toEqual([0, "0\n0\n[ 0, 11, 14, 17 ]\n"]);
	});
});
