import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { parseJson } from '../assignment.ts'
import { collect } from '../collect.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

/** The options that say where and how a destination delivers. */
export interface SettingOptions {
  header: string[]
  setting: string[]
  secretsStdin: boolean
}

/** Adds the options of settings to a command. */
export function withSettings(command: Command): Command {
  return command
    .option(
      '--header <line>',
      'for a webhook: a header of every request, such as "X-Team: growth"; can be repeated',
      collect,
      [],
    )
    .option('--setting <pair>', 'a setting of the type, such as stream=messages; can be repeated', collect, [])
    .option('--secrets-stdin', 'read the secrets of the type from standard input: lines of NAME=VALUE, or JSON', false)
}

/** Returns the settings of a destination that a command line gives. @throws UsageError */
export async function givenSettings(
  type: string,
  endpoint: string | undefined,
  options: SettingOptions,
  terminal: Terminal,
): Promise<{ metadata: Record<string, unknown>; secrets: Record<string, unknown> | undefined }> {
  const metadata = {
    ...Object.fromEntries(options.setting.map(settingOf)),
    ...(endpoint !== undefined && { [endpointSettings[type] ?? 'url']: endpoint }),
    ...(options.header.length > 0 && { headers: Object.fromEntries(options.header.map(headerOf)) }),
  }
  return { metadata, secrets: options.secretsStdin ? await readSecrets(terminal) : undefined }
}

/** The setting that `endpoint` is of a type, unless it is `url`. */
const endpointSettings: Record<string, string> = {
  sqs: 'queueUrl',
  rabbitmq: 'serverUrl',
  nats: 'serverUrl',
  kafka: 'brokers',
  email: 'host',
  'fan-out': 'destinations',
  'by-group': 'default',
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
