export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Each script asks `nomos __complete`, so that sessions, agents and settings are those of this moment. */
export function completionScript(shell: Shell): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}

const BASH = `# Completion of nomos for bash: eval "$(nomos completion bash)"
_nomos() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(nomos __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o nosort -F _nomos nomos 2>/dev/null || complete -F _nomos nomos
`;

const ZSH = `#compdef nomos
# Completion of nomos for zsh: eval "$(nomos completion zsh)" after compinit
_nomos() {
  local line files=""
  local -a found
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then files=1
    else found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(nomos __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe -V nomos found
  [[ -n "$files" ]] && _files
  return 0
}
if [ "\${funcstack[1]}" = "_nomos" ]; then _nomos "$@"; else compdef _nomos nomos; fi
`;

const FISH = `# Completion of nomos for fish: nomos completion fish | source
function __nomos_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (nomos __complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c nomos -e
complete -c nomos -f -k -a '(__nomos_complete)'
`;
