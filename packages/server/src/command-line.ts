import { parseArgs } from 'node:util'

/** What the arguments of the service ask for. */
export type CommandLine = { show: string; exitCode: 0 | 2 } | { newKey: boolean }

const usage = `Usage: npm start [-- OPTIONS]

Starts the Mortise service. Without settings, it listens on http://localhost:4100 and runs an embedded PostgreSQL.

Options:
  --new-key    create another API key for the project default, and print it
  -h, --help   print this help, and exit

Settings are environment variables, such as PORT, DATABASE_URL and MORTISE_DATA_DIR. docs/settings.md lists them all.
`

/**
 * Reads the arguments of the service.
 *
 * @returns the options, or the text to print before the process exits: the help (0), or what is wrong with the
 *   arguments (2)
 */
export function readCommandLine(args: string[]): CommandLine {
  try {
    const { values } = parseArgs({
      args,
      options: { 'new-key': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) return { show: usage, exitCode: 0 }
    return { newKey: values['new-key'] ?? false }
  } catch (error) {
    return { show: `${(error as Error).message}\n\n${usage}`, exitCode: 2 }
  }
}
