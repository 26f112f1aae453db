/** What the three steps of the action share. */
import type { Terminal } from "../cli/output/output.ts";
import { ConfigurationError } from "../common/errors.ts";
import { showText } from "../common/escape.ts";
import { isRecord, readJson } from "../common/json.ts";
import { renderAnnotation } from "../render/annotation.ts";
import { Github } from "./github.ts";
import type { Environment, Settings } from "./settings.ts";

/** What a step runs with, and the values that it puts out. */
export interface Step {
	readonly terminal: Terminal;
	readonly put: (name: string, value: string | number | boolean) => void;
}

/** Settings that `prepare` put out: only a step of the same action can have set them. */
export function settingsOf({ SETTINGS: text = "" }: Environment): Settings {
	const read = readJson(text);
	if ("value" in read && isRecord(read.value)) return read.value as unknown as Settings;
	throw new ConfigurationError("the settings of the action are missing");
}

export function temporaryOf({ RUNNER_TEMP: folder = "" }: Environment): string {
	if (folder !== "") return folder;
	throw new ConfigurationError("RUNNER_TEMP is not set", { hint: "this program is a step of a GitHub action" });
}

export function githubOf(environment: Environment): Github {
	const { GITHUB_API_URL: api = "", GITHUB_REPOSITORY: repository = "", ACTION_TOKEN: token = "" } = environment;
	return new Github({ api, repository, token });
}

type Place = { readonly file: string; readonly line: number; readonly column: number };

export function annotate(terminal: Terminal, level: "error" | "warning" | "notice", message: string, at?: Place): void {
	terminal.stdout.write(`${renderAnnotation({ level, title: "orgsync", message: showText(message), at })}\n`);
}
