import type { Described } from './describe-program.ts'

/** A script that completes the program in fish, with descriptions. */
export function fishCompletion(program: Described[]): string {
  const lines = program.flatMap((command) => {
    const here = `complete -c mortise -n ${quoted(conditionOf(command))}`
    return [
      ...command.commands.map(({ name, description }) => `${here} -f -a ${quoted(name)} -d ${quoted(description)}`),
      ...command.choices.map((choice) => `${here} -f -a ${quoted(choice)}`),
      ...command.options.map(({ flags, description, takesValue, choices }) => {
        const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : ''
        return `${here} ${names.join(' ')} -d ${quoted(description)}${value}`
      }),
    ]
  })
  return `# Completion of mortise for fish: mortise completion fish | source\n${lines.join('\n')}\n`
}

/** Holds where the words so far have led to the command, and not to one below it. */
function conditionOf({ name, commands }: Described): string {
  const seen = name === '' ? [] : name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
  const below = commands.map((command) => command.name)
  return [...seen, ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : [])].join('; and ')
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
