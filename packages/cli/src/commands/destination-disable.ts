import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & { reason?: string }

export const addDestinationDisable: AddCommand = (destination, terminal) => {
  withFormat(withService(destination.command('disable')))
    .description('Disable a destination; its messages wait until you enable it.')
    .argument('<destination>', 'id or name of the destination')
    .option('--reason <text>', 'why; lists and notifications show it')
    .addHelpText('after', '\nExample:\n  mortise destination disable crm-events --reason "Maintenance."')
    .action(async (idOrName: string, { reason, ...options }: Options) => {
      const { signal, stderr } = terminal
      const { mortise } = await connectTo(options, terminal)
      const body = { ...(reason !== undefined && { reason }) }
      const disabled = await mortise.disableDestination({ destination: idOrName, body }, { signal })
      if (options.format !== 'text') return printData(terminal, options.format, disabled)
      const enable = commandLine('destination', 'enable', disabled.name)
      stderr.write(printable(`Disabled ${disabled.name}. Its messages wait until you run ${enable}.\n`))
    })
}
