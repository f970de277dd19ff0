import { collect } from '../collect.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  group: string
  where: string[]
}

export const addSearch: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('search')))
    .description('Search records of a group at its provider.')
    .argument('<integration>', 'id or name of the integration')
    .argument('<object>', 'name of the object, mapped or as the provider has it')
    .requiredOption('--group <ref>', 'your ref of the group')
    .option(
      '--where <field=value>',
      'a field and its value: email=ada@acme.example, or score:=5; can be repeated',
      collect,
      [],
    )
    .addHelpText('after', '\nExample:\n  mortise search crm contacts --group acme --where email=ada@acme.example')
    .action(async (integrationId: string, objectName: string, options: Options) => {
      const { signal } = terminal
      const { filtersOf, recordsText } = await import('../searching/index.ts')
      if (options.where.length === 0)
        throw new UsageError('Name what to search for: add --where email=ada@acme.example.')
      const body = { objectName, fieldFilters: filtersOf(options.where) }
      const { mortise } = await connectTo(options, terminal)
      const { results } = await mortise.searchRecords(
        { integrationId, query: { groupRef: options.group }, body },
        { signal },
      )
      if (options.format !== 'text') return printData(terminal, options.format, results)
      if (results.length === 0) terminal.stderr.write('No records found.\n')
      else terminal.stdout.write(recordsText(results, terminal.out))
    })
}
