import type { Input, Item } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { parseTime } from '../parse-time.ts'
import { defined, timeText } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { type Column, printList } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends FormatOptions, ServiceOptions {
  group?: string
  installation?: string
  connection?: string
  kind?: string
  since?: string
  until?: string
  limit: string
}

type Entry = Item<'listTimeline'>
type Query = NonNullable<Input<'listTimeline'>['query']>

const columns: Column<Entry>[] = [
  ['Time', ({ time }) => timeText(time)],
  ['Kind', ({ kind }) => kind],
  ['Object', ({ objectName }) => objectName],
  ['Status', ({ status }) => status],
  ['What happened', ({ title }) => title],
  ['Actor', ({ actor }) => actor?.name ?? actor?.id ?? actor?.kind],
]

export const addTimeline: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('timeline')))
    .description('List what happened to a group, an installation or a connection.')
    .option('--group <ref>', 'of this group')
    .option('--installation <id>', 'of this installation and its connection')
    .option('--connection <id>', 'of this connection and its installations')
    .option('--kind <kind>', 'only entries of a kind, such as reads.paused, or operation for all operations')
    .option('--since <time>', 'from this time on: RFC 3339, or 2h for two hours ago')
    .option('--until <time>', 'before this time')
    .option('--limit <count>', 'entries at most', '50')
    .addHelpText('after', '\nExample:\n  mortise timeline --group acme --since 2d')
    .action(async (options: Options) => {
      const limit = Number(options.limit)
      if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number from 1 on.')
      const { group, installation, connection, kind, since, until } = options
      if ([group, installation, connection].filter((name) => name !== undefined).length !== 1)
        throw new UsageError('Name one of --group, --installation and --connection.')
      const { mortise } = await connectTo(options, terminal)
      const query = defined({
        groupRef: group,
        installationId: installation,
        connectionId: connection,
        // The service reports a value that is none of these.
        kind: kind as Query['kind'],
        startTime: since === undefined ? undefined : parseTime(since),
        endTime: until === undefined ? undefined : parseTime(until),
      })
      const entries: Entry[] = []
      for await (const entry of mortise.each('listTimeline', { query }, { signal: terminal.signal })) {
        entries.push(entry)
        if (entries.length === limit) break
      }
      printList(terminal, options.format, entries, columns)
    })
}
