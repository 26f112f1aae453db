/** Comparisons of values. No operand is an error. */
import {
	type Count,
	combine,
	describeValue,
	errs,
	isCount,
	isTimestamp,
	isUnknown,
	type Unknown,
	type Value,
} from "./values.ts";

export type Order = "<" | ">" | "<=" | ">=";

/** Returns whether the order holds, of numbers or of timestamps. */
export function compare(operator: Order, left: Value, right: Value): boolean | Unknown {
	const unknown = unknownOf(left, right);
	if (unknown !== null) return unknown;
	if (isTimestamp(left) && isTimestamp(right)) return holds(operator, left.timestamp, right.timestamp);
	if (!isNumber(left) || !isNumber(right)) return mismatch(operator, left, right);
	const [leftCount, rightCount] = [countOf(left), countOf(right)];
	const possible = [
		holds(operator, leftCount.atLeast, rightCount.atMost),
		holds(operator, leftCount.atMost, rightCount.atLeast),
	];
	if (possible[0] === possible[1]) return possible[0] ?? false;
	return doubtOf(left, right);
}

/**
 * Returns whether the values are equal. `what`: for messages. Unverified, chosen: bools are compared, since the vendor's examples of
 * swaps compare one with `true`; lists and structs are not.
 */
export function equal(left: Value, right: Value, what: string): boolean | Unknown {
	const unknown = unknownOf(left, right);
	if (unknown !== null) return unknown;
	return equalKnown(left, right) ?? mismatch(what, left, right);
}

function equalKnown(left: Value, right: Value): boolean | Unknown | null {
	if (typeof left === "string" && typeof right === "string") return left === right;
	if (typeof left === "boolean" && typeof right === "boolean") return left === right;
	if (isTimestamp(left) && isTimestamp(right)) return left.timestamp === right.timestamp;
	if (!isNumber(left) || !isNumber(right)) return null;
	const [leftCount, rightCount] = [countOf(left), countOf(right)];
	if (leftCount.atLeast > rightCount.atMost || rightCount.atLeast > leftCount.atMost) return false;
	return isCount(left) || isCount(right) ? doubtOf(left, right) : true;
}

const unknownOf = (left: Value, right: Value): Unknown | null => combine([left, right].filter(isUnknown));

function isNumber(value: Value): value is bigint | Count {
	return typeof value === "bigint" || (typeof value === "object" && isCount(value));
}

function countOf(value: bigint | Count): { readonly atLeast: bigint; readonly atMost: bigint } {
	return typeof value === "bigint" ? { atLeast: value, atMost: value } : value;
}

/** Returns why a comparison of numbers, at least one of which is not known exactly, is unknown. */
function doubtOf(left: bigint | Count, right: bigint | Count): Unknown {
	const reasons = [left, right].flatMap((one) => (typeof one === "bigint" ? [] : [one.because]));
	return combine(reasons) ?? errs("wrong-type", "both numbers are known");
}

function mismatch(operator: string, left: Value, right: Value): Unknown {
	return errs("wrong-type", `\`${operator}\` does not compare ${describeValue(left)} with ${describeValue(right)}`);
}

function holds(operator: Order, left: bigint, right: bigint): boolean {
	if (operator === "<") return left < right;
	if (operator === ">") return left > right;
	return operator === "<=" ? left <= right : left >= right;
}
