/**
 * Words and phrases that readers of this project stumble over, with what to say instead.
 */

/** Each pattern with the words to use instead. A space matches any white space. Searched everywhere. */
const bannedEverywhere: readonly (readonly [pattern: string, instead: string])[] = [
	["told", "reported, shown, given; unless … is set"],
	["tell(s|ing)?(?! \\S+( \\S+){0,3} apart)", "report, show, describe"],
	["stands(?! for| in for)", "is"],
	["(speaks?|spoken|spoke|speaking) of", "mentions, lists, manages"],
	["anew", "again"],
	["whoever", "anyone who, the user who"],
	// In quotes it is a value of JSON.
	['somebody|(?<![`"])nobody(?![`"])', "someone, no one, a person, another user"],
	["held against", "compared with, checked against"],
	["that which", "what"],
	["already so", "already in sync"],
	["nothing left to do", "no changes, nothing to do"],
	["parted by", "separated by"],
	["by itself", "(leave it out), on its own"],
	["what waits", "pending approval, pending activities"],
	["what is wanted", "desired state"],
	["(?<!was `)wish(es)?", "request, activity"],
	["(give|gives|gave|given|giving) up", "abandon, stop"],
	["(has|have|had|what) moved", "drifted, changed, outdated"],
	["memory (says|has|holds)|(from|in|of) (its|our) memory", "last-applied state"],
	["converged", "in sync"],
];

/** Searched in what users read, not in comments and test names. */
const bannedForUsers: readonly (readonly [pattern: string, instead: string])[] = [
	["(stand|stood)(?! for| in for|-| ?alone)", "be, conflict with"],
	["(which|that) waits?(?! for)|waits for (people|a person)", "pending approval"],
	["that is wanted", "desired state"],
	["maybe sent|may have been sent", "in doubt"],
	["unlooked", "failed, not compared"],
	["cannot become what", "cannot converge"],
	["when this is meant", "to override:"],
	["once more", "again"],
];

const compile = ([pattern, instead]: readonly [string, string]) => ({
	expression: new RegExp(`\\b(?:${pattern.replaceAll(" ", "\\s+")})\\b`, "gi"),
	instead,
});
const everywhere = bannedEverywhere.map(compile);
const forUsers = [...everywhere, ...bannedForUsers.map(compile)];

export interface BannedWords {
	/** Where they begin in the text. */
	readonly index: number;
	readonly words: string;
	readonly instead: string;
}

/** Returns the banned words of a text. `isForUsers` adds those that only comments and test names may have. */
export function findBannedWords(text: string, isForUsers: boolean): readonly BannedWords[] {
	// Names of columns are in files that users have, and no one reads them.
	if (/\b(SELECT|INSERT INTO|(CREATE|ALTER) (TABLE|INDEX)|UPDATE \w+ SET)\b/.test(text)) return [];
	return (isForUsers ? forUsers : everywhere).flatMap(({ expression, instead }) =>
		[...text.matchAll(expression)].map(({ 0: words, index }) => ({
			index,
			words: words.replaceAll(/\s+/g, " "),
			instead,
		})),
	);
}
