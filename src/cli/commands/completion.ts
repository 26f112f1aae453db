/** `completion`: a shell script that asks the orgsync that is installed what fits (`orgsync __complete`, complete.ts). */
import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { type CompletionResult, resultHead } from "../../render/result/result.ts";

/** For bash 3.2 and later. It splits the line itself, because bash splits words at `:` and `=`. */
const bash = `# bash: source <(orgsync completion bash)
_orgsync() {
	local line="\${COMP_LINE:0:COMP_POINT}" cur before found value quoted
	local -a typed
	read -ra typed <<<"$line"
	[[ $line == *[[:space:]] ]] && typed+=("")
	cur="\${typed[\${#typed[@]} - 1]}"
	found="$("\${typed[0]}" __complete "\${typed[@]:1}" 2>/dev/null)"
	COMPREPLY=()
	if [[ $found == :files ]]; then
		compopt -o default 2>/dev/null
		return
	fi
	[[ $cur == --*=* ]] && cur="\${cur#*=}"
	# bash replaces what follows the last colon of the word.
	before="\${cur%"\${cur##*:}"}"
	[[ $COMP_WORDBREAKS == *:* ]] || before=""
	while IFS=$'\\t' read -r value _; do
		[[ -n $value && $value == "$cur"* ]] || continue
		# A shell would run some names of documents.
		printf -v quoted %q "\${value#"$before"}"
		COMPREPLY+=("$quoted")
	done <<<"$found"
	[[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _orgsync orgsync
`;

/** It can be sourced, or be the file `_orgsync` in a folder of `fpath`. */
const zsh = `# zsh: source <(orgsync completion zsh)
_orgsync() {
	local one
	local -a found values open described
	found=("\${(@f)$("\${(Q)words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ "\${words[CURRENT]}" == --*=* ]]; then
		compset -P '*='
	fi
	if [[ "\${found[1]}" == :files ]]; then
		_files
		return
	fi
	for one in "\${found[@]}"; do
		case "$one" in
			"") ;;
			*$'\\t'*) described+=("\${\${one%%$'\\t'*}//:/\\\\:}:\${\${one#*$'\\t'}//:/\\\\:}") ;;
			*=) open+=("$one") ;;
			*) values+=("$one") ;;
		esac
	done
	((\${#described})) && _describe -o orgsync described
	((\${#values})) && compadd -a values
	((\${#open})) && compadd -S '' -a open
	return 0
}
if [[ "\${funcstack[1]}" == _orgsync ]]; then
	_orgsync "$@"
else
	((\${+functions[compdef]})) || { autoload -Uz compinit && compinit }
	compdef _orgsync orgsync
fi
`;

const fish = `# fish: orgsync completion fish | source
function __orgsync_complete
	set -l typed (commandline -opc)
	set -l word (commandline -ct)
	set -l flag (string match -r -- '^--[a-z-]+=' "$word")
	set -l found (command $typed[1] __complete $typed[2..-1] "$word" 2>/dev/null)
	if test "$found" = :files
		set found (__fish_complete_path (string replace -- "$flag" "" "$word"))
	end
	for one in $found
		printf '%s\\n' "$flag$one"
	end
end
complete -c orgsync -f -a '(__orgsync_complete)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

export const shells = Object.keys(scripts);

/** Returns the script for bash, zsh or fish. Throws ConfigurationError for another shell. */
export function completion(shell: string): CompletionResult {
	const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
	if (script !== undefined) return { ...resultHead("completion", exitCodes.inSync, null), script };
	throw new ConfigurationError(`there is no completion for ${showText(shell)}`, {
		hint: `there is for ${shells.join(", ")}`,
	});
}
