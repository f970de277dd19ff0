import { type Command, Option } from 'commander'
import type { ServiceOptions } from './service/settings.ts'
import { type Format, formats } from './terminal/print.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Adds one command to the program; each file of `commands/` exports one. */
export type AddCommand = (program: Command, terminal: Terminal) => void

/** Options of every command that prints data. */
export interface FormatOptions {
  format: Format
}

/** `--format`, for every command that prints data. */
export function withFormat(command: Command): Command {
  return command.addOption(new Option('-f, --format <format>', 'how to print').choices(formats).default('text'))
}

/** `--url`, `--key` and `--project`, for every command that talks to the service. */
export function withService(command: Command): Command {
  return command
    .option('--url <origin>', 'the service (MORTISE_URL; default: the last sign-in, else http://localhost:4100)')
    .option('-k, --key <key>', 'an API key (MORTISE_API_KEY)')
    .option('-p, --project <idOrName>', 'the project (MORTISE_PROJECT; default: default)')
}

export type { Command, ServiceOptions }
