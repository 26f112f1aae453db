/** The command line of orgsync that the settings ask for, and the files that the steps of the action share. */
import { join } from "node:path";
import type { Settings } from "./settings.ts";

export type ActionFiles = ReturnType<typeof filesOf>;

/** Returns paths below the folder that the runner empties before and after a job: no checkout can put anything there. */
export function filesOf(temporary: string, { slug }: Pick<Settings, "slug">) {
	const folder = join(temporary, "orgsync-action", slug);
	return {
		folder,
		/** What is uploaded. */
		result: join(folder, "result"),
		/** The plan that was downloaded. */
		reviewed: join(folder, "plan/plan.json"),
		journal: join(folder, "journal/journal.sqlite"),
		/** The report of the last drift check. */
		lastDrift: join(folder, "drift/last.json"),
	};
}

/** Returns the words for `run`. Each input is a word of its own or the value of a flag, never a command. */
export function wordsOf(settings: Settings, files: ActionFiles): readonly string[] {
	const { command } = settings;
	const documents = repeat("file", settings.file);
	const scope = [...repeat("only", settings.only), ...optional("shard", settings.shard)];
	const markdown = ["--format=github", `--comment-key=${settings.commentKey}`, `--full-at=${settings.runUrl}`];
	const journal = `--journal=${files.journal}`;
	const own: Readonly<Record<typeof command, readonly string[]>> = {
		validate: [...documents, ...optional("shard", settings.shard)],
		plan: [
			...[...documents, ...scope, ...markdown, journal, `--out=${join(files.result, "plan.json")}`],
			...[...optional("base", settings.base), ...repeat("allow", settings.allow)],
		],
		show: [files.reviewed, ...markdown],
		apply: [
			...[...documents, ...markdown, journal],
			...(settings.autoApprove
				? ["--yes", ...scope]
				: [`--plan=${files.reviewed}`, `--digest=${settings.digest}`, `--max-age=${settings.maxAge}`]),
			...repeat("allow", settings.allow),
		],
		test: [...documents, ...markdown, journal],
		drift: [...documents, ...scope, ...markdown, journal, `--since=${files.lastDrift}`],
	};
	return [command, ...own[command], ...settings.args];
}

function repeat(flag: string, values: readonly string[]): readonly string[] {
	return values.map((value) => `--${flag}=${value}`);
}

function optional(flag: string, value: string): readonly string[] {
	return value === "" ? [] : [`--${flag}=${value}`];
}
