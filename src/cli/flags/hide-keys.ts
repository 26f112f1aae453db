/**
 * Finds private keys, and passwords of addresses, on the command line: an error may repeat one that was given in place of another
 * value.
 */
import { privateKeyPattern } from "./flag-values.ts";

/**
 * Returns the parts of the arguments that look like private keys, or like `USER:PASSWORD` of an address. A digest also has 64
 * hexadecimal digits, but is ignored.
 */
export function findPrivateKeys(words: readonly string[]): readonly string[] {
	return words
		.filter((word, at) => words[at - 1] !== "--digest" && !word.startsWith("--digest="))
		.flatMap((word) => [
			...(word.replaceAll(/\bsha256:[0-9a-f]{64}\b/gi, "").match(new RegExp(privateKeyPattern, "gi")) ?? []),
			...(word.match(/(?<=:\/\/)[^\s/@"\\]*:[^\s/@"\\]+(?=@)/g) ?? []),
		]);
}
