import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { type AppOptions, askForParams, partsOf, readSecret, withApp } from '../provider-app/app-options.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & FormatOptions & AppOptions

export const addCreateProviderApp: AddCommand = (create, terminal) => {
  withFormat(withService(withApp(create.command('provider-app'))))
    .description('Create a provider app: the OAuth app that you registered at a provider.')
    .argument('<provider>', 'name of the provider')
    .addHelpText(
      'after',
      '\nThe client secret is typed unseen, or comes from standard input with --secret-stdin.\n\n' +
        'Example:\n  echo "$SECRET" | mortise create provider-app hubspot --client-id abc --secret-stdin --scope crm.objects.contacts.read',
    )
    .action(async (provider: string, options: Options) => {
      const { clientId, ...parts } = partsOf(options)
      if (clientId === undefined) throw new UsageError('The client id is missing. Add --client-id ID.')
      const clientSecret = await readSecret(options, terminal)
      const { mortise } = await connectTo(options, terminal)
      const params = await askForParams(mortise, provider, parts, terminal)
      const body = { provider, clientId, clientSecret, ...parts, ...params }
      const app = await mortise.createProviderApp({ body }, { signal: terminal.signal })
      printData(terminal, options.format, app)
    })
}
