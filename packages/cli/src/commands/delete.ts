import { type AddCommand, type ServiceOptions, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { filtersFor, resourceArgument, withFilters } from '../resources/choose-resource.ts'
import type { Resource, ResourceCall } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { printable } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & ResourceCall['options'] & { yes?: boolean }

export const addDelete: AddCommand = (program, terminal) => {
  const command = program
    .command('delete')
    .description('Delete a resource and everything that belongs to it.')
    .addArgument(resourceArgument('delete'))
    .argument('<id>', 'its id, name, ref or email address')
  withService(withFilters(command, 'delete'))
    .option('-y, --yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExample:\n  mortise delete destination crm-events --yes')
    .action(async (chosen: Resource, id: string, { yes = false, ...options }: Options) => {
      const { signal, stderr, interactive, ask } = terminal
      if (chosen.delete === undefined) throw new UsageError(`${chosen.name} cannot be deleted.`)
      const filters = filtersFor(chosen, 'delete', options)
      const { mortise, settings } = await connectTo(options, terminal)
      const what = printable(`${chosen.one} ${id} of the project ${settings.project} at ${settings.url}`)
      if (!yes && !interactive)
        throw new UsageError(`This is not a terminal, so nobody can confirm. To delete the ${what}, add --yes.`)
      if (!yes && !(await ask.confirm(`Delete the ${what}?`, { initial: false }))) {
        stderr.write('Nothing was deleted.\n')
        throw new Exit(exitCodes.cancelled)
      }
      await chosen.delete.run({ mortise, signal, options: filters }, id)
      stderr.write(`Deleted the ${what}.\n`)
    })
}
