import { Type } from 'typebox'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'

export interface ServiceBusSettings {
  /** Of a queue or a topic. */
  name: string
  endpointUrl?: string
  connectionString: string
}

export const properties = {
  name: Type.String({ description: 'Name of the queue or topic.' }),
  endpointUrl: Type.String({ description: 'Endpoint in place of the one of the connection string.' }),
}

export const secretProperties = {
  connectionString: Type.String({
    description:
      'Connection string of a shared access policy that may send: Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…',
  }),
}

/** What a connection string says. */
interface ConnectionString {
  host: string
  keyName: string
  key: string
  /** The queue or topic that it is limited to. */
  entity?: string
}

const connectionRemedy =
  'Copy the connection string of a shared access policy with the claim Send from the Azure portal.'

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<ServiceBusSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<ServiceBusSettings>({
    name: read.text('name', {
      what: 'the name of a queue or topic: 1 to 260 letters, digits and / . _ -',
      pattern: /^[A-Za-z0-9](?:[\w./-]{0,258}[A-Za-z0-9])?$/,
      remedy: 'Give the name of your queue or topic.',
    }),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of Service Bus.'),
    connectionString: read.text('connectionString', {
      what: 'a connection string of Service Bus',
      pattern: /^\P{Cc}{1,2048}$/u,
      remedy: connectionRemedy,
    }),
  })
  const { name, connectionString } = settings
  const parsed = connectionString === '' ? undefined : parseConnectionString(connectionString)
  if (typeof parsed === 'string') read.refuse('connectionString', `is not accepted. ${parsed}`, connectionRemedy)
  else if (parsed?.entity !== undefined && parsed.entity !== name)
    read.refuse('connectionString', 'is limited to another queue or topic than `name`.', connectionRemedy)
  else if (parsed && isDotSegment(name)) read.refuse('name', 'must have no segment of dots.')
  return { settings, issues: read.issues }
}

const isDotSegment = (name: string) => name.split('/').some((segment) => /^\.{0,2}$/.test(segment))

function parseConnectionString(text: string): ConnectionString | string {
  const parts = text.split(';').filter((part) => part !== '')
  const values = new Map(
    parts.map((part) => [part.split('=', 1)[0]?.toLowerCase(), part.slice(part.indexOf('=') + 1)] as const),
  )
  const [endpoint = '', keyName = '', key = ''] = ['endpoint', 'sharedaccesskeyname', 'sharedaccesskey'].map((name) =>
    values.get(name),
  )
  const [, host] = /^sb:\/\/([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){2,5})\/?$/i.exec(endpoint) ?? []
  if (host === undefined) return 'Its Endpoint must be like sb://example.servicebus.windows.net/.'
  if (!/^[\w.-]{1,256}$/.test(keyName) || !/^[\w+/=-]{8,256}$/.test(key))
    return 'It must have SharedAccessKeyName and SharedAccessKey.'
  const entity = values.get('entitypath')
  return { host: host.toLowerCase(), keyName, key, ...(entity !== undefined && { entity }) }
}

/** Of settings that were read. @throws TypeError for anything else */
export function connectionOf({ connectionString }: ServiceBusSettings): ConnectionString {
  const parsed = parseConnectionString(connectionString)
  if (typeof parsed === 'string') throw new TypeError(parsed)
  return parsed
}

/** Where AMQP is spoken over a WebSocket. */
export function webSocketUrl(settings: ServiceBusSettings): URL {
  return new URL('/$servicebus/websocket', settings.endpointUrl ?? `https://${connectionOf(settings).host}`)
}
