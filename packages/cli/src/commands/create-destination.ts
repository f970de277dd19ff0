import { text } from 'node:stream/consumers'
import { parseJson } from '../assignment.ts'
import { collect } from '../collect.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions &
  FormatOptions & { header: string[]; setting: string[]; secretsStdin: boolean; type: string }

export const addCreateDestination: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('destination')))
    .description('Create a destination, and show the secret that signs its messages.')
    .argument('<name>', 'letters, digits and dashes; manifests use it')
    .argument('[endpoint]', 'URL that messages are sent to, if the type has one')
    .option('--type <type>', 'what messages are sent to, such as postgres or s3', 'webhook')
    .option(
      '--header <line>',
      'for a webhook: a header of every request, such as "X-Team: growth"; can be repeated',
      collect,
      [],
    )
    .option('--setting <pair>', 'a setting of the type, such as stream=messages; can be repeated', collect, [])
    .option('--secrets-stdin', 'read the secrets of the type from standard input: lines of NAME=VALUE, or JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  mortise create destination crm-events https://example.com/webhooks\n' +
        '  mortise create destination crm-bucket --type s3 --setting bucket=crm --setting region=eu-central-1 --secrets-stdin < aws.env',
    )
    .action(async (name: string, endpoint: string | undefined, options: Options) => {
      const { signal } = terminal
      const { type } = options
      const headers = Object.fromEntries(options.header.map(headerOf))
      const settings = Object.fromEntries(options.setting.map(settingOf))
      const metadata = {
        ...settings,
        // The URL of a queue is not where requests go.
        ...(endpoint !== undefined && { [type === 'sqs' ? 'queueUrl' : 'url']: endpoint }),
        ...(options.header.length > 0 && { headers }),
      }
      const secrets = options.secretsStdin ? await readSecrets(terminal) : undefined
      const { mortise } = await connectTo(options, terminal)
      const { id } = await mortise.createDestination(
        { body: { name, type, metadata, ...(secrets && { secrets }) } },
        { signal },
      )
      const made = await mortise.getDestination({ destination: id, query: { includeSecrets: true } }, { signal })
      printData(terminal, options.format, made)
    })
}

function headerOf(line: string): [string, string] {
  const [, name, value] = /^\s*([^:\s]+)\s*:(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`“${line}” is not a header. Write --header "X-Team: growth".`)
  return [name, value.trimStart()]
}

/** A whole number is sent as one, and so are true and false. */
function settingOf(pair: string): [string, string | number | boolean] {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(pair) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`“${pair}” is not a setting. Write --setting stream=messages.`)
  if (value === 'true' || value === 'false') return [name, value === 'true']
  return [name, /^\d{1,15}$/.test(value) ? Number(value) : value]
}

/** Secrets do not belong on a command line, which other users of the machine can list. */
async function readSecrets({ stdin }: Terminal): Promise<Record<string, unknown>> {
  const given = (await text(stdin)).trim()
  if (given === '') throw new UsageError('Standard input is empty. Write lines of NAME=VALUE, or a JSON object.')
  if (given.startsWith('{')) return parseJson('The standard input', given) as Record<string, unknown>
  return Object.fromEntries(
    given.split(/\r?\n/).flatMap((line, index) => {
      if (line.trim() === '' || line.startsWith('#')) return []
      const [, name, value] = /^\s*(\w+)\s*=(.*)$/.exec(line) ?? []
      // The line itself may be a secret.
      if (name === undefined || value === undefined)
        throw new UsageError(`Line ${index + 1} of the standard input is not NAME=VALUE.`)
      return [[name, value.trim()]]
    }),
  )
}
