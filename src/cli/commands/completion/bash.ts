import type { ScriptCommand, ValueSource } from "../../flags/completed-words.ts";

/**
 * Returns the script for bash 3.2 and later. It splits the line itself, because bash splits words at `:` and `=`. Names of
 * documents are quoted: a shell would run some of them.
 */
export function bashScript(commands: readonly ScriptCommand[]): string {
	return `# bash: source <(orgsync completion bash)
_orgsync() {
	local line="\${COMP_LINE:0:COMP_POINT}" cur="" words="" from="words" value quoted
	local -a typed
	read -ra typed <<<"$line"
	local count=\${#typed[@]}
	if [[ $line != *[[:space:]] ]]; then
		count=$((count - 1))
		cur="\${typed[count]}"
	fi
	local command="\${typed[1]}" flag="\${typed[count - 1]}"
	if [[ $cur == --*=* ]]; then
		flag="\${cur%%=*}"
		cur="\${cur#*=}"
	fi
	COMPREPLY=()
	if ((count < 2)); then
		words="${commands.map(({ name }) => name).join(" ")}"
	else
		case "$command $flag" in
${casesOf(commands)}
			*) from="" ;;
		esac
	fi
	if [[ -z $from ]]; then
		from="words"
		case "$command" in
${commands.map(({ name, flags }) => `\t\t\t${name}) words="${flags.map(({ long }) => long).join(" ")}" ;;`).join("\n")}
		esac
		if [[ $cur != -* ]]; then
			case "$command $((count - 1))" in
${commands.flatMap((one) => one.arguments.map((source, index) => `\t\t\t\t"${one.name} ${index + 1}") ${assign(source)} ;;`)).join("\n")}
			esac
		fi
	fi
	case "$from" in
		files)
			compopt -o default 2>/dev/null
			return
			;;
		documents) words="$("\${typed[0]}" __complete "$flag" "\${typed[@]:1:count-1}" 2>/dev/null)" ;;
		words) words="\${words// /$'\\n'}" ;;
	esac
	# bash replaces what follows the last colon of the word.
	local before="\${cur%"\${cur##*:}"}"
	[[ $COMP_WORDBREAKS == *:* ]] || before=""
	while IFS= read -r value; do
		[[ -n $value && $value == "$cur"* ]] || continue
		printf -v quoted %q "\${value#"$before"}"
		[[ $from == documents ]] || quoted="\${value#"$before"}"
		COMPREPLY+=("$quoted")
	done <<<"$words"
	[[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _orgsync orgsync
`;
}

/** Returns one case for all flags with the same values. */
function casesOf(commands: readonly ScriptCommand[]): string {
	const all = commands.flatMap(({ name, flags }) =>
		flags.flatMap(({ long, short, source }) =>
			source === undefined
				? []
				: [long, ...(short === undefined ? [] : [short])].map((flag) => ({ pattern: `"${name} ${flag}"`, source })),
		),
	);
	const groups = Map.groupBy(all, ({ source }) => assign(source));
	return [...groups]
		.map(([assignment, flags]) => `\t\t\t${flags.map(({ pattern }) => pattern).join(" | ")}) ${assignment} ;;`)
		.join("\n");
}

function assign(source: ValueSource): string {
	if (source.from === "words") return `words="${source.words.join(" ")}" from="words"`;
	const flag = source.from === "documents" && source.flag !== undefined ? ` flag="${source.flag}"` : "";
	return `from="${source.from}"${flag}`;
}
