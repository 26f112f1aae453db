/**
 * Sentences of orgsync with names of other people in them. The parts stay apart until a format joins them, so every reader
 * sees which part is a name, whatever the name says.
 */
import { clipMiddle, showQuoted, showSpaces, showText } from "../common/escape.ts";
import { bdi, type Html, html } from "./html-text.ts";
import { codeSpan } from "./markdown-text.ts";

/**
 * A part of a sentence. A text is words of orgsync. A `name` is escaped as by `showName`; its notes distinguish it from others. A
 * `code` is text as it was written elsewhere. A `reason` is a sentence that may hold such text. An `id` is an id or an address,
 * escaped, for a reader to copy. A `quote` is a text of others, word for word. A `time` is ISO 8601 in UTC.
 */
export type Part =
	| string
	| { readonly kind: "name"; readonly text: string; readonly notes: readonly string[] }
	| { readonly kind: "code"; readonly text: string }
	| { readonly kind: "reason"; readonly text: string }
	| { readonly kind: "id"; readonly text: string }
	| { readonly kind: "time"; readonly text: string }
	| { readonly kind: "quote"; readonly text: string; readonly maxLength: number };

export type Phrase = readonly Part[];

/** Longest text of a `code`, in characters. */
const longestCode = 160;

export function code(text: string): Part {
	return { kind: "code", text: clipMiddle(text, longestCode) };
}

export function reason(text: string): Part {
	return { kind: "reason", text };
}

/** `maxLength` is in characters as shown. */
export function quote(text: string, maxLength: number): Part {
	return { kind: "quote", text, maxLength };
}

export function time(iso: string): Part {
	return { kind: "time", text: iso };
}

/** Returns an id for a reader to copy; an address comes escaped, as by `showAddress`. */
export function identifier(text: string): Part {
	return { kind: "id", text: showText(text) };
}

/** Returns the phrases with `between` after each but the last two, and `last` between those. */
export function joinPhrases(phrases: readonly Phrase[], between: string, last: string = between): Phrase {
	return phrases.flatMap((phrase, index) => {
		if (index === 0) return phrase;
		return [index === phrases.length - 1 ? last : between, ...phrase];
	});
}

/** Returns the phrase on one line for a terminal or a log. */
export function phraseText(phrase: Phrase): string {
	return phrase.map((part) => (typeof part === "string" ? part : partText(part))).join("");
}

function partText(part: Exclude<Part, string>): string {
	if (part.kind === "reason" || part.kind === "id") return showText(part.text);
	if (part.kind === "time") return showTime(part.text);
	if (part.kind === "quote") return showQuoted(part.text, part.maxLength);
	if (part.kind === "code") return `\`${showSpaces(part.text.replaceAll("`", "\\u{60}"))}\``;
	return `${quoteName(part.text)}${notesOf(part.notes)}`;
}

function notesOf(notes: readonly string[]): string {
	return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

/** Names that a sentence could take for its own words: with a blank, numbers, and words that join others. */
const likeWords = /^[^"].*\s|^\d+$|^(?:alone|and|any|no|of|one|only|or|the|together)$/i;

/** Returns a name for the middle of a sentence: in quotes where it could be taken for words of the sentence. */
function quoteName(shown: string): string {
	return likeWords.test(shown) ? `"${shown}"` : shown;
}

/** Returns the phrase in Markdown: whatever is not a word of orgsync is in one code span. */
export function phraseMarkdown(phrase: Phrase): string {
	return phrase
		.map((part) => {
			if (typeof part === "string") return part;
			if (part.kind === "time") return showTime(part.text);
			return codeSpan(part.kind === "name" ? `${part.text}${notesOf(part.notes)}` : part.text);
		})
		.join("");
}

/** Returns the phrase as HTML. */
export function phraseHtml(phrase: Phrase): Html {
	return html`${phrase.map((part) => {
		if (typeof part === "string") return html`${part}`;
		if (part.kind === "code" || part.kind === "id") return html`<code>${showSpaces(part.text)}</code>`;
		if (part.kind === "reason") return bdi(part.text);
		if (part.kind === "quote") return html`\u201c${bdi(part.text)}\u201d`;
		if (part.kind === "time") return html`<time datetime="${part.text}">${part.text}</time>`;
		const notes = part.notes.length === 0 ? null : html` <span class="who">(${bdi(part.notes.join(", "))})</span>`;
		return html`<strong>${bdi(part.text)}</strong>${notes}`;
	})}`;
}

/** Returns a time for people: `2026-12-01 09:30 UTC`, with seconds where it has some. */
function showTime(iso: string): string {
	const [, date, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):(\d\d)(?:\.\d+)?Z$/.exec(iso) ?? [];
	if (date === undefined) return showText(iso);
	return `${date} ${minute}${second === "00" ? "" : `:${second}`} UTC`;
}
