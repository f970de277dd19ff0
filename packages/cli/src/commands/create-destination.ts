import { collect } from '../collect.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & FormatOptions & { header: string[]; setting: string[]; type: string }

export const addCreateDestination: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('destination')))
    .description('Create a destination, and show the secret that signs its messages.')
    .argument('<name>', 'letters, digits and dashes; manifests use it')
    .argument('<endpoint>', 'URL that messages are sent to')
    .option('--type <type>', 'what messages are sent to: webhook or redis-stream', 'webhook')
    .option(
      '--header <line>',
      'for a webhook: a header of every request, such as "X-Team: growth"; can be repeated',
      collect,
      [],
    )
    .option('--setting <pair>', 'a setting of the type, such as stream=messages; can be repeated', collect, [])
    .addHelpText('after', '\nExample:\n  mortise create destination crm-events https://example.com/webhooks')
    .action(async (name: string, url: string, options: Options) => {
      const { signal } = terminal
      const headers = Object.fromEntries(options.header.map(headerOf))
      const settings = Object.fromEntries(options.setting.map(settingOf))
      const metadata = { ...settings, url, ...(options.header.length > 0 && { headers }) }
      const { type } = options
      const { mortise } = await connectTo(options, terminal)
      const { id } = await mortise.createDestination({ body: { name, type, metadata } }, { signal })
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

/** A whole number is sent as one. */
function settingOf(pair: string): [string, string | number] {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(pair) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`“${pair}” is not a setting. Write --setting stream=messages.`)
  return [name, /^\d{1,15}$/.test(value) ? Number(value) : value]
}
