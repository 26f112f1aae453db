/** Sentences that name flags, before the reader is known: a terminal and Pulumi spell the same flag in different ways. */

/** The flags that sentences name. */
type FlagName =
	| "allow"
	| "abandon"
	| "retry-rejected"
	| "insecure"
	| "journal"
	| "max-rps"
	| "submitter"
	| "timeout"
	| "url";

interface FlagSpan {
	readonly kind: "flag";
	readonly flag: FlagName;
	readonly value: string | null;
}

/** A flag that was given, as it is on record. */
interface OverrideSpan {
	readonly kind: "override";
	readonly flag: FlagName;
	readonly value: string | null;
}

/** What each reader gives in a form of its own: a flag, or again the document or program of an earlier run. */
export type VoicedSpan = FlagSpan | OverrideSpan | { readonly kind: "earlier-input" };

/** A text, or its parts where it names something that readers give in different forms. */
export type Said = string | readonly (string | VoicedSpan)[];

/** How a reader gives flags and input: in a terminal, or in Pulumi. */
export interface Voice {
	/** Returns the flag, with its value where it has one. */
	readonly flag: (name: FlagName, value: string | null) => string;
	/** Whether that is a whole command, which a text shows in back quotes. */
	readonly isCommand: (name: FlagName) => boolean;
	/** Returns the flag as an override on record, without its value. */
	readonly override: (name: FlagName) => string;
	readonly earlierInput: string;
}

/** A terminal, and every page that shows what to type there. */
export const commandLine: Voice = {
	flag: (name, value) => (value === null ? `--${name}` : `--${name} ${value}`),
	isCommand: () => false,
	override: (name) => `--${name}`,
	earlierInput: "the document as it was then, applied within the hour,",
};

export const earlierInput: VoicedSpan = { kind: "earlier-input" };

export function flag(name: FlagName, value: string | null = null): FlagSpan {
	return { kind: "flag", flag: name, value };
}

/** Returns the sentence of a template; a text in it that looks like a flag is none. */
export function say(words: TemplateStringsArray, ...values: readonly (Said | VoicedSpan)[]): Said {
	const spans: (string | VoicedSpan)[] = [];
	const add = (span: string | VoicedSpan): void => {
		const last = spans.at(-1);
		if (typeof span === "string" && typeof last === "string") spans[spans.length - 1] = last + span;
		else if (span !== "") spans.push(span);
	};
	for (const [index, word] of words.entries()) {
		add(word);
		const value = values[index] ?? "";
		if (typeof value === "object" && !("kind" in value)) value.forEach(add);
		else add(value);
	}
	const [first = "", ...others] = spans;
	return typeof first === "string" && others.length === 0 ? first : spans;
}

/** Returns the sentence for a reader; on a command line when left out. */
export function textOf(said: Said, voice: Voice = commandLine): string {
	if (typeof said === "string") return said;
	return said.map((span) => (typeof span === "string" ? span : voicedText(span, voice))).join("");
}

/** Returns the span in a text: a command in back quotes. */
export function voicedText(span: VoicedSpan, voice: Voice): string {
	if (span.kind === "earlier-input") return voice.earlierInput;
	if (span.kind === "override") return overrideText(span, voice);
	const spelled = voice.flag(span.flag, span.value);
	return voice.isCommand(span.flag) ? `\`${spelled}\`` : spelled;
}

export function overrideText({ flag: name, value }: OverrideSpan, voice: Voice = commandLine): string {
	return value === null ? voice.override(name) : `${voice.override(name)} ${value}`;
}

/** Whether the sentence says what to do: it names a flag. */
export function isAdvice(said: Said): boolean {
	return typeof said !== "string" && said.some((span) => typeof span === "object" && span.kind === "flag");
}
