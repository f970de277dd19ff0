import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions

export const addDestinationEnable: AddCommand = (destination, terminal) => {
  withFormat(withService(destination.command('enable')))
    .description('Enable a disabled destination; its waiting messages are delivered.')
    .argument('<destination>', 'id or name of the destination')
    .addHelpText('after', '\nExample:\n  mortise destination enable crm-events')
    .action(async (idOrName: string, options: Options) => {
      const { signal, stderr } = terminal
      const { mortise } = await connectTo(options, terminal)
      const enabled = await mortise.enableDestination({ destination: idOrName }, { signal })
      if (options.format !== 'text') printData(terminal, options.format, enabled)
      else stderr.write(printable(`Enabled ${enabled.name}. Its waiting messages are delivered now.\n`))
    })
}
