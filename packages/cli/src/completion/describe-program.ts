import type { Command } from 'commander'

/** A command as far as completion goes. */
export interface Described {
  /** `''` for the program, `create destination` for a command below another. */
  name: string
  description: string
  commands: { name: string; description: string }[]
  options: { flags: string[]; description: string; takesValue: boolean; choices: readonly string[] }[]
  /** What its arguments can be, where that is known. */
  choices: readonly string[]
}

/** The program and every command below it. */
export function describeProgram(program: Command): Described[] {
  return describe(program, '')
}

function describe(command: Command, name: string): Described[] {
  const below = command.commands.map((one) => ({ name: one.name(), description: one.description(), command: one }))
  const help = { flags: ['-h', '--help'], description: 'explain the command', takesValue: false, choices: [] }
  const own: Described = {
    name,
    description: command.description(),
    commands: below.map((one) => ({ name: one.name, description: one.description })),
    options: [
      ...command.options
        .filter(({ hidden }) => !hidden)
        .map(({ short, long, description, required, optional, argChoices }) => ({
          flags: [short, long].filter((flag) => flag !== undefined),
          description,
          takesValue: required || optional,
          choices: argChoices ?? [],
        })),
      help,
    ],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }
  return [own, ...below.flatMap((one) => describe(one.command, name === '' ? one.name : `${name} ${one.name}`))]
}
