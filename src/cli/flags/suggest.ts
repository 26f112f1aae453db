import { closest, distance } from "fastest-levenshtein";

/** Max characters of a word to compare: longer ones are not typing errors, and take long. */
const maxWordLength = 100;

/** Returns `; did you mean NAME?` with the nearest candidate, or an empty text if none is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
	if (word.length > maxWordLength || candidates.length === 0) return "";
	const nearest = closest(word, candidates);
	return distance(word, nearest) <= Math.max(1, word.length / 4) ? `; did you mean ${nearest}?` : "";
}
