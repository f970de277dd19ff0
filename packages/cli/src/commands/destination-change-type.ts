import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { givenSettings, type SettingOptions, withSettings } from './destination-values.ts'

type Options = ServiceOptions & FormatOptions & SettingOptions & { type: string }

export const addDestinationChangeType: AddCommand = (destination, terminal) => {
  withSettings(withFormat(withService(destination.command('change-type'))))
    .description('Change a destination to another type; its waiting messages go there.')
    .argument('<destination>', 'id or name of the destination')
    .argument('[endpoint]', 'URL that messages are sent to, if the type has one')
    .requiredOption('--type <type>', 'the new type, such as postgres or s3')
    .addHelpText(
      'after',
      '\nExample:\n  mortise destination change-type crm-events --type s3 --setting bucket=crm --setting region=eu-central-1 --secrets-stdin < aws.env',
    )
    .action(async (idOrName: string, endpoint: string | undefined, options: Options) => {
      const { signal, stderr } = terminal
      const { type } = options
      const { metadata, secrets = {} } = await givenSettings(type, endpoint, options, terminal)
      const { mortise } = await connectTo(options, terminal)
      const body = { updateMask: ['type', 'metadata', 'secrets'], destination: { type, metadata, secrets } }
      const changed = await mortise.updateDestination({ destination: idOrName, body }, { signal })
      if (options.format !== 'text') return printData(terminal, options.format, changed)
      stderr.write(printable(`${changed.name} sends to ${changed.endpoint} (${changed.type}) now.\n`))
    })
}
