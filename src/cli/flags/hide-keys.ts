/** Keys in the words of a command. A crash loads this file and no other of the flags. */

/** Text that looks like a private key, also between other letters or with one digit too many. No message repeats it. */
export const privateKeyPattern = /(?<![0-9a-f])[0-9a-f]{64,65}(?![0-9a-f])/i;

/** Returns what looks like a private key, or like `USER:PASSWORD` of an address. Digests are ignored. */
export function findPrivateKeys(words: readonly string[]): readonly string[] {
	return words
		.filter((word, at) => words[at - 1] !== "--digest" && !word.startsWith("--digest="))
		.flatMap((word) => [
			...(word.replaceAll(/\bsha256:[0-9a-f]{64}\b/gi, "").match(new RegExp(privateKeyPattern, "gi")) ?? []),
			...(word.match(/(?<=:\/\/)[^\s/@"\\]*:[^\s/@"\\]+(?=@)/g) ?? []),
		]);
}
