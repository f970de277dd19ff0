import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions

export const addDestinationSetConnection: AddCommand = (destination, terminal) => {
  withFormat(withService(destination.command('set-connection')))
    .description('Set the destination of a connection, in a destination of type by-group.')
    .argument('<destination>', 'id or name of the destination of type by-group')
    .argument('<connection>', 'id of the connection')
    .argument('<target>', 'id or name of the destination that gets the messages of the connection')
    .addHelpText(
      'after',
      '\nExample:\n  mortise destination set-connection crm-customers 0198f2c4-5b1a-7c3e-9d2f-6a7b8c9d0e1f acme-sales-hook',
    )
    .action(async (idOrName: string, connectionId: string, target: string, options: Options) => {
      const { signal, stderr } = terminal
      const { mortise } = await connectTo(options, terminal)
      const input = { destination: idOrName, connectionId, body: { destination: target } }
      const set = await mortise.setDestinationConnection(input, { signal })
      if (options.format !== 'text') return printData(terminal, options.format, set)
      const connection = `the connection of ${set.groupRef} to ${set.provider}`
      stderr.write(printable(`Messages of ${connection} go to ${set.destinationName} from now on.\n`))
    })
}
