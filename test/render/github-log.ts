/** Annotations as the runner of a pipeline reads them in its log. */
import { type GithubOptions, renderAnnotations } from "../../src/render/github.ts";
import type { CommandResult } from "../../src/render/result/result.ts";

export interface Command {
	readonly command: string;
	readonly properties: Readonly<Record<string, string>>;
	readonly data: string;
}

/**
 * The commands that a runner of GitHub's finds in a log, read by its rules (actions/runner, ActionCommand.TryParseV2, and
 * TryParse for `##[`): a line that begins with `::`, up to the next `::` a name and properties, separated by commas.
 */
function readLog(log: string): readonly Command[] {
	return log.split(/\r\n|\r|\n/).flatMap((line): Command[] => {
		if (line.includes("##[")) return [{ command: "##[", properties: {}, data: line }];
		const [, command = "", properties = "", data = ""] = /^\s*::([^ :]+)(?: (.*?))?::(.*)$/.exec(line) ?? [];
		if (command === "") return line === "" ? [] : [{ command: "no command", properties: {}, data: line }];
		const entries = properties.split(",").map((pair) => {
			const at = pair.indexOf("=");
			return [pair.slice(0, at), readBack(pair.slice(at + 1), true)] as const;
		});
		return [{ command, properties: Object.fromEntries(entries), data: readBack(data, false) }];
	});
}

function readBack(text: string, isProperty: boolean): string {
	const plain = text.replaceAll("%0D", "\r").replaceAll("%0A", "\n");
	return (isProperty ? plain.replaceAll("%3A", ":").replaceAll("%2C", ",") : plain).replaceAll("%25", "%");
}

/** The commands that the annotations of a result are to the runner. */
export function commandsOf(result: CommandResult, options?: GithubOptions): readonly Command[] {
	return readLog(renderAnnotations(result, options));
}
