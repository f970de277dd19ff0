import type { Argument, Command, HelpConfiguration, Option } from 'commander'
import type { Terminal } from './terminal/terminal.ts'

/** How help looks: names alone in the list of commands, choices without quotes, headings and terms in color. */
export function helpStyle({ out }: Pick<Terminal, 'out'>): HelpConfiguration {
  return {
    subcommandTerm: (command) => command.name(),
    subcommandDescription: (command) => withoutPeriod(command.summary() || command.description()),
    optionDescription,
    argumentDescription,
    styleTitle: (text) => out.bold(text),
    styleOptionTerm: (text) => out.cyan(text),
    styleArgumentTerm: (text) => out.cyan(text),
    styleSubcommandTerm: (text) => out.cyan(text),
  }
}

/** Puts the options that many commands share under a separate heading, below those of the command. */
export function asCommon(option: Option): Option {
  return option.helpGroup('Common options:')
}

/** What people look for below a command, and where it is. */
const elsewhere: Record<string, string> = {
  'mortise provider':
    'The catalog is elsewhere: `mortise list providers` shows it, `mortise get provider hubspot` one of them.\n',
  'mortise destination':
    'To create, list or delete destinations, use mortise create, mortise list and mortise delete.\n',
}

/** Sets the line below an error about the command line, for this command and all below it. */
export function pointToHelp(command: Command, name = command.name()): void {
  command.showHelpAfterError(`${elsewhere[name] ?? ''}Run \`${name} --help\` for its options and examples.`)
  for (const below of command.commands) pointToHelp(below, `${name} ${below.name()}`)
}

function optionDescription({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  const initial = defaultValueDescription ?? (isShown ? String(defaultValue) : undefined)
  return described(description, [argChoices?.join(', '), initial === undefined ? undefined : `default: ${initial}`])
}

function argumentDescription({ description, argChoices }: Argument): string {
  return described(description, [argChoices?.join(', ')])
}

function described(description: string, notes: (string | undefined)[]): string {
  const shown = notes.filter((note) => note !== undefined)
  return shown.length === 0 ? description : `${description} (${shown.join('; ')})`
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '')
}
