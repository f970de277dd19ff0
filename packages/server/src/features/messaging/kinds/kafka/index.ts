import { checkHost, checkServer } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { httpReceivers, type SecretReceivers, serverReceivers } from '../receivers.ts'
import { openKafka } from './kafka-sender.ts'
import {
  brokersOf,
  type KafkaSettings,
  properties,
  readSettings,
  registryCredentials,
  secretProperties,
} from './settings.ts'

const toBrokers: SecretReceivers<KafkaSettings> = {
  settings: ['brokers', 'tls', 'caCertificate'],
  of: (settings) => brokersOf(settings).flatMap((broker) => serverReceivers(broker, settings.caCertificate)),
}
const toRegistry: SecretReceivers<KafkaSettings> = {
  settings: ['schemaRegistryUrl'],
  of: ({ schemaRegistryUrl: url }) => (url === undefined ? [] : httpReceivers(url)),
}

/** Produces each message to a topic of Apache Kafka, with the signature of a webhook in headers. */
export const kafka: DestinationKind<KafkaSettings> = {
  name: 'kafka',
  summary: 'Produces each message to a topic of Apache Kafka.',
  properties,
  secretProperties,
  receivers: { username: toBrokers, password: toBrokers, registryUsername: toRegistry, registryPassword: toRegistry },
  addressKeys: ['brokers', 'topic', 'tls', 'schemaRegistryUrl'],
  limits: { maxBatch: 100, concurrency: 1, timeoutMs: 20_000 },
  readSettings,
  async checkSettings(settings, at, services) {
    const checks = brokersOf(settings).map((broker) => checkServer(broker, `${at}.brokers`, services))
    const { schemaRegistryUrl: registry } = settings
    if (registry !== undefined) checks.push(checkHost(registry, `${at}.schemaRegistryUrl`, services, 'http'))
    return (await Promise.all(checks)).flat()
  },
  maskSettings: (settings) => settings,
  secretsOf: (settings) => {
    const { username, password, registryUsername, registryPassword } = settings
    const all = [password, username, registryPassword, registryUsername, registryCredentials(settings)]
    return all.filter((secret) => secret !== undefined)
  },
  endpoint: ({ brokers, topic }) => `${brokers} ${topic}`,
  host: (settings) => brokersOf(settings)[0]?.host,
  sendsDataOnly: () => true,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openKafka,
}
