import { shownHost } from '../../../../kernel/net/index.ts'
import { checkServer } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { type SecretReceivers, serverReceivers } from '../receivers.ts'
import { parseCredentials } from './credentials.ts'
import { openNats } from './nats-sender.ts'
import { type NatsSettings, properties, readSettings, secretProperties, targetOf } from './settings.ts'

const toServer: SecretReceivers<NatsSettings> = {
  settings: ['serverUrl', 'caCertificate'],
  of: (settings) => serverReceivers(targetOf(settings), settings.caCertificate),
}

/** Publishes each message to a stream of NATS JetStream, with the signature of a webhook in headers. */
export const nats: DestinationKind<NatsSettings> = {
  name: 'nats',
  summary: 'Publishes each message to a stream of NATS JetStream.',
  properties,
  secretProperties,
  receivers: { username: toServer, password: toServer, token: toServer, credentials: toServer },
  addressKeys: ['serverUrl', 'subject'],
  limits: { maxBatch: 100, concurrency: 1, timeoutMs: 15_000 },
  readSettings,
  checkSettings: (settings, at, services) => checkServer(targetOf(settings), `${at}.serverUrl`, services),
  maskSettings: (settings) => settings,
  secretsOf: ({ username, password, token, credentials }) => {
    const { seed, jwt } = (credentials !== undefined && parseCredentials(credentials)) || {}
    return [username, password, token, seed, jwt].filter((secret) => secret !== undefined)
  },
  endpoint: (settings) => {
    const { host, port } = targetOf(settings)
    return `${shownHost(host, port)} ${settings.subject}`
  },
  host: (settings) => targetOf(settings).host,
  sendsDataOnly: () => true,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openNats,
}
