import { type Command, Option } from 'commander'
import { asCommon } from './help.ts'
import type { ServiceOptions } from './service/settings.ts'
import { type Format, formats } from './terminal/print.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Adds one command to the program; each file of `commands/` exports one. */
export type AddCommand = (program: Command, terminal: Terminal) => void

/** Options of every command that prints data. */
export interface FormatOptions {
  format: Format
}

/** Adds `--format` and `--json`, for every command that prints data. */
export function withFormat(command: Command, choices: readonly string[] = formats): Command {
  const format = new Option('-f, --format <format>', 'output format').choices(choices).default('text')
  command.addOption(asCommon(format)).addOption(asCommon(new Option('--json', 'same as --format json')))
  return command.on('option:json', () => command.setOptionValueWithSource('format', 'json', 'cli'))
}

/** Adds `--url`, `--key` and `--project`, for every command that talks to the service. */
export function withService(command: Command): Command {
  return command
    .addOption(
      asCommon(
        new Option(
          '--url <origin>',
          'the service (MORTISE_URL; default: the last sign-in, else http://localhost:4100)',
        ),
      ),
    )
    .addOption(asCommon(new Option('-k, --key <key>', 'an API key (MORTISE_API_KEY)')))
    .addOption(
      asCommon(new Option('-p, --project <idOrName>', 'the project (MORTISE_PROJECT; default: the one signed in to)')),
    )
}

export type { Command, ServiceOptions }
