/**
 * The flags that say how a command prints, and the voice that they make.
 */
import { readFileSync } from "node:fs";
import type { Format } from "./formats.ts";
import { type Terminal, Voice } from "./voice.ts";

export interface VoiceFlags {
	readonly format?: Format;
	readonly output?: string;
	readonly commentKey?: string;
	readonly fullAt?: string;
	readonly color?: boolean;
	readonly quiet?: boolean;
	readonly verbose?: boolean;
}

/** A voice that heeds the flags and `NO_COLOR`, and shows none of these private keys. */
export function makeVoice(command: string, flags: VoiceFlags, terminal: Terminal, keys: readonly string[]): Voice {
	const noColor = terminal.environment.NO_COLOR;
	return new Voice(terminal, {
		command,
		format: flags.format ?? "text",
		color: flags.color !== false && (noColor === undefined || noColor === "") && terminal.environment.TERM !== "dumb",
		quiet: flags.quiet === true,
		verbose: flags.verbose === true,
		output: flags.output,
		markdown: {
			...(flags.commentKey === undefined ? {} : { key: flags.commentKey }),
			...(flags.fullAt === undefined ? {} : { whole: flags.fullAt }),
		},
		generatedBy: `orgsync ${readVersion()}`,
		keys,
	});
}

/** The version of this package. */
export function readVersion(): string {
	const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
	return (JSON.parse(text) as { version: string }).version;
}
