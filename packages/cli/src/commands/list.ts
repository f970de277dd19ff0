import { InvalidArgumentError } from 'commander'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { filtersFor, resourceArgument, withFilters } from '../resources/choose-resource.ts'
import type { Resource, ResourceCall } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { printList } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & FormatOptions & ResourceCall['options'] & { limit: number }

const limitDefault = 1_000

export const addList: AddCommand = (program, terminal) => {
  const command = program
    .command('list')
    .description('List the resources of a project.')
    .addArgument(resourceArgument('list'))
  withFormat(withService(withFilters(command, 'list')))
    .option('--limit <count>', 'maximum number of rows; 0 for all', limitOf, limitDefault)
    .addHelpText(
      'after',
      '\nExamples:\n  mortise list destinations\n  mortise list messages --destination crm-events --state failed --since 2h',
    )
    .action(async (chosen: Resource, options: Options) => {
      const { signal } = terminal
      const { list } = chosen
      if (list === undefined) throw new UsageError(`${chosen.name} cannot be listed.`)
      const filters = filtersFor(chosen, 'list', options)
      const { mortise } = await connectTo(options, terminal)
      const rows: unknown[] = []
      let more = false
      for await (const row of list.rows({ mortise, signal, options: filters })) {
        more = options.limit > 0 && rows.length === options.limit
        if (more) break
        rows.push(row)
      }
      printList(terminal, options.format, rows, chosen.columns)
      if (more) terminal.stderr.write(`There are more; --limit 0 lists all.\n`)
    })
}

function limitOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write a number; 0 for all.')
  return Number(text)
}
