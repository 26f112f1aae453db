/** Sentences that name flags, before the reader is known: a terminal and Pulumi spell the same flag in different ways. */

/** The flags that sentences name. */
export type FlagName = "allow" | "abandon" | "retry-rejected" | "insecure" | "journal" | "max-rps" | "timeout" | "url";

export interface FlagSpan {
	readonly kind: "flag";
	readonly flag: FlagName;
	readonly value: string | null;
}

/** A text, or its parts where it names a flag. */
export type Said = string | readonly (string | FlagSpan)[];

export function flag(name: FlagName, value: string | null = null): FlagSpan {
	return { kind: "flag", flag: name, value };
}

/** Returns the sentence of a template; a text in it that looks like a flag is none. */
export function say(words: TemplateStringsArray, ...values: readonly (Said | FlagSpan)[]): Said {
	const spans: (string | FlagSpan)[] = [];
	const add = (span: string | FlagSpan): void => {
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
	return spans;
}

/** Returns the flag as a terminal takes it. */
export function spellFlag(name: FlagName, value: string | null): string {
	return value === null ? `--${name}` : `--${name} ${value}`;
}

/** Returns the sentence for a reader who gives flags in the form that `spell` returns. */
export function textOf(said: Said, spell: (name: FlagName, value: string | null) => string = spellFlag): string {
	if (typeof said === "string") return said;
	return said.map((span) => (typeof span === "string" ? span : spell(span.flag, span.value))).join("");
}
