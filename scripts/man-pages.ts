/**
 * The man pages, made from the table of commands: orgsync(1), and one page per command. They are in the macros of `man`,
 * which every system reads, and have no date: the same sources make the same pages.
 */
import type { Command, Option } from "commander";
import {
	type CommandRow,
	environmentVariables,
	exitCodeRows,
	firstCalls,
	meanings,
} from "../src/cli/flags/command-row.ts";
import { makeCommandTable } from "../src/cli/flags/command-table.ts";

type Rows = readonly (readonly [term: string, meaning: string])[];

/** Returns the pages by file name, for the program whose help they repeat. */
export function manPages(program: Command, version: string): Readonly<Record<string, string>> {
	const groups = makeCommandTable();
	const rows = groups.flatMap(({ commands }) => commands);
	const pageOf = (name: string): string => `orgsync-${name}`;
	const pages: Record<string, string> = {
		"orgsync.1": join(
			title("orgsync", version),
			section("NAME", text(`orgsync - ${program.description()}`)),
			section("SYNOPSIS", synopsis("orgsync", program.usage())),
			...section(
				"COMMANDS",
				...groups.flatMap(({ heading, commands }) => [
					subsection(heading),
					definitions(commands.map(({ name, summary }) => [reference(pageOf(name)), text(summary)])),
				]),
			),
			section("EXIT STATUS", definitions(bold(exitCodeRows(meanings)))),
			section("ENVIRONMENT", definitions(bold(environmentVariables))),
			section("EXAMPLES", ...firstCalls.map(example)),
			section("SEE ALSO", rows.map(({ name }) => reference(pageOf(name))).join(",\n")),
		),
	};
	for (const command of program.commands) {
		const row = rows.find(({ name }) => name === command.name());
		if (row !== undefined) pages[`${pageOf(row.name)}.1`] = commandPage(command, row, version);
	}
	return pages;
}

function commandPage(command: Command, row: CommandRow, version: string): string {
	const name = `orgsync-${row.name}`;
	const help = command.createHelp();
	const argumentRows = help
		.visibleArguments(command)
		.map((one) => [one.name(), help.argumentDescription(one)] as const);
	const headings = [...new Set(help.visibleOptions(command).map(headingOf))];
	return join(
		title(name, version),
		section("NAME", text(`${name} - ${row.summary}`)),
		section("SYNOPSIS", synopsis(`orgsync ${row.name}`, command.usage())),
		argumentRows.length === 0 ? [] : section("ARGUMENTS", definitions(bold(argumentRows))),
		section(
			"OPTIONS",
			...headings.flatMap((heading) => [
				subsection(heading),
				definitions(
					help
						.visibleOptions(command)
						.filter((option) => headingOf(option) === heading)
						.map((option) => [flags(option), text(help.optionDescription(option))]),
				),
			]),
		),
		section("EXIT STATUS", definitions(bold(exitCodeRows(row.exitCodes)))),
		section("EXAMPLES", example(row.example)),
		section("SEE ALSO", reference("orgsync")),
	);
}

const headingOf = (option: Option): string => option.helpGroupHeading ?? "Output:";

/** Text as `man` shows it character by character: no escapes, no requests, and a minus that can be pasted. */
function text(words: string): string {
	return words.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&");
}

const join = (...parts: readonly (string | readonly string[])[]): string => `${parts.flat().join("\n")}\n`;

const title = (name: string, version: string): string =>
	`.TH "${text(name.toUpperCase())}" "1" "" "orgsync ${text(version)}" "orgsync"`;

const section = (name: string, ...lines: readonly string[]): readonly string[] => [`.SH ${name}`, ...lines];

const subsection = (heading: string): string => `.SS "${text(heading.replace(/:$/, ""))}"`;

const synopsis = (command: string, usage: string): string => `.B ${text(command)}\n${text(usage)}`;

/** `orgsync-plan(1)`, with the name in bold. */
const reference = (page: string): string => `\\fB${text(page)}\\fR(1)`;

const definitions = (rows: Rows): string => rows.map(([term, meaning]) => `.TP\n${term}\n${meaning}`).join("\n");

const bold = (rows: Rows): Rows => rows.map(([term, meaning]) => [`\\fB${text(term)}\\fR`, text(meaning)]);

/** `-f, --file <path>` with the flags in bold and the value in italics. */
function flags({ flags: words }: Option): string {
	return text(words).replace(/(\\-[^\s,]+)|<([^>]+)>/g, (_, flag?: string, value?: string) =>
		flag === undefined ? `\\fI${value}\\fR` : `\\fB${flag}\\fR`,
	);
}

const example = (call: string): string => `.PP\n.nf\n${text(call)}\n.fi`;
