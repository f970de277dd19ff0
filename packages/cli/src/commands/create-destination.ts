import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { givenSettings, type SettingOptions, withSettings } from './destination-values.ts'

type Options = ServiceOptions & FormatOptions & SettingOptions & { type: string }

export const addCreateDestination: AddCommand = (create, terminal) => {
  withSettings(withFormat(withService(create.command('destination'))))
    .description('Create a destination, and show the secret that signs its messages.')
    .argument('<name>', 'letters, digits and dashes; manifests use it')
    .argument('[endpoint]', 'URL that messages are sent to, if the type has one')
    .option('--type <type>', 'what messages are sent to, such as postgres, mysql or s3', 'webhook')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise create destination crm-events https://example.com/webhooks\n' +
        '  mortise create destination crm-bucket --type s3 --setting bucket=crm --setting region=eu-central-1 --secrets-stdin < aws.env',
    )
    .action(async (name: string, endpoint: string | undefined, options: Options) => {
      const { signal } = terminal
      const { type } = options
      const { metadata, secrets } = await givenSettings(type, endpoint, options, terminal)
      const { mortise } = await connectTo(options, terminal)
      const { id } = await mortise.createDestination(
        { body: { name, type, metadata, ...(secrets && { secrets }) } },
        { signal },
      )
      const made = await mortise.getDestination({ destination: id, query: { includeSecrets: true } }, { signal })
      printData(terminal, options.format, made)
    })
}
