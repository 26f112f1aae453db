/** What a result comes to: a headline, and what belongs to it. A format prints it in one line, or the headline above the rest. */
import { capitalize } from "./count.ts";
import type { Tone } from "./outcomes.ts";
import { joinPhrases, type Phrase } from "./phrase.ts";

export interface Verdict {
	/** Says it alone, without a full stop. */
	readonly headline: Phrase;
	/** What the headline counts, where that is long: behind a colon on one line, and below the headline on a page. */
	readonly counts?: Phrase;
	/** Details of the headline: in brackets on one line. */
	readonly details?: Phrase;
	/** What follows from it; on one line behind semicolons. */
	readonly clauses?: readonly Phrase[];
	/** Whole sentences on other things. */
	readonly sentences?: readonly Phrase[];
}

/** The verdict on a whole result. */
export interface Summary {
	/** Of errors it says only that they exist. */
	readonly verdict: Verdict;
	/** The worst of all organizations. */
	readonly tone: Tone;
}

export function verdictOf(headline: string): Verdict {
	return { headline: [headline] };
}

/** Returns the verdict with these sentences at its end; empty ones are left out. */
export function withSentences(verdict: Verdict, ...more: readonly string[]): Verdict {
	const added = more.filter((text) => text !== "").map((text): Phrase => [text]);
	return { ...verdict, sentences: [...(verdict.sentences ?? []), ...added] };
}

export function sayVerdict({ headline, counts, details, clauses = [], sentences = [] }: Verdict): Phrase {
	const counted: Phrase = counts === undefined ? headline : [...headline, ": ", ...counts];
	const first: Phrase = details === undefined ? counted : [...counted, " (", ...details, ")"];
	return joinPhrases([[...joinPhrases([first, ...clauses], "; "), "."], ...sentences], " ");
}

/** Returns what the headline does not say; empty where it says all. */
export function sayRest({ counts, details, clauses = [], sentences = [] }: Verdict): Phrase {
	const first = joinPhrases([...[counts ?? [], details ?? []].filter(({ length }) => length > 0), ...clauses], "; ");
	const [start, ...others] = first;
	const sentence: Phrase[] =
		start === undefined ? [] : [[typeof start === "string" ? capitalize(start) : start, ...others, "."]];
	return joinPhrases([...sentence, ...sentences], " ");
}
