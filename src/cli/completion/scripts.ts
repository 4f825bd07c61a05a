/** The shells that completion is for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** What makes a shell ask this program for completions. The library's own scripts run what comes back as code of the shell. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# mastra-lease: completion for bash. In ~/.bashrc: eval "$(mastra-lease completion bash)"
_mastra_lease() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :4) ;;
      :*) compopt -o default 2>/dev/null ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(mastra-lease completion bash -- "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[=:/] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _mastra_lease mastra-lease
`,
  zsh: `#compdef mastra-lease
# mastra-lease: completion for zsh. In ~/.zshrc, after compinit: eval "$(mastra-lease completion zsh)"
_mastra-lease() {
  local line value
  local -a given values shown open opened
  given=("\${(@Q)words[2,CURRENT-1]}")
  if [[ $PREFIX == --*=* ]] && compset -P 1 '*='; then given+=("\${IPREFIX%=}"); fi
  while IFS= read -r line; do
    case $line in
      :4) continue ;;
      :*) _files; continue ;;
    esac
    value=\${line%%$'\\t'*}
    if [[ $value == *[=:/] ]]; then
      open+=("$value") opened+=("$value  \${line#*$'\\t'}")
    else
      values+=("$value") shown+=("$value  \${line#*$'\\t'}")
    fi
  done < <(mastra-lease completion zsh -- "\${given[@]}" "$PREFIX" 2>/dev/null)
  compadd -l -d shown -a values
  compadd -l -S '' -d opened -a open
}
if [[ $funcstack[1] == _mastra-lease ]]; then _mastra-lease; else compdef _mastra-lease mastra-lease; fi
`,
  fish: `# mastra-lease: completion for fish. In ~/.config/fish/config.fish: mastra-lease completion fish | source
function __mastra_lease
    set -l token (commandline -ct)
    for line in (mastra-lease completion fish -- (commandline -opc)[2..-1] "$token" 2>/dev/null)
        switch $line
            case ':4'
            case ':*'
                __fish_complete_path "$token"
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c mastra-lease -f -a '(__mastra_lease)'
`,
};
