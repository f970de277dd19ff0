import { shownHost } from '../../../../kernel/net/index.ts'
import { checkServer } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { type SecretReceivers, serverReceivers } from '../receivers.ts'
import { openEmail } from './email-sender.ts'
import { type EmailSettings, properties, readSettings, secretProperties, serverOf } from './settings.ts'

const toServer: SecretReceivers<EmailSettings> = {
  settings: ['host', 'port', 'tls', 'caCertificate'],
  of: (settings) => serverReceivers(serverOf(settings), settings.caCertificate),
}

/** Sends each message as a mail, or the messages that are due together as one. */
export const email: DestinationKind<EmailSettings> = {
  name: 'email',
  summary: 'Sends each message as a mail, by SMTP.',
  properties,
  secretProperties,
  receivers: { username: toServer, password: toServer },
  addressKeys: ['host', 'port', 'tls', 'to'],
  limits: { maxBatch: 50, concurrency: 1, timeoutMs: 60_000 },
  readSettings,
  checkSettings: (settings, at, services) => checkServer(serverOf(settings), `${at}.host`, services),
  maskSettings: (settings) => settings,
  // A server echoes credentials as the login sends them, too.
  secretsOf: ({ username, password }) =>
    username === undefined || password === undefined
      ? []
      : [password, username, base64(password), base64(username), base64(`\0${username}\0${password}`)],
  endpoint: (settings) => {
    const { host, port } = serverOf(settings)
    return `${shownHost(host, port)} ${settings.to}`
  },
  host: ({ host }) => host,
  headers: () => ({}),
  open: openEmail,
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
