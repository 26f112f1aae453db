/**
 * What orgsync says, before a format prints it. A phrase is a list of spans: a name stays apart from the words around it, so every
 * printer escapes it in its own way, and nothing has to find it in a sentence again.
 */

import { clipMiddle } from "../common/escape.ts";
import { commandLine, overrideText, type Said, type Voice, type VoicedSpan } from "../common/said.ts";

export { flag } from "../common/said.ts";

/**
 * A part of a phrase. A string is words of orgsync. A `name` is a user or an object of others; its notes distinguish it from
 * others of the same name. A `title` is the name of an object where no sentence is around it, and an `address` that of an object
 * known by its name. A `code` is text of a policy or a document. A `reason` is a sentence that may hold text of others. An `id`
 * is an id or an address for a reader to copy. A `flag` is an option of a command, which each voice spells in its own way. A
 * `command` is one for a reader to copy. A `quote` is a text of others, word for word. A `time` is ISO 8601 in UTC.
 */
export type Span =
	| string
	| { readonly kind: "name"; readonly text: string; readonly notes: readonly string[] }
	| { readonly kind: "title"; readonly text: string }
	| { readonly kind: "address"; readonly text: string }
	| { readonly kind: "code"; readonly text: string }
	| { readonly kind: "reason"; readonly text: string }
	| { readonly kind: "id"; readonly text: string }
	| VoicedSpan
	| { readonly kind: "command"; readonly text: string }
	| { readonly kind: "time"; readonly text: string }
	/** A part of a text that is shown line by line; `changed` is a word that only one of two texts has. */
	| { readonly kind: "line" | "changed"; readonly text: string }
	| { readonly kind: "quote"; readonly text: string; readonly maxLength: number };

export type Phrase = readonly Span[];

const longestCode = 160;

export function code(text: string): Span {
	return { kind: "code", text: clipMiddle(text, longestCode) };
}

export function reason(text: string): Span {
	return { kind: "reason", text };
}

/** Returns a sentence that may hold text of others, with its flags for each reader. */
export function reasonOf(said: Said): Phrase {
	return typeof said === "string"
		? [reason(said)]
		: said.map((span) => (typeof span === "string" ? reason(span) : span));
}

/** `maxLength` is in characters as shown. */
export function quote(text: string, maxLength: number): Span {
	return { kind: "quote", text, maxLength };
}

export function time(iso: string): Span {
	return { kind: "time", text: iso };
}

/** Returns the name of an object, escaped, for a place of its own: beside an address, or in a list. */
export function title(name: string): Span {
	return { kind: "title", text: name };
}

/** Returns the address of an object that readers know by its name: a format may set the name off. */
export function address(text: string): Span {
	return { kind: "address", text };
}

/** Returns a name in a sentence; `text` and the notes that distinguish it are escaped, as by `showName`. */
export function nameSpan(text: string, notes: readonly string[] = []): Span {
	return { kind: "name", text, notes };
}

/** Returns an id or an address for a reader to copy. */
export function identifier(text: string): Span {
	return { kind: "id", text };
}

export function command(text: string): Span {
	return { kind: "command", text };
}

/** Returns the phrases with `between` after each but the last two, and `last` between those. */
export function joinPhrases(phrases: readonly Phrase[], between: string, last: string = between): Phrase {
	return phrases.flatMap((phrase, index) => {
		if (index === 0) return phrase;
		return [index === phrases.length - 1 ? last : between, ...phrase];
	});
}

/** Returns the span or phrase of each item, joined like phrases. */
export function listOf<T>(items: readonly T[], say: Say<T>, between = ", ", last: string = between): Phrase {
	const said = items.map((item) => [say(item)].flat());
	return joinPhrases(said, between, last);
}

type Say<T> = (item: T) => Span | Phrase;

/** Returns the same; of more than `max` items one fewer, and how many more there are. */
export function listSome<T>(items: readonly T[], say: Say<T>, max: number, last = ", "): Phrase {
	if (items.length <= max) return listOf(items, say, ", ", last);
	return [...listOf(items.slice(0, max - 1), say), ` and ${items.length - max + 1} more`];
}

/** Returns a section or a part of one with each flag as the reader of this voice gives it. */
export function inVoice<T>(value: T, voice: Voice): T {
	if (typeof value !== "object" || value === null || voice === commandLine) return value;
	if (Array.isArray(value)) return value.map((one: unknown) => inVoice(one, voice)) as T;
	if ("kind" in value && ["flag", "override", "earlier-input"].includes(String(value.kind)))
		return spelled(value as unknown as VoicedSpan, voice) as T;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inVoice(one, voice)])) as T;
}

function spelled(span: VoicedSpan, voice: Voice): Span {
	if (span.kind === "earlier-input") return voice.earlierInput;
	if (span.kind === "override") return identifier(overrideText(span, voice));
	const text = voice.flag(span.flag, span.value);
	return voice.isCommand(span.flag) ? command(text) : identifier(text);
}
