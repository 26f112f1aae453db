/** Finds the name that a word is probably a typing error of. */
import { distance } from "fastest-levenshtein";

/** Max characters of a word: longer ones are no typing errors, and take long. */
const maxWordLength = 60;

/** Max candidates to compare: an organization has 100 users and 100 tags (docs/internals/service.md#rates-and-limits). */
const maxCandidates = 200;

/** Returns the candidate that `word` is probably a typing error of, or undefined. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
	const all = [...candidates];
	if (word === "" || word.length > maxWordLength || all.length > maxCandidates) return undefined;
	const lowerWord = word.toLowerCase();
	const limit = word.length === 1 ? 0 : word.length <= 3 ? 1 : Math.max(2, Math.floor(word.length / 3));
	let best: { readonly candidate: string; readonly score: number } | undefined;
	for (const candidate of all) {
		const lower = candidate.toLowerCase();
		const isPart =
			Math.min(lower.length, lowerWord.length) >= 3 && (lower.includes(lowerWord) || lowerWord.includes(lower));
		// Two swapped letters are one typing error, but two edits.
		const isSwapped = lower.length === lowerWord.length && sortLetters(lowerWord) === sortLetters(lower);
		const score = Math.min(distance(lowerWord, lower), isSwapped ? 1 : maxWordLength);
		if ((isPart || score <= limit) && (best === undefined || score < best.score)) best = { candidate, score };
	}
	return best?.candidate;
}

function sortLetters(word: string): string {
	return [...word].sort().join("");
}
