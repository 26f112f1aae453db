/** Expressions of the policy language: well-typed ones and those of the documentation, changed; read by plans and by the emulator. */

import { showText } from "../../../../src/common/escape.ts";
import { compileExpression } from "../../../../src/emulator/policies/compile.ts";
import { PolicyError } from "../../../../src/emulator/policies/tokens.ts";
import { vocabularies } from "../../../../src/emulator/policies/vocabularies.ts";
import { checkExpression } from "../../../../src/policy/language/checker.ts";
import { evaluate } from "../../../../src/policy/language/evaluate.ts";
import { parseExpression } from "../../../../src/policy/language/parser.ts";
import type { Clause } from "../../../../src/policy/language/syntax.ts";
import { namesOf } from "../../../../src/policy/language/types.ts";
import { isUnknown } from "../../../../src/policy/language/values.ts";
import { judgeTime } from "../../../../src/policy/powers/compile.ts";
import { blur, randomValue, Writer } from "../../../policy/language/random-expressions.ts";
import { Dice } from "../dice.ts";
import { isObject, type Json, type Outcome, type Target, textAt } from "../input.ts";
import { mutateText, type Words, wordsOf } from "../mutate.ts";
import { readCorpus } from "../sources.ts";

const clauses: readonly Clause[] = ["consensus", "condition", "time"];

let lines: readonly string[] = [];
let words: Words = wordsOf([]);

function make(dice: Dice): Json {
	const clause = dice.pick(clauses);
	const written = (): string => new Writer(() => dice.next(), clause).write({ kind: "bool" }, dice.int(5));
	const sound = dice.chance(0.6) ? written() : dice.pick(lines);
	const text = dice.chance(0.02)
		? dice.pick(["(", "[", "!", "{ a: ", "a.", "a && ", "x == "]).repeat(dice.int(30_000))
		: sound;
	return { clause, text: mutateText(text, dice, words, dice.int(4)), values: dice.int(2 ** 31) };
}

function read(input: Json): Outcome {
	const clause = clauses.find((one) => one === textAt(input, "clause")) ?? "consensus";
	const text = textAt(input, "text");
	const seed = isObject(input) ? Number(input.values) : 0;
	runInEmulator(text, clause);
	if (clause === "time")
		judgeTime({ id: "", name: "", effect: "EFFECT_ALLOW", consensus: "", condition: "", time: text }, seed * 1e3);
	const parsed = parseExpression(text);
	const mistakes = "mistakes" in parsed ? parsed.mistakes : checkExpression(parsed.expression, clause);
	for (const { span } of mistakes) {
		if (span.start < 0 || span.end > text.length || span.start > span.end)
			throw new Error(`a mistake is outside the text: ${JSON.stringify(span)}`);
	}
	if (mistakes.length > 0) {
		return {
			accepted: false,
			printed: mistakes.map(({ message }) => `the ${clause} is not understood: ${showText(message)}`).join("\n"),
		};
	}
	if ("expression" in parsed) judgeValue(evaluate(parsed.expression, scopeOf(clause, new Dice(seed))));
	return { accepted: true, printed: "" };
}

function scopeOf(clause: Clause, dice: Dice) {
	const next = (): number => dice.next();
	return new Map([...namesOf(clause)].map(([name, type]) => [name, blur(randomValue(type, next), name, next)]));
}

/** An expression that is accepted is true, false, or unknown for a reason that can be given. */
function judgeValue(value: ReturnType<typeof evaluate>): void {
	if (typeof value === "boolean") return;
	if (!isUnknown(value)) throw new Error(`an accepted expression has a value of another type: ${typeof value}`);
	if (value.because === "") throw new Error("an accepted expression is unknown without a reason");
}

function runInEmulator(text: string, clause: Clause): void {
	try {
		compileExpression(text, vocabularies[clause]);
	} catch (error) {
		if (!(error instanceof PolicyError)) throw error;
		if (error.message === "") throw new Error("the emulator refuses an expression without a word");
	}
}

export const expressions: Target = {
	name: "expressions",
	share: 200,
	begin() {
		lines = readCorpus("expressions")
			.flatMap((text) => text.split("\n"))
			.filter((line) => line !== "");
		words = wordsOf([], lines);
	},
	make,
	read,
};
