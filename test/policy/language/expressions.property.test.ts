/**
 * Generated and spoiled expressions: nothing throws or hangs, a printed tree is read as the same tree, the checker and the
 * evaluator agree, and what is known of incomplete values is so for the complete ones.
 */
import { describe, expect, it } from "vitest";
import { checkExpression } from "../../../src/policy/language/checker.ts";
import { evaluate } from "../../../src/policy/language/evaluate.ts";
import { parseExpression } from "../../../src/policy/language/parser.ts";
import { printExpression } from "../../../src/policy/language/printer.ts";
import type { Clause, Expression } from "../../../src/policy/language/syntax.ts";
import { namesOf } from "../../../src/policy/language/types.ts";
import { isError, isUnknown, type Value } from "../../../src/policy/language/values.ts";
import { forEachSeed } from "../../case-count.ts";
import { cpuMsOf } from "../../cpu-time.ts";
import { parseText } from "../worlds.ts";
import { blur, randomOf, randomValue, spoil, Writer } from "./random-expressions.ts";

const clauses: readonly Clause[] = ["consensus", "condition", "time"];
const maxMs = 100;
const sample = 10_000;

/** Runs a check for each seed; a failure has the text before too. Returns how many there were. */
function forEachCase(share: number, check: (random: () => number, clause: Clause) => string): number {
	let text = "";
	return forEachSeed(sample * share, (seed) => {
		try {
			text = check(randomOf(seed), clauses[seed % clauses.length] ?? "consensus");
		} catch (error) {
			throw new Error(`${(error as Error).message}\nafter ${text}`, { cause: error });
		}
	});
}

/** Returns the tree without its positions. */
function shape(expression: Expression): string {
	return JSON.stringify(expression, (key, value) =>
		key === "span" ? undefined : typeof value === "bigint" ? `${value}n` : value,
	);
}

/** Returns the value of each name of a clause, all of them known. */
function completeScope(clause: Clause, random: () => number): ReadonlyMap<string, Value> {
	return new Map([...namesOf(clause)].map(([name, type]) => [name, randomValue(type, random)]));
}

function blurred(scope: ReadonlyMap<string, Value>, random: () => number): ReadonlyMap<string, Value> {
	return new Map([...scope].map(([name, value]) => [name, blur(value, name, random)]));
}

/** Runs a function and fails where it takes too much CPU time, twice: once may be a collection of garbage. */
function timed<Result>(text: string, run: () => Result): Result {
	let result = {} as Result;
	const once = (): void => {
		result = run();
	};
	if (cpuMsOf(once) >= maxMs && cpuMsOf(once) >= maxMs) throw new Error(`more than ${maxMs} ms: ${text}`);
	return result;
}

function print(value: Value): string {
	return isUnknown(value) ? `${value.cause} (${value.error ?? "no error"}): ${value.because}` : String(value);
}

describe("generated expressions", () => {
	it("are well typed, and err for no type when every value is known", () => {
		let decided = 0;
		const cases = forEachCase(0.4, (random, clause) => {
			const text = new Writer(random, clause).write({ kind: "bool" }, 1 + Math.floor(random() * 4));
			const expression = parseText(text);
			const mistakes = checkExpression(expression, clause);
			if (mistakes.length > 0) throw new Error(`${mistakes[0]?.message}: ${text}`);
			const value = timed(text, () => evaluate(expression, completeScope(clause, random)));
			if (typeof value === "boolean") decided += 1;
			else if (!isUnknown(value) || value.cause === "activity" || (value.error ?? "out-of-range") !== "out-of-range") {
				throw new Error(`${print(value)}: ${text}`);
			}
			return text;
		});
		expect(decided).toBeGreaterThan(cases * 0.5);
	});

	it("are the same for the complete values wherever they are known for incomplete ones", () => {
		const seen = { known: 0, unknown: 0 };
		const cases = forEachCase(0.3, (random, clause) => {
			const text = new Writer(random, clause).write({ kind: "bool" }, 1 + Math.floor(random() * 4));
			const expression = parseText(text);
			const scope = completeScope(clause, random);
			const complete = evaluate(expression, scope);
			const incomplete = evaluate(expression, blurred(scope, random));
			if (isUnknown(incomplete) && !isError(incomplete)) seen.unknown += 1;
			else if (isError(incomplete) ? !isError(complete) : complete !== incomplete && !isUnknown(complete)) {
				throw new Error(`${print(incomplete)}, but ${print(complete)} when complete: ${text}`);
			} else seen.known += 1;
			return text;
		});
		expect(Math.min(seen.known, seen.unknown)).toBeGreaterThan(cases * 0.07);
	});
});

describe("spoiled expressions", () => {
	it("are parsed, checked, evaluated and printed without a failure, and read again as the same tree", () => {
		const seen = { understood: 0, mistaken: 0 };
		const cases = forEachCase(0.7, (random, clause) => {
			const whole = new Writer(random, clause).write({ kind: "bool" }, 1 + Math.floor(random() * 4));
			const text = random() < 0.2 ? whole : spoil(whole, random);
			const parsed = timed(text, () => parseExpression(text));
			if ("mistakes" in parsed) {
				seen.mistaken += 1;
				for (const { message, span } of parsed.mistakes) {
					if (message === "" || span.start > span.end || span.end > text.length) throw new Error(`no place: ${text}`);
				}
				return text;
			}
			seen.understood += 1;
			const { expression } = parsed;
			timed(text, () => checkExpression(expression, clause));
			timed(text, () => evaluate(expression, blurred(completeScope(clause, random), random)));
			const printed = printExpression(expression);
			if (shape(parseText(printed)) !== shape(expression)) throw new Error(`${text} is printed as ${printed}`);
			return text;
		});
		expect(Math.min(seen.understood, seen.mistaken)).toBeGreaterThan(cases * 0.15);
	});
});
