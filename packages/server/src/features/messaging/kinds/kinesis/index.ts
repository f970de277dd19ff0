import { awsReceivers, awsSecretProperties, awsSecretsOf } from '../aws.ts'
import { checkEndpoint } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { openKinesis } from './kinesis-sender.ts'
import { type KinesisSettings, kinesisUrl, properties, readSettings } from './settings.ts'

/** Puts each message into a stream of Amazon Kinesis, as a record. */
export const kinesis: DestinationKind<KinesisSettings> = {
  name: 'kinesis',
  summary: 'Puts each message into a stream of Amazon Kinesis.',
  properties,
  secretProperties: awsSecretProperties,
  receivers: awsReceivers,
  clientPackages: ['@aws-sdk/client-kinesis'],
  addressKeys: ['streamName', 'region', 'endpointUrl'],
  limits: { maxBatch: 100, concurrency: 2, timeoutMs: 15_000 },
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(kinesisUrl(settings), settings, { path: at, setting: 'region' }, services),
  maskSettings: (settings) => settings,
  secretsOf: awsSecretsOf,
  endpoint: (settings) => `${kinesisUrl(settings).host} ${settings.streamName}`,
  host: (settings) => kinesisUrl(settings).hostname,
  sendsDataOnly: () => true,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openKinesis,
}
