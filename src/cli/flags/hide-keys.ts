/** Finds private keys and passwords of addresses on the command line, which an error could repeat. */
import { privateKeyPattern } from "./flag-values.ts";

/** Returns what looks like a private key, or like `USER:PASSWORD` of an address. Digests are ignored. */
export function findPrivateKeys(words: readonly string[]): readonly string[] {
	return words
		.filter((word, at) => words[at - 1] !== "--digest" && !word.startsWith("--digest="))
		.flatMap((word) => [
			...(word.replaceAll(/\bsha256:[0-9a-f]{64}\b/gi, "").match(new RegExp(privateKeyPattern, "gi")) ?? []),
			...(word.match(/(?<=:\/\/)[^\s/@"\\]*:[^\s/@"\\]+(?=@)/g) ?? []),
		]);
}
