import type { Voice } from "../common/said.ts";

/** How a reader sees text: functions that mark it for a terminal, and how flags are spelled. */
export interface Style {
	/** The command line's when left out. */
	readonly voice?: Voice;
	readonly add: (text: string) => string;
	readonly remove: (text: string) => string;
	readonly update: (text: string) => string;
	readonly warn: (text: string) => string;
	readonly faint: (text: string) => string;
	readonly strong: (text: string) => string;
}

const same = (text: string): string => text;

export const plainStyle: Style = { add: same, remove: same, update: same, warn: same, faint: same, strong: same };
