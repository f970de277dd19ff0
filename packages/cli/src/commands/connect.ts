import type { Output } from '@mortise/client'
import { collect } from '../collect.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  provider: string
  group?: string
  consumer?: string
  groupName?: string
  consumerName?: string
  scheme?: string
  set: string[]
  secretsStdin: boolean
  terminal: boolean
  browser: boolean
}

export const addConnect: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('connect')))
    .description('Connect a customer’s account in the browser, and check its credential.')
    .argument('[group]', 'your ref of the group that the account belongs to')
    .requiredOption('--provider <name>', 'the provider')
    .option('--group <ref>', 'the group, where it is not named first')
    .option('--consumer <ref>', 'your ref of the person who connects it; that of the group when absent')
    .option('--group-name <name>', 'name of the group, for people')
    .option('--consumer-name <name>', 'name of the person')
    .option('--scheme <name>', 'how to authenticate, where the provider has several schemes: the name of one, or none')
    .option('--terminal', 'ask for everything here instead of on a page', false)
    .option('--set <name=value>', 'a value that the provider asks for; can be repeated', collect, [])
    .option('--secrets-stdin', 'read the secret, or a JSON object of several secrets, from standard input', false)
    .option('--no-browser', 'print the address of the page instead of opening it')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise connect acme --provider salesforce\n  echo "$KEY" | mortise connect acme --provider pipedrive --consumer ada --secrets-stdin',
    )
    .action(async (named: string | undefined, options: Options) => {
      const { signal, stdout, out } = terminal
      const groupRef = groupOf(named, options.group)
      const consumerRef = options.consumer ?? groupRef
      const { connectHere, connectWithPage, metadataFields, schemesOf } = await import('../connecting/index.ts')
      const { mortise, settings } = await connectTo(options, terminal)
      const provider = await mortise.getProvider({ provider: options.provider }, { signal })
      const who = {
        provider: provider.name,
        groupRef,
        consumerRef,
        ...(options.groupName !== undefined && { groupName: options.groupName }),
        ...(options.consumerName !== undefined && { consumerName: options.consumerName }),
      }
      // Without a person in front of it nobody sees what opens.
      const openBrowser = options.browser && terminal.interactive
      const needsNothing = schemesOf(provider)[0]?.type === 'none' && metadataFields(provider).length === 0
      const { scheme, set, secretsStdin } = options
      const isHere = options.terminal || scheme !== undefined || set.length > 0 || secretsStdin || needsNothing
      const connection = isHere
        ? await connectHere(mortise, terminal, {
            project: settings.project,
            who,
            provider,
            scheme,
            openBrowser,
            set,
            secretsStdin,
          })
        : await connectWithPage(mortise, terminal, { request: who, openBrowser })
      const { id, status, lastCheck } = connection
      if (options.format !== 'text') printData(terminal, options.format, connection)
      else {
        const colour = { working: out.green, created: out.yellow, bad_credentials: out.red }[status ?? 'created']
        stdout.write(`${printable(`${id} ${provider.name} for ${groupRef}`)}: ${colour(status ?? '')}\n`)
        const found = checkText(connection)
        if (found !== undefined) stdout.write(`${printable(found)}\n`)
      }
      if (status === 'bad_credentials' || lastCheck?.outcome === 'refused') throw new Exit(exitCodes.failed)
      if (lastCheck?.outcome === 'unreachable') throw new Exit(exitCodes.providerUnreachable)
    })
}

/** What the check found, where the status does not say it all. */
function checkText({ status, lastCheck }: Pick<Output<'getConnection'>, 'status' | 'lastCheck'>): string | undefined {
  const reason = lastCheck?.reason === undefined ? '' : ` ${lastCheck.reason}`
  if (status === 'bad_credentials' || lastCheck?.outcome === 'refused')
    return `The provider refused the credential.${reason} Check the credential, and connect again.`
  switch (lastCheck?.outcome) {
    case 'works':
      return undefined
    case 'unreachable':
      return `The provider could not be reached.${reason} Check the address, and connect again.`
    case 'notChecked':
      return `The credential was not checked.${reason}`
    default:
      return 'The credential is still being checked; see mortise doctor.'
  }
}

/** Returns the group, which is named as an argument or as an option, but not as two different groups. */
function groupOf(named: string | undefined, option: string | undefined): string {
  const group = named ?? option
  if (group === undefined) throw new UsageError('Name the group: mortise connect GROUP --provider NAME.')
  if (option !== undefined && option !== group) throw new UsageError(`Is it the group ${group} or ${option}? Name one.`)
  return group
}
