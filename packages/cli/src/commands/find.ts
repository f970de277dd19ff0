import type { Item } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { type Column, printData, printList } from '../terminal/print.ts'

type Found = Item<'searchProject'>

const columns: Column<Found>[] = [
  ['Kind', ({ kind }) => kind],
  ['Id', ({ id }) => id],
  ['Name', ({ name }) => name],
  [
    'Belongs to',
    ({ installationId, integrationId, groupRef, destinationId }) =>
      installationId ?? destinationId ?? groupRef ?? integrationId,
  ],
]

export const addFind: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('find')))
    .description('Find resources of a project by id or name.')
    .argument('<text>', 'an id, or a part of a name or ref, in any case')
    .addHelpText('after', '\nExamples:\n  mortise find acme\n  mortise find 0198c0de-0000-7000-8000-000000000000')
    .action(async (text: string, options: ServiceOptions & FormatOptions) => {
      const { mortise } = await connectTo(options, terminal)
      const { results } = await mortise.searchProject({ query: { query: text } }, { signal: terminal.signal })
      if (options.format !== 'text') return printData(terminal, options.format, results)
      if (results.length === 0) terminal.stderr.write('Nothing found.\n')
      else printList(terminal, options.format, results, columns)
    })
}
