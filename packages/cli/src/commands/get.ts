import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { filtersFor, resourceArgument, withFilters } from '../resources/choose-resource.ts'
import type { Resource, ResourceCall } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & FormatOptions & ResourceCall['options'] & { secrets?: boolean }

export const addGet: AddCommand = (program, terminal) => {
  const command = program
    .command('get')
    .description('Show one resource with all its fields.')
    .addArgument(resourceArgument('get'))
    .argument('<id>', 'its id, name or ref')
  withFormat(withService(withFilters(command, 'get')))
    .option('--secrets', 'show the signing secret of a destination, or an API key itself')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise get destination crm-events\n  mortise get message 0198c0de-0000-7000-8000-000000000000 --format json',
    )
    .action(async (chosen: Resource, id: string, { secrets = false, ...options }: Options) => {
      const { get, name } = chosen
      if (get === undefined) throw new UsageError(`${name} can only be listed.`)
      const filters = filtersFor(chosen, 'get', options)
      if (secrets && !get.secrets) throw new UsageError(`There is nothing secret about ${name}: leave out --secrets.`)
      const { mortise } = await connectTo(options, terminal)
      const found = await get.read({ mortise, signal: terminal.signal, options: filters, secrets }, id)
      printData(terminal, options.format, found)
    })
}
