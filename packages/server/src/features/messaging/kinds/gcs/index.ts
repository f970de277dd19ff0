import { checkEndpoint } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import { googleReceivers, googleSecretProperties, googleSecretsOf } from '../google.ts'
import type { DestinationKind } from '../kind.ts'
import { collectingOfFiles, isObjectForEach } from '../record-files/index.ts'
import { openGcs } from './gcs-sender.ts'
import { type GcsSettings, objectUrl, properties, readSettings } from './settings.ts'

/** Stores each message as an object of Google Cloud Storage. */
export const gcs: DestinationKind<GcsSettings> = {
  name: 'gcs',
  summary:
    'Stores each message as an object, or the records of many messages as a file, in a bucket of Google Cloud Storage.',
  properties,
  secretProperties: googleSecretProperties,
  receivers: googleReceivers,
  clientPackages: ['@google-cloud/storage'],
  addressKeys: ['bucket', 'endpointUrl'],
  limits: { maxBatch: 1, concurrency: 16, timeoutMs: 45_000 },
  collecting: collectingOfFiles,
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(objectUrl(settings, ''), settings, { path: at, setting: 'bucket' }, services),
  maskSettings: (settings) => settings,
  secretsOf: googleSecretsOf,
  endpoint: (settings) => `${objectUrl(settings, '').host} ${settings.bucket}`,
  host: (settings) => objectUrl(settings, '').hostname,
  sendsDataOnly: isObjectForEach,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openGcs,
}
