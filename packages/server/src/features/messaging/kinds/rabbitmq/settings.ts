import { Type } from 'typebox'
import { caCertificateProperty, readCaCertificate } from '../certificate-setting.ts'
import type { KindServices, Read } from '../kind.ts'
import { parseServerUrl, readServerUrl, type ServerAddress, type UrlFormat } from '../server-address.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { readTemplate } from '../template.ts'

export interface RabbitmqSettings {
  /** `amqps://host:5671/virtual-host` */
  serverUrl: string
  exchange: string
  /** By default, as the scheme says. */
  tls?: boolean
  routingKeyTemplate?: string
  /** Certificate authority of the server, PEM. */
  caCertificate?: string
  username: string
  password: string
}

export const properties = {
  serverUrl: Type.String({
    description:
      'The server, such as amqps://rabbit.example.com:5671/virtual-host, without credentials. With TLS, or amqp:// inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
  exchange: Type.String({ description: 'Name of the exchange, which must exist.' }),
  tls: Type.Boolean({ description: 'Whether to use TLS. By default, as the scheme of serverUrl says.' }),
  routingKeyTemplate: Type.String({
    description:
      "JMESPath expression that makes the routing key of a message, such as join('.', [data.groupRef, data.objectName]). By default, and where it makes no text, KIND.PROVIDER.OBJECT or notification.EVENT.",
  }),
  caCertificate: caCertificateProperty,
}

export const secretProperties = {
  username: Type.String({ description: 'Name of the user, who may write to the exchange.' }),
  password: Type.String({ description: 'Password of the user.' }),
}

/** What settings say about a server: the address, and the virtual host. */
export interface RabbitmqTarget extends ServerAddress {
  virtualHost: string
}

const format: UrlFormat = {
  product: 'RabbitMQ',
  plain: { scheme: 'amqp', port: 5672 },
  secure: { scheme: 'amqps', port: 5671 },
  hasPath: true,
  remedy: 'Give the address of your server, such as amqps://rabbit.example.com:5671/virtual-host.',
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<RabbitmqSettings> {
  const read = new SettingsReader(input, at)
  const tls = read.optionalBoolean('tls')
  const settings = definedSettings<RabbitmqSettings>({
    serverUrl: readServerUrl(read, 'serverUrl', format, { guard, tls }),
    exchange: read.text('exchange', {
      what: 'the name of an exchange, of 1 to 255 characters',
      pattern: /^[^\p{Cc}]{1,255}$/u,
      remedy: 'Give the name of an exchange that exists.',
    }),
    tls,
    routingKeyTemplate: readTemplate(read, 'routingKeyTemplate'),
    caCertificate: readCaCertificate(read),
    username: read.text('username', { what: 'the name of a user', pattern: credential }),
    password: read.text('password', { what: 'the password of the user', pattern: credential }),
  })
  if (tls === false && settings.serverUrl.startsWith('amqps:'))
    read.refuse('tls', 'is false, but serverUrl begins with amqps.', 'Remove tls, or use amqp://.')
  if (Buffer.byteLength(settings.exchange) > 255) read.refuse('exchange', 'must not be longer than 255 bytes.')
  return { settings, issues: read.issues }
}

const credential = /^[^\0]{1,1000}$/

/** The server of settings that were read. @throws TypeError for anything else */
export function targetOf({ serverUrl, tls }: RabbitmqSettings): RabbitmqTarget {
  const parsed = parseServerUrl(serverUrl, format)
  if (typeof parsed === 'string') throw new TypeError(parsed)
  const { path, ...address } = parsed
  // Without a port, TLS has another one.
  const port = tls === true && URL.parse(serverUrl)?.port === '' ? format.secure.port : address.port
  return { ...address, port, tls: tls ?? address.tls, virtualHost: path === '' ? '/' : path }
}
