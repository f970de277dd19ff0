import { type EntryOptions, entriesOf, withFilters } from '../auditing/entries.ts'
import { type AddCommand, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printItem } from '../terminal/print.ts'

export const addAuditExport: AddCommand = (audit, terminal) => {
  withFilters(withService(audit.command('export')))
    .description('Print all entries of the audit log as lines of JSON, newest first.')
    .addHelpText('after', '\nExample:\n  mortise audit export --from 2026-01-01 > audit.jsonl')
    .action(async (options: EntryOptions) => {
      const { mortise } = await connectTo(options, terminal)
      for await (const entry of entriesOf(mortise, options, terminal.signal)) printItem(terminal, 'json', entry)
    })
}
