import type { Described } from './describe-program.ts'

/** A script that completes the program in bash; without a choice of ours, bash completes files. */
export function bashCompletion(program: Described[]): string {
  return `# Completion of mortise for bash: source <(mortise completion bash)
_mortise() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
${enterCommands(program)}
    esac
  done
  COMPREPLY=()
  case "$command:$previous" in
${valuesOfOptions(program, (choices) => (choices.length > 0 ? `words=${quoted(choices.join(' '))}` : 'return'))}
    *)
      if [[ $current == -* ]]; then
        case $command in
${each(program, ({ options }) => options.flatMap(({ flags }) => flags))}
        esac
      else
        case $command in
${each(program, ({ commands, choices }) => [...commands.map(({ name }) => name), ...choices])}
        esac
      fi
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _mortise mortise
`
}

/** Rows of a \`case\` that follow the words of a command line from command to command. */
export function enterCommands(program: Described[]): string {
  return program
    .flatMap(({ name, commands }) =>
      commands.map((below) => {
        const fullName = name === '' ? below.name : `${name} ${below.name}`
        return `      ${quoted(`${name} ${below.name}`)}) command=${quoted(fullName)} ;;`
      }),
    )
    .join('\n')
}

/** Rows of a \`case\` of \`command:option\` for options that take a value. */
export function valuesOfOptions(program: Described[], then: (choices: readonly string[]) => string): string {
  return program
    .flatMap(({ name, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ flags, choices }) => {
          const patterns = flags.map((flag) => quoted(`${name}:${flag}`)).join(' | ')
          return `    ${patterns}) ${then(choices)} ;;`
        }),
    )
    .join('\n')
}

/** Text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replace(/'/g, "'\\''")}'`
}

function each(program: Described[], wordsOf: (command: Described) => readonly string[]): string {
  return program
    .map((command) => `          ${quoted(command.name)}) words=${quoted(wordsOf(command).join(' '))} ;;`)
    .join('\n')
}
