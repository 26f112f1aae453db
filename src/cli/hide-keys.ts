/**
 * Hides private keys that the command line has in place of another value: an error repeats that value, and logs keep it.
 */
import { keyPattern } from "./flag-values.ts";

/** Returns what looks like a private key in the arguments. A digest has 64 hexadecimal digits too, and is none. */
export function findPrivateKeys(words: readonly string[]): readonly string[] {
	return words
		.filter((word, at) => words[at - 1] !== "--digest" && !word.startsWith("--digest="))
		.flatMap((word) => word.replaceAll(/\bsha256:[0-9a-f]{64}\b/gi, "").match(new RegExp(keyPattern, "gi")) ?? []);
}

/** Returns the text without these keys, whatever the case of their digits. */
export function hideKeys(text: string, keys: readonly string[]): string {
	return keys.reduce((rest, key) => rest.replaceAll(new RegExp(key, "gi"), "(a key)"), text);
}
