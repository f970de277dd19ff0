import { Type } from 'typebox'
import { caCertificateProperty, readCaCertificate } from '../certificate-setting.ts'
import type { KindServices, Read } from '../kind.ts'
import { addressRefusal, isHost, type ServerAddress } from '../server-address.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { readTemplate } from '../template.ts'

export interface EmailSettings {
  host: string
  /** By default, 587. */
  port?: number
  /** By default, true. */
  tls?: boolean
  from: string
  /** Addresses, with commas between them. */
  to: string
  subjectTemplate?: string
  /** Whether the messages that are due together are one mail. */
  digest?: boolean
  /** Certificate authority of the server, PEM. */
  caCertificate?: string
  username?: string
  password?: string
}

export const properties = {
  host: Type.String({ description: 'Name of the SMTP server, such as smtp.example.com.' }),
  port: Type.Integer({
    description:
      'Port of the SMTP server: 465 for TLS from the beginning, 25, 587 (the default), 2525 or another above 1023 for STARTTLS.',
  }),
  tls: Type.Boolean({
    description: 'Whether TLS is required. By default, true. Without TLS, only inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
  from: Type.String({ description: 'Address of the sender, such as mortise@example.com.' }),
  to: Type.String({ description: 'Addresses of up to 20 recipients, with commas between them.' }),
  subjectTemplate: Type.String({
    description:
      "JMESPath expression that makes the subject of a mail, such as join(' ', [data.notificationType, data.data.groupRef]). By default, and where it makes no text, what the message is about.",
  }),
  digest: Type.Boolean({
    description: 'Whether the messages that are due together are one mail, with a line for each. By default, false.',
  }),
  caCertificate: caCertificateProperty,
}

export const secretProperties = {
  username: Type.String({ description: 'User of the SMTP server. Only with password.' }),
  password: Type.String({ description: 'Password of the user.' }),
}

const defaultPort = 587
const tlsPort = 465
const mailPorts = new Set([25, tlsPort, defaultPort])
const recipientsMax = 20

/** An address without comments, quotes and brackets: nothing in it can end a header or a command. */
const addressShape = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,10}$/i

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<EmailSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<EmailSettings>({
    host: read.text('host', {
      what: 'the name of a server, without a port',
      pattern: /^[!-~]{1,253}$/,
      remedy: 'Give the name of your SMTP server, such as smtp.example.com.',
    }),
    port: read.optionalInteger('port', { min: 1, max: 65_535 }),
    tls: read.optionalBoolean('tls'),
    from: read.text('from', {
      what: 'the address of a sender',
      pattern: addressShape,
      remedy: 'Give an address like mortise@example.com.',
    }),
    to: read.text('to', {
      what: 'a list of addresses',
      pattern: /^[!-~ ]{1,6000}$/,
      remedy: 'Give addresses like ops@example.com.',
    }),
    subjectTemplate: readTemplate(read, 'subjectTemplate'),
    digest: read.optionalBoolean('digest'),
    caCertificate: readCaCertificate(read),
    username: read.optionalText('username', { what: 'the name of a user', pattern: credential }),
    password: read.optionalText('password', { what: 'the password of the user', pattern: credential }),
  })
  checkServerSettings(read, settings, guard)
  if (settings.to !== '') checkRecipients(read, settings)
  const { username, password } = settings
  if (username !== undefined && password === undefined) read.refuse('password', 'is required with username.')
  if (username === undefined && password !== undefined) read.refuse('username', 'is required with password.')
  return { settings, issues: read.issues }
}

const credential = /^[^\p{Cc}]{1,1000}$/u

function checkServerSettings(read: SettingsReader, settings: EmailSettings, guard: KindServices['guard']): void {
  const { host, port, tls } = serverOf(settings)
  if (port < 1024 && !mailPorts.has(port))
    read.refuse('port', `is not accepted. Port ${port} is not one for SMTP.`, 'Use 25, 465, 587, or a port above 1023.')
  if (host === '') return
  const refusal = isHost(host)
    ? addressRefusal({ host, tls }, guard)
    : { reason: 'It is not the name of a host.', remedy: 'Give a name like smtp.example.com.' }
  if (refusal) read.refuse('host', `is not accepted. ${refusal.reason}`, refusal.remedy)
}

function checkRecipients(read: SettingsReader, settings: EmailSettings): void {
  const recipients = recipientsOf(settings)
  if (recipients.length > recipientsMax)
    read.refuse('to', `must not have more than ${recipientsMax} addresses.`, 'Use a mailing list.')
  else if (!recipients.every((address) => addressShape.test(address)))
    read.refuse('to', 'must have addresses like ops@example.com, with commas between them.')
}

export function recipientsOf({ to }: Pick<EmailSettings, 'to'>): string[] {
  return to.split(',').map((address) => address.trim())
}

/** Where mails are handed over. `isWrapped`: TLS from the beginning. */
export function serverOf({ host, port, tls = true }: Pick<EmailSettings, 'host' | 'port' | 'tls'>): ServerAddress & {
  isWrapped: boolean
} {
  return { host, port: port ?? defaultPort, tls, isWrapped: tls && port === tlsPort }
}
