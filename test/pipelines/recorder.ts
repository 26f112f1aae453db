/**
 * Replaces the programs at the boundary of a pipeline: `gh`, `curl`, `mail`. It records its calls and prints what the
 * test prepared. `--jq` is done by the real jq.
 *
 * It is a process of its own: node recorder.ts PROGRAM WORDS…, in the folder that RECORDER names.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Call {
	readonly program: string;
	readonly words: readonly string[];
	/** Of `curl` and `mail`, which are given something on it. */
	readonly stdin: string;
	/** What the files hold that are named as a body. */
	readonly bodies: readonly string[];
}

export interface Prepared {
	/** The words, joined by spaces, that are answered so. The first that fits counts. */
	readonly when: RegExp;
	/** Printed; what is no string, as JSON. */
	readonly stdout?: unknown;
	/** A folder whose content is put where `--dir` says, or a file for `--output`. */
	readonly copy?: string;
	readonly code?: number;
}

export const callsFile = "calls.jsonl";
export const answersFile = "answers.json";

/** The file between the test and the recorder: an expression cannot be JSON. */
export function encodeAnswers(answers: readonly Prepared[]): string {
	return JSON.stringify(answers.map(({ when, ...rest }) => ({ when: when.source, ...rest })));
}

function main([program = "", ...words]: readonly string[], folder: string): number {
	const stdin = program === "curl" || program === "mail" ? readFileSync(0, "utf8") : "";
	const bodies = words.flatMap((word, index) => {
		const file = words[index - 1] === "--body-file" ? word : /^body@(.+)$|^body=@(.+)$/.exec(word)?.slice(1).join("");
		return file === undefined ? [] : [readFileSync(file, "utf8")];
	});
	appendFileSync(join(folder, callsFile), `${JSON.stringify({ program, words, stdin, bodies } satisfies Call)}\n`);
	const line = [program, ...words].join(" ");
	const answers: (Omit<Prepared, "when"> & { when: string })[] = JSON.parse(
		readFileSync(join(folder, answersFile), "utf8"),
	);
	const answer = answers.find(({ when }) => new RegExp(when, "s").test(line));
	if (answer === undefined) {
		process.stderr.write(`nothing is prepared for: ${line}\n`);
		return 64;
	}
	const { stdout, copy, code = 0 } = answer;
	const after = (flag: string) => words[words.indexOf(flag) + 1] ?? "";
	if (copy !== undefined) {
		const target = words.includes("--dir") ? after("--dir") : after("--output");
		if (!existsSync(copy)) return 1;
		cpSync(copy, target, { recursive: true });
	} else if (stdout !== undefined && !(program === "gh" && words.includes("--silent"))) {
		const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
		if (words.includes("--jq")) {
			const filtered = spawnSync("jq", ["--raw-output", after("--jq")], { input: text, encoding: "utf8" });
			process.stderr.write(filtered.stderr);
			process.stdout.write(filtered.stdout);
			return filtered.status ?? 1;
		}
		if (words.includes("--output")) writeFileSync(after("--output"), text);
		else process.stdout.write(text);
	}
	return code;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2), process.env.RECORDER ?? "");
