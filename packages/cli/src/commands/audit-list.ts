import { type Entry, type EntryOptions, entriesOf, withFilters } from '../auditing/entries.ts'
import { type AddCommand, type FormatOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { type Column, printList } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends EntryOptions, FormatOptions {
  limit: string
}

const columns: Column<Entry>[] = [
  ['Time', ({ time }) => String(time)],
  ['Actor', ({ actor }) => actor.name ?? actor.id ?? actor.kind],
  ['Action', ({ action, outcome }) => (outcome === 'failure' ? `${action} (failed)` : action)],
  ['Resource', ({ resource }) => [resource.kind, resource.id].filter(Boolean).join(' ')],
  ['Address', ({ address }) => address],
]

export const addAuditList: AddCommand = (audit, terminal) => {
  withFilters(withFormat(withService(audit.command('list'))))
    .description('List the newest entries of the audit log.')
    .option('--limit <count>', 'entries at most', '50')
    .addHelpText('after', '\nExample:\n  mortise audit list --from 7d --action createApiKey')
    .action(async (options: Options) => {
      const limit = Number(options.limit)
      if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number from 1 on.')
      const { mortise } = await connectTo(options, terminal)
      const entries: Entry[] = []
      for await (const entry of entriesOf(mortise, options, terminal.signal)) {
        entries.push(entry)
        if (entries.length === limit) break
      }
      printList(terminal, options.format, entries, columns)
    })
}
