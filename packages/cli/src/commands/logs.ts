import type { Item, StreamEvent } from '@mortise/client'
import { Option } from 'commander'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { type Format, printable, printData, printItem } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

const severities = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const
type Severity = (typeof severities)[number]
interface Options extends ServiceOptions, FormatOptions {
  follow?: boolean
  installation?: string
  severity?: Severity
}
/** A line of a stream, which also names the resource it belongs to. */
type Line = Item<'listOperationLogs'> & { resource?: string }

export const addLogs: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('logs')))
    .description('Show the log of an operation, or follow all operations.')
    .argument('[operation]', 'id of an operation; without it, all operations of the project (needs --follow)')
    .option('--follow', 'follow new lines until the operation ends or you press Ctrl-C')
    .option('--installation <id>', 'lines of this installation alone')
    .addOption(
      new Option(
        '--severity <severity>',
        'lines of this severity or higher; DEBUG has each page and its request (default: INFO)',
      )
        .choices(severities)
        .argParser((text) => severityOf(text)),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  mortise logs --follow --severity WARNING\n  mortise logs 0198c0de-0000-7000-8000-000000000000',
    )
    .action(async (operationId: string | undefined, options: Options) => {
      const { signal, stderr } = terminal
      const { follow, installation, severity, format } = options
      if (operationId === undefined && !follow)
        throw new UsageError('Name an operation, or follow those of the project with --follow.')
      if (operationId !== undefined && installation !== undefined)
        throw new UsageError('An operation belongs to one installation: leave out --installation.')
      const { mortise } = await connectTo(options, terminal)
      const least = severity ? { severity } : {}
      const query = { ...least, ...(installation !== undefined && { installationId: installation }) }
      if (!follow && operationId !== undefined) {
        const lines = await mortise.listOperationLogs({ operationId, query: least }, { signal })
        if (format !== 'text') return printData(terminal, format, lines)
        for (const line of lines) print(terminal, format, line)
        return
      }
      // Reports an unknown operation now, before the stream opens.
      if (operationId !== undefined) await mortise.getOperation({ operationId }, { signal })
      stderr.write('Ctrl-C ends it.\n')
      const { eventsOf } = await import('../following/events-of.ts')
      const linesOf = (stream: AsyncIterable<StreamEvent>, until: AbortSignal) =>
        eventsOf<Line & { id: string }>(stream, 'log', until)
      if (operationId === undefined) {
        const stream = mortise.follow('streamLogs', { query }, { signal })
        for await (const { data } of linesOf(stream, signal)) print(terminal, format, data)
        return
      }
      const { flush } = await import('../following/flush.ts')
      const { waitUntil } = await import('../following/wait-until.ts')
      const lines = flush(
        (until) => linesOf(mortise.follow('streamOperationLogs', { operationId, query }, { signal: until }), until),
        async (until) => {
          const ask = () => mortise.getOperation({ operationId }, { signal: until })
          await waitUntil(ask, ({ status }) => status !== 'in_progress', until)
          // Its last line was written together with its end.
          return (await mortise.listOperationLogs({ operationId, query: least }, { signal: until })).length
        },
        signal,
      )
      for await (const { data } of lines) print(terminal, format, data)
    })
}

function severityOf(text: string): Severity {
  const found = severities.find((severity) => severity === text.toUpperCase())
  if (!found) throw new UsageError(`“${text}” is not a severity. Use ${severities.join(', ')}.`)
  return found
}

function print(terminal: Terminal, format: Format, line: Line): void {
  if (format !== 'text') {
    printItem(terminal, format, line)
    return
  }
  const { dim, red, yellow } = terminal.out
  const { msg, error, details } = line.message
  const colour = { ERROR: red, WARNING: yellow, INFO: String, DEBUG: dim }[line.severity]
  const more = Object.entries((details ?? {}) as Record<string, string>).map(([name, value]) => `${name}=${value}`)
  const text = [line.resource && `[${line.resource}]`, msg, error, ...more].filter(Boolean).join(' ')
  // One line each, whatever a provider has answered.
  const shown = printable(text).replaceAll('\n', '\\n')
  terminal.stdout.write(`${dim(String(line.timestamp))} ${colour(line.severity.padEnd(7))} ${shown}\n`)
}
