import type { ScriptCommand, ValueSource } from "../../flags/completed-words.ts";

/** Returns the script for zsh. It can be sourced, or be the file `_orgsync` in a folder of `fpath`. */
export function zshScript(commands: readonly ScriptCommand[]): string {
	return `# zsh: source <(orgsync completion zsh)
_orgsync() {
	local command="\${words[2]}" flag="\${words[CURRENT - 1]}" from=""
	local -a values described
	if [[ "\${words[CURRENT]}" == --*=* ]]; then
		flag="\${words[CURRENT]%%=*}"
		compset -P '*='
	fi
	if ((CURRENT == 2)); then
		described=(${commands.map(({ name, summary }) => quote(`${name}:${escapeColons(summary)}`)).join(" ")})
		_describe command described
		return
	fi
	case "$command $flag" in
${casesOf(commands)}
	esac
	if [[ -z "$from" && "\${words[CURRENT]}" != -* ]]; then
		case "$command $((CURRENT - 2))" in
${commands.flatMap((one) => one.arguments.map((source, index) => `\t\t\t(${quote(`${one.name} ${index + 1}`)}) ${assign(source)} ;;`)).join("\n")}
		esac
	fi
	case "$from" in
		files) _files ;;
		nowhere) ;;
		words) compadd -a values ;;
		open) compadd -S '' -a values ;;
		documents)
			values=("\${(@f)$("\${(Q)words[1]}" __complete "$flag" "\${(@Q)words[2, CURRENT - 1]}" 2>/dev/null)}")
			compadd -a values
			;;
		*)
			case "$command" in
${commands.map(({ name, flags }) => `\t\t\t\t${name}) described=(${flags.map(({ long, description }) => quote(`${long}:${escapeColons(description)}`)).join(" ")}) ;;`).join("\n")}
			esac
			_describe -o option described
			;;
	esac
}
if [[ "\${funcstack[1]}" == _orgsync ]]; then
	_orgsync "$@"
else
	((\${+functions[compdef]})) || { autoload -Uz compinit && compinit }
	compdef _orgsync orgsync
fi
`;
}

/** Returns one case for all flags with the same values. */
function casesOf(commands: readonly ScriptCommand[]): string {
	const all = commands.flatMap(({ name, flags }) =>
		flags.flatMap(({ long, short, source }) =>
			source === undefined
				? []
				: [long, ...(short === undefined ? [] : [short])].map((flag) => ({
						pattern: quote(`${name} ${flag}`),
						source,
					})),
		),
	);
	const groups = Map.groupBy(all, ({ source }) => assign(source));
	return [...groups]
		.map(([assignment, flags]) => `\t\t(${flags.map(({ pattern }) => pattern).join("|")}) ${assignment} ;;`)
		.join("\n");
}

function assign(source: ValueSource): string {
	if (source.from === "documents" && source.flag !== undefined) return `from=documents flag=${source.flag}`;
	if (source.from !== "words") return `from=${source.from}`;
	// A value such as policies= goes on behind its sign.
	const from = source.words.every((word) => word.endsWith("=")) ? "open" : "words";
	return `from=${from} values=(${source.words.map(quote).join(" ")})`;
}

function quote(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Escapes what divides a word from its description. */
function escapeColons(text: string): string {
	return text.replaceAll(":", "\\:");
}
