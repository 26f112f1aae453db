import type { ScriptCommand, ValueSource } from "../../flags/completed-words.ts";

/** Returns the script for fish. */
export function fishScript(commands: readonly ScriptCommand[]): string {
	const lines = commands.flatMap(({ name, summary, flags, arguments: taken }) => {
		const here = `complete -c orgsync -n '__fish_seen_subcommand_from ${name}'`;
		return [
			`complete -c orgsync -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
			...argumentLines(name, taken),
			...flags.map(({ long, short, description, source }) => {
				const names = `-l ${long.slice(2)}${short === undefined ? "" : ` -s ${short.slice(1)}`}`;
				const values = source === undefined ? "" : ` ${valuesOf(source, "-x", long)}`;
				return `${here} ${names}${values} -d ${quote(description)}`;
			}),
		];
	});
	return `# fish: orgsync completion fish | source
function __orgsync_values
	set -l typed (commandline -opc)
	command $typed[1] __complete $argv[1] $typed[2..-1] 2>/dev/null
end
${lines.join("\n")}
`;
}

/** Returns the lines for the arguments of a command; with several, each is offered in its place only. */
function argumentLines(name: string, taken: readonly ValueSource[]): readonly string[] {
	const seen = `__fish_seen_subcommand_from ${name}`;
	const [first, ...others] = taken;
	if (first === undefined || others.length === 0) {
		return [`complete -c orgsync -n '${seen}' ${first === undefined ? "-f" : valuesOf(first, "-f", "")}`];
	}
	return taken.map((source, index) => {
		const isNext = `test (count (commandline -opc)) -eq ${index + 2}`;
		return `complete -c orgsync -n '${seen}; and ${isNext}' ${valuesOf(source, "-f", "")}`;
	});
}

/** Returns the options of `complete`. `alone` says that no files are offered. */
function valuesOf(source: ValueSource, alone: "-f" | "-x", flag: string): string {
	switch (source.from) {
		case "words":
			return `${alone} -a ${quote(source.words.join(" "))}`;
		case "documents":
			return `${alone} -a '(__orgsync_values ${source.flag ?? flag})'`;
		case "files":
			return alone === "-x" ? "-r -F" : "-F";
		case "nowhere":
			return alone;
	}
}

function quote(text: string): string {
	return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
