/** `completion`: a shell script, made from the table of commands. */
import { ConfigurationError, exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { type CompletionResult, resultHead } from "../../render/result.ts";

/** A command and its long flags, with their dashes. */
export interface Words {
	readonly name: string;
	readonly summary: string;
	readonly flags: readonly string[];
	/** The values of flags that have a fixed list of them. */
	readonly choices: readonly (readonly [flag: string, values: readonly string[]])[];
}

const shells: Readonly<Record<string, (commands: readonly Words[]) => string>> = { bash, zsh, fish };

/** Returns the script for bash, zsh or fish. */
export function completion(shell: string, commands: readonly Words[]): CompletionResult {
	const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
	if (write === undefined) {
		throw new ConfigurationError(`there is no completion for ${showText(shell)}`, {
			hint: `there is for ${Object.keys(shells).join(", ")}`,
		});
	}
	return { ...resultHead("completion", exitCodes.inSync, null), script: write(commands) };
}

function bash(commands: readonly Words[]): string {
	const cases = commands.map(({ name, flags }) => `\t\t${name}) words="${flags.join(" ")}" ;;`).join("\n");
	const values = commands
		.flatMap(({ name, choices }) => choices.map(([flag, all]) => `\t\t"${name} ${flag}") words="${all.join(" ")}" ;;`))
		.join("\n");
	return `# bash: source <(orgsync completion bash)
_orgsync() {
	local word="\${COMP_WORDS[COMP_CWORD]}" words=""
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="${commands.map(({ name }) => name).join(" ")}"
	else
		case "\${COMP_WORDS[1]}" in
${cases}
		esac
		case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${values}
		esac
	fi
	COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _orgsync orgsync
`;
}

function zsh(commands: readonly Words[]): string {
	return `# zsh: source <(orgsync completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: readonly Words[]): string {
	const lines = commands.flatMap(({ name, summary, flags, choices }) => [
		`complete -c orgsync -n __fish_use_subcommand -f -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
		...flags.map((flag) => `complete -c orgsync -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
		...choices.map(
			([flag, all]) =>
				`complete -c orgsync -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)} -x -a '${all.join(" ")}'`,
		),
	]);
	return `# fish: orgsync completion fish | source\n${lines.join("\n")}\n`;
}
