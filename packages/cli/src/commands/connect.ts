import type { Input, Output } from '@mortise/client'
import { Option } from 'commander'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import type { Scheme } from '../connecting/credential-fields.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectTo } from '../service/connect.ts'
import { several } from '../several.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  provider: string
  group: string
  consumer: string
  groupName?: string
  consumerName?: string
  scheme?: Scheme
  set: string[]
  secretsStdin: boolean
  browser: boolean
}

export const addConnect: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('connect')))
    .description('Connect an account of a provider, and check that its credential works.')
    .requiredOption('--provider <name>', 'the provider')
    .requiredOption('--group <ref>', 'your ref of the group that the account belongs to')
    .requiredOption('--consumer <ref>', 'your ref of the person who connects it')
    .option('--group-name <name>', 'name of the group, for people')
    .option('--consumer-name <name>', 'name of the person')
    .addOption(
      new Option('--scheme <scheme>', 'how to authenticate, where the provider has several ways').choices([
        'apiKey',
        'basic',
        'custom',
        'oauth2',
      ]),
    )
    .option('--set <name=value>', 'a value that the provider asks for; may stand several times', several, [])
    .option('--secrets-stdin', 'read the secret, or a JSON object of several, from standard input', false)
    .option('--no-browser', 'by OAuth: print the address of the page instead of opening it')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise connect --provider salesforce --group acme --consumer ada\n  echo "$KEY" | mortise connect --provider pipedrive --group acme --consumer ada --secrets-stdin',
    )
    .action(async (options: Options) => {
      const { signal, stdout, out } = terminal
      const { connectWithBrowser, credentialBlock, credentialFields, gatherValues, metadataFields, schemesOf } =
        await import('../connecting/index.ts')
      const { mortise, settings } = await connectTo(options, terminal)
      const provider = await mortise.getProvider({ provider: options.provider }, { signal })
      const schemes = schemesOf(provider)
      const scheme = options.scheme ?? schemes[0]!
      if (!schemes.includes(scheme))
        throw new UsageError(`${provider.name} does not take ${scheme}; it takes ${schemes.join(', ')}.`)
      const credential = credentialFields(provider, scheme)
      const metadata = metadataFields(provider)
      const values = await gatherValues([...metadata, ...credential], options, terminal)
      const pick = (fields: { name: string }[]) =>
        Object.fromEntries(fields.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])))
      const account = {
        provider: provider.name,
        groupRef: options.group,
        consumerRef: options.consumer,
        ...(options.groupName !== undefined && { groupName: options.groupName }),
        ...(options.consumerName !== undefined && { consumerName: options.consumerName }),
        ...(metadata.length > 0 && { providerMetadata: pick(metadata) }),
      }
      const connection =
        scheme === 'oauth2'
          ? await connectWithBrowser(mortise, terminal, {
              project: settings.project,
              // The form of the React library sends it as both, too.
              request: { ...account, ...(values['workspace'] && { providerWorkspaceRef: values['workspace'] }) },
              // Without a person in front of it nobody sees what opens.
              openBrowser: options.browser && terminal.interactive,
            })
          : withoutSecrets(
              await mortise.generateConnection(
                {
                  body: {
                    ...account,
                    ...credentialBlock(scheme, pick(credential)),
                  } as Input<'generateConnection'>['body'],
                  query: { verify: true },
                },
                { signal },
              ),
            )
      const { id, status } = connection
      if (options.format !== 'text') printData(terminal, options.format, connection)
      else {
        const colour = { working: out.green, created: out.yellow, bad_credentials: out.red }[status ?? 'created']
        stdout.write(`${printable(`${id} ${provider.name} for ${options.group}`)}: ${colour(status ?? '')}\n`)
      }
      if (status === 'bad_credentials') throw new Exit(exitCodes.failed)
    })
}

/** The service answers a key with what it was just sent. */
function withoutSecrets(connection: Output<'generateConnection'>): Output<'generateConnection'> {
  const { apiKey: _, oauth2AuthorizationCode: __, ...rest } = connection
  return rest as Output<'generateConnection'>
}
