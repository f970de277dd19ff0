import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions

export const addDestinationSetGroup: AddCommand = (destination, terminal) => {
  withFormat(withService(destination.command('set-group')))
    .description('Set the destination of a group, in a destination of type by-group.')
    .argument('<destination>', 'id or name of the destination of type by-group')
    .argument('<group>', 'your ref of the group')
    .argument('<target>', 'id or name of the destination that gets the messages of the group')
    .addHelpText('after', '\nExample:\n  mortise destination set-group crm-customers acme acme-hook')
    .action(async (idOrName: string, groupRef: string, target: string, options: Options) => {
      const { signal, stderr } = terminal
      const { mortise } = await connectTo(options, terminal)
      const body = { destination: target }
      const set = await mortise.setDestinationGroup({ destination: idOrName, groupRef, body }, { signal })
      if (options.format !== 'text') return printData(terminal, options.format, set)
      stderr.write(printable(`Messages of ${set.groupRef} go to ${set.destinationName} from now on.\n`))
    })
}
