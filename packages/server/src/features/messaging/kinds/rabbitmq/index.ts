import { shownHost } from '../../../../kernel/net/index.ts'
import { checkServer } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { type SecretReceivers, serverReceivers } from '../receivers.ts'
import { openRabbitmq } from './rabbitmq-sender.ts'
import { properties, type RabbitmqSettings, readSettings, secretProperties, targetOf } from './settings.ts'

const toServer: SecretReceivers<RabbitmqSettings> = {
  settings: ['serverUrl', 'tls', 'caCertificate'],
  of: (settings) => serverReceivers(targetOf(settings), settings.caCertificate),
}

/** Publishes each message to an exchange of RabbitMQ, with the signature of a webhook in headers. */
export const rabbitmq: DestinationKind<RabbitmqSettings> = {
  name: 'rabbitmq',
  summary: 'Publishes each message to an exchange of RabbitMQ.',
  properties,
  secretProperties,
  receivers: { username: toServer, password: toServer },
  addressKeys: ['serverUrl', 'exchange', 'tls'],
  limits: { maxBatch: 100, concurrency: 1, timeoutMs: 15_000 },
  readSettings,
  checkSettings: (settings, at, services) => checkServer(targetOf(settings), `${at}.serverUrl`, services),
  maskSettings: (settings) => settings,
  secretsOf: ({ username, password }) => [password, username],
  endpoint: (settings) => {
    const { host, port, virtualHost } = targetOf(settings)
    return `${shownHost(host, port)} ${virtualHost} ${settings.exchange}`
  },
  host: (settings) => targetOf(settings).host,
  sendsDataOnly: () => true,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openRabbitmq,
}
