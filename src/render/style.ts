/**
 * How parts of a text are marked. Colours are the caller's: it hands in a style, and the plain one changes nothing.
 */

/** Each function gets text and returns it marked. */
export interface Style {
	readonly add: (text: string) => string;
	readonly remove: (text: string) => string;
	readonly update: (text: string) => string;
	readonly warn: (text: string) => string;
	readonly faint: (text: string) => string;
	readonly strong: (text: string) => string;
}

const same = (text: string): string => text;

/** Marks nothing. */
export const plainStyle: Style = { add: same, remove: same, update: same, warn: same, faint: same, strong: same };
