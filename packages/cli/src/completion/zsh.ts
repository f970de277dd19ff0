import { enterCommands, quoted, valuesOfOptions } from './bash.ts'
import type { Described } from './describe-program.ts'

/** A script that completes the program in zsh, with descriptions. */
export function zshCompletion(program: Described[]): string {
  return `#compdef mortise
# Completion of mortise for zsh: source <(mortise completion zsh), after compinit
_mortise() {
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]} command='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command $word" in
${enterCommands(program)}
    esac
  done
  case "$command:$previous" in
${valuesOfOptions(program, (choices) => (choices.length > 0 ? `compadd -- ${choices.map(quoted).join(' ')}; return` : '_files; return'))}
  esac
  if [[ $current == -* ]]; then
    case $command in
${each(program, ({ options }) => options.flatMap(({ flags, description }) => flags.map((flag) => row(flag, description))))}
    esac
    _describe option found
  else
    case $command in
${each(program, ({ commands, choices }) => [...commands.map(({ name, description }) => row(name, description)), ...choices.map((choice) => row(choice, ''))])}
    esac
    if (( $#found )); then _describe command found; else _files; fi
  fi
}
compdef _mortise mortise
`
}

function row(name: string, description: string): string {
  return quoted(description === '' ? name : `${name.replace(/:/g, '\\:')}:${description}`)
}

function each(program: Described[], rowsOf: (command: Described) => string[]): string {
  return program.map((command) => `      ${quoted(command.name)}) found=(${rowsOf(command).join(' ')}) ;;`).join('\n')
}
