/** The form of all inputs: JSON, so that one function can change, shrink and show any of them. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
	readonly [key: string]: Json;
}

/** What a reader made of an input. */
export interface Outcome {
	readonly accepted: boolean;
	/** Everything that a person would read of it. */
	readonly printed: string;
	/** Whether it is HTML or Markdown, in which no text of others may be markup. */
	readonly markup?: boolean;
}

/** One kind of input, and the reader that takes it. */
export interface Target {
	readonly name: string;
	/** How many of a thousand inputs are for this target. */
	readonly share: number;
	/** Loads what all inputs need. Called once. */
	begin?(): Promise<void> | void;
	/** Ends what `begin` started. */
	end?(): Promise<void> | void;
	/** Returns an input that follows from the dice alone. */
	make(dice: import("./dice.ts").Dice): Json;
	/** Reads the input as orgsync does. Whatever it throws is a finding. */
	read(input: Json): Promise<Outcome> | Outcome;
}

export function isList(value: Json | undefined): value is readonly Json[] {
	return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the text at a key; an empty one if there is none. Inputs that are being shrunk can lack any of them. */
export function textAt(input: Json, key: string): string {
	const value = isObject(input) ? input[key] : undefined;
	return typeof value === "string" ? value : "";
}
