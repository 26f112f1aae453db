/** The flags that say how a command prints, and the `Output` made from them. */

import { hideKeys } from "../../common/hide-secrets.ts";
import { version } from "../../common/version.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import { Output, type Terminal } from "../output/output.ts";
import type { Flags } from "./given-flags.ts";

export type OutputFlags = CommandContext &
	Flags<"format" | "output" | "commentKey" | "fullAt" | "color" | "quiet" | "verbose" | "metrics" | "metricLabel">;

/** Returns the output that these flags and `NO_COLOR` ask for; it never shows one of `keys`. */
export function makeOutput(command: string, flags: OutputFlags, terminal: Terminal, keys: readonly string[]): Output {
	const noColor = terminal.environment.NO_COLOR;
	return new Output(terminal, {
		command,
		format: flags.format ?? "text",
		color: flags.color !== false && (noColor === undefined || noColor === "") && terminal.environment.TERM !== "dumb",
		quiet: flags.quiet === true,
		verbose: flags.verbose === true,
		output: flags.output,
		markdown: {
			...(flags.commentKey === undefined ? {} : { key: hideKeys(flags.commentKey, keys) }),
			...(flags.fullAt === undefined ? {} : { whole: hideKeys(flags.fullAt, keys) }),
		},
		commands: flags,
		metrics: { version, file: flags.metrics, labels: labelsOf(flags, keys) },
		keys,
	});
}

/** Returns the labels of all metrics. A share of a fleet has its own series, because each runner writes its own file. */
function labelsOf({ metricLabel = [], shard }: OutputFlags, keys: readonly string[]): Readonly<Record<string, string>> {
	const given = metricLabel.map(([name, value]) => [name, hideKeys(value, keys)] as const);
	return Object.fromEntries([...(shard === undefined ? [] : [["shard", hideKeys(shard, keys)] as const]), ...given]);
}
