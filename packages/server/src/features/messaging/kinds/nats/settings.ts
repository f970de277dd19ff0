import { Type } from 'typebox'
import { caCertificateProperty, readCaCertificate } from '../certificate-setting.ts'
import type { KindServices, Read } from '../kind.ts'
import { parseServerUrl, readServerUrl, type ServerAddress, type UrlFormat } from '../server-address.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { readTemplate } from '../template.ts'
import { parseCredentials } from './credentials.ts'

export interface NatsSettings {
  /** `tls://host:4222` */
  serverUrl: string
  /** The first words of every subject. */
  subject: string
  subjectTemplate?: string
  /** Certificate authority of the server, PEM. */
  caCertificate?: string
  username?: string
  password?: string
  token?: string
  /** A credentials file, or the seed of an nkey. */
  credentials?: string
}

export const properties = {
  serverUrl: Type.String({
    description:
      'The server, such as tls://nats.example.com:4222, without credentials. With TLS, or nats:// inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
  subject: Type.String({
    description: 'First words of the subject of every message, such as mortise. A stream must take mortise.>.',
  }),
  subjectTemplate: Type.String({
    description:
      "JMESPath expression that makes the rest of the subject, such as join('.', [data.groupRef, data.objectName]). By default, and where it makes no text, KIND.PROVIDER.OBJECT or notification.EVENT.",
  }),
  caCertificate: caCertificateProperty,
}

export const secretProperties = {
  username: Type.String({ description: 'Name of the user. Only with password.' }),
  password: Type.String({ description: 'Password of the user.' }),
  token: Type.String({ description: 'Token, in place of a user.' }),
  credentials: Type.String({
    description: 'Content of a credentials file (JWT and nkey), or the seed of an nkey, in place of a user.',
  }),
}

const format: UrlFormat = {
  product: 'NATS',
  plain: { scheme: 'nats', port: 4222 },
  secure: { scheme: 'tls', port: 4222 },
  hasPath: false,
  remedy: 'Give the address of your server, such as tls://nats.example.com:4222.',
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<NatsSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<NatsSettings>({
    serverUrl: readServerUrl(read, 'serverUrl', format, { guard }),
    subject: read.text('subject', {
      what: 'words of letters, digits, dashes and underscores with dots between them, of at most 200 characters',
      pattern: /^(?=.{1,200}$)[\w-]+(?:\.[\w-]+)*$/,
      remedy: 'Give the first words of the subject, such as mortise.',
    }),
    subjectTemplate: readTemplate(read, 'subjectTemplate'),
    caCertificate: readCaCertificate(read),
    username: read.optionalText('username', { what: 'the name of a user', pattern: credential }),
    password: read.optionalText('password', { what: 'the password of the user', pattern: credential }),
    token: read.optionalText('token', { what: 'a token', pattern: credential }),
    credentials: read.optionalText('credentials', { what: 'a credentials file of at most 16 KB', pattern: file }),
  })
  checkCredentials(read, settings)
  return { settings, issues: read.issues }
}

const credential = /^[^\p{Cc}]{1,1000}$/u
const file = /^[\t\r\n -~]{1,16384}$/

function checkCredentials(read: SettingsReader, { username, password, token, credentials }: NatsSettings): void {
  const given = Object.entries({ username, token, credentials }).filter(([, value]) => value !== undefined)
  for (const [name] of given.slice(1))
    read.refuse(
      name,
      'cannot be combined with other credentials.',
      'Give username and password, or token, or credentials.',
    )
  if (username !== undefined && password === undefined) read.refuse('password', 'is required with username.')
  if (username === undefined && password !== undefined) read.refuse('username', 'is required with password.')
  if (credentials !== undefined && parseCredentials(credentials) === undefined)
    read.refuse(
      'credentials',
      'is not a credentials file.',
      'Paste the whole file that nsc made, or the seed of an nkey, which begins with SU.',
    )
}

/** The server of settings that were read. @throws TypeError for anything else */
export function targetOf({ serverUrl }: NatsSettings): ServerAddress {
  const parsed = parseServerUrl(serverUrl, format)
  if (typeof parsed === 'string') throw new TypeError(parsed)
  return parsed
}
