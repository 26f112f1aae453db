/**
 * The word that somebody may have meant.
 */
import { closest, distance } from "fastest-levenshtein";

/** Longer words are no slips of one of ours, and take long to compare. */
const longestWord = 100;

/** `; did you mean NAME?` with the nearest candidate, or an empty text when none is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
	if (word.length > longestWord || candidates.length === 0) return "";
	const nearest = closest(word, candidates);
	return distance(word, nearest) <= Math.max(1, word.length / 4) ? `; did you mean ${nearest}?` : "";
}
