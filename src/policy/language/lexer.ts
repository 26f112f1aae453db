/**
 * Splits a text of the policy language into tokens. What is no part of the language is a token too, with a message: real
 * policies hold slips, and each common one has its own message.
 */
import { escapeSequence, replaceInvisible } from "../../common/invisible.ts";
import { maxNumber, type Span } from "./syntax.ts";

export interface Token {
	/** `mistake`: not understood; its `text` is the message. `end`: behind the last character. */
	readonly kind: "name" | "number" | "string" | "symbol" | "mistake" | "end";
	/** A name, the digits of a number, the content of a string, or a symbol. */
	readonly text: string;
	/** What a number counts as whose digits are not known yet: a variable of a template. */
	readonly value?: bigint;
	readonly span: Span;
}

/** Longer ones first, so that `<=` is not `<`. */
const symbols = ["&&", "||", "==", "!=", "<=", ">=", "..", "<", ">", "!", "(", ")", "[", "]", "{", "}", ",", ".", ":"];

/** What people write by mistake, with what they mean. Longer ones first. */
const slips: readonly (readonly [written: string, message: string])[] = [
	["===", "`===` is not an operator; write `==`"],
	["!==", "`!==` is not an operator; write `!=`"],
	["=>", "`=>` is not an operator; write `>=`"],
	["=<", "`=<` is not an operator; write `<=`"],
	["<>", "`<>` is not an operator; write `!=`"],
	["//", "a comment: the language has none; remove it"],
	["/*", "a comment: the language has none; remove it"],
];

/** The same for single characters that no symbol begins with. */
const wrongCharacters: Readonly<Record<string, string>> = {
	"=": "`=` is not an operator; write `==`",
	"&": "`&` is not an operator; write `&&`",
	"|": "`|` is not an operator; write `||`",
	"#": "a comment: the language has none; remove it",
	";": "`;` separates nothing here; join expressions with `&&` or `||`",
	"-": "`-`: negative numbers and arithmetic are not documented; compare with a number from 0",
	"+": "`+`: arithmetic is not documented; write the result",
	"*": "`*`: arithmetic is not documented; write the result",
	"/": "`/`: arithmetic is not documented; write the result",
	"%": "`%`: arithmetic is not documented; write the result",
};

const quoteMarks = '"`‘’“”´';

const maxDigits = maxNumber.toString().length;

// Sticky: each matches at its `lastIndex` only.
const spacePattern = /[ \t\r\n]*/y;
const namePattern = /[A-Za-z_][A-Za-z0-9_]*/y;
const numberPattern = /[0-9]+/y;
const wordPattern = /[A-Za-z0-9_]+/y;

function matchAt(pattern: RegExp, text: string, at: number): string {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0] ?? "";
}

/** Returns the offset of the first character that is no space, at or behind an offset. */
export const skipSpace = (text: string, offset: number): number => offset + matchAt(spacePattern, text, offset).length;

/** Returns the token at or behind an offset. It looks at each character only once. */
export function readToken(text: string, offset: number): Token {
	const start = skipSpace(text, offset);
	const character = text.charAt(start);
	if (character === "") return token("end", "", start, start);
	const name = matchAt(namePattern, text, start);
	if (name !== "") return token("name", name, start, start + name.length);
	const digits = matchAt(numberPattern, text, start);
	if (digits !== "") return readNumber(text, start, digits);
	if (character === "'") return readString(text, start);
	const slip = slips.find(([written]) => text.startsWith(written, start));
	if (slip !== undefined) return token("mistake", slip[1], start, start + slip[0].length);
	const symbol = symbols.find((one) => text.startsWith(one, start));
	if (symbol !== undefined) return token("symbol", symbol, start, start + symbol.length);
	return readWrongCharacter(text, start);
}

function token(kind: Token["kind"], text: string, start: number, end: number): Token {
	return { kind, text, span: { start, end } };
}

function readNumber(text: string, start: number, digits: string): Token {
	const end = start + digits.length;
	const mistake = (message: string, behind: number): Token => token("mistake", message, start, behind);
	const word = matchAt(wordPattern, text, start);
	if (word !== digits) {
		return mistake(
			`${quote(word)} is not a number; write decimal digits only, or a string in single quotes`,
			start + word.length,
		);
	}
	if (text.charAt(end) === "." && /[0-9]/.test(text.charAt(end + 1))) {
		return mistake("numbers are whole: write the smallest unit, without a decimal point", end + 2);
	}
	if (digits.length > 1 && digits.startsWith("0"))
		return mistake("a number does not begin with 0; remove the zeros", end);
	if (digits.length > maxDigits || BigInt(digits) > maxNumber) {
		return mistake("a number of more than 256 bits; the largest is 2^256 - 1", end);
	}
	return token("number", digits, start, end);
}

/** Reads a string in single quotes. Unverified, chosen: it may have any character but `'` and `\`; there are no escapes. */
function readString(text: string, start: number): Token {
	const close = text.indexOf("'", start + 1);
	if (close < 0) return token("mistake", "a string without its closing `'`", start, text.length);
	const content = text.slice(start + 1, close);
	const backslash = content.indexOf("\\");
	if (backslash < 0) return token("string", content, start, close + 1);
	const at = start + 1 + backslash;
	return token("mistake", "`\\` in a string: escapes are not documented; write the string without it", at, at + 1);
}

function readWrongCharacter(text: string, start: number): Token {
	const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
	const end = start + character.length;
	if (quoteMarks.includes(character)) {
		return token("mistake", `${quote(character)} does not quote a string; write single quotes: 'text'`, start, end);
	}
	const message = wrongCharacters[character] ?? `${quote(character)} is no part of the language; remove it`;
	return token("mistake", message, start, end);
}

/** Max characters of a text that a message repeats. */
const maxQuoteLength = 40;
const maxFixLength = 120;

/** Returns the text in backticks, cut short, with its invisible characters escaped. */
export const quote = (text: string): string => quoteUpTo(maxQuoteLength, text);

/** Returns the text in backticks, as a fix that people copy. */
export const quoteWhole = (text: string): string => quoteUpTo(maxFixLength, text);

function quoteUpTo(maxLength: number, text: string): string {
	const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
	const visible = replaceInvisible(short, escapeSequence);
	return visible === "`" ? "a backtick" : `\`${visible}\``;
}
