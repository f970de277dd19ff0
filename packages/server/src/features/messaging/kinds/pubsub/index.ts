import { checkEndpoint } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import { googleReceivers, googleSecretProperties, googleSecretsOf } from '../google.ts'
import type { DestinationKind } from '../kind.ts'
import { openPubSub } from './pubsub-sender.ts'
import { endpointOf, type PubSubSettings, properties, readSettings } from './settings.ts'

/** Publishes each message to a topic of Google Cloud Pub/Sub. */
export const pubsub: DestinationKind<PubSubSettings> = {
  name: 'pubsub',
  summary: 'Publishes each message to a topic of Google Cloud Pub/Sub.',
  properties,
  secretProperties: googleSecretProperties,
  receivers: googleReceivers,
  clientPackages: ['@google-cloud/pubsub'],
  addressKeys: ['projectId', 'topicId', 'endpointUrl'],
  limits: { maxBatch: 100, concurrency: 2, timeoutMs: 15_000 },
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(endpointOf(settings), settings, { path: at, setting: 'projectId' }, services),
  maskSettings: (settings) => settings,
  secretsOf: googleSecretsOf,
  endpoint: (settings) => `${endpointOf(settings).host} ${settings.projectId} ${settings.topicId}`,
  host: (settings) => endpointOf(settings).hostname,
  sendsDataOnly: () => true,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openPubSub,
}
