import { awsReceivers, awsSecretProperties, awsSecretsOf } from '../aws.ts'
import { checkEndpoint } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { collectingOfFiles, isObjectForEach } from '../record-files/index.ts'
import { openS3 } from './s3-sender.ts'
import { objectUrl, properties, readSettings, type S3Settings } from './settings.ts'

/** Stores each message as an object of Amazon S3, or of a compatible service. */
export const s3: DestinationKind<S3Settings> = {
  name: 's3',
  summary:
    'Stores each message as an object, or the records of many messages as a file, in a bucket of Amazon S3, or of a compatible service.',
  properties,
  secretProperties: awsSecretProperties,
  receivers: awsReceivers,
  clientPackages: ['@aws-sdk/client-s3'],
  addressKeys: ['bucket', 'region', 'endpointUrl'],
  limits: { maxBatch: 1, concurrency: 16, timeoutMs: 45_000 },
  collecting: collectingOfFiles,
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(objectUrl(settings, ''), settings, { path: at, setting: 'region' }, services),
  maskSettings: (settings) => settings,
  secretsOf: awsSecretsOf,
  endpoint: (settings) => `${objectUrl(settings, '').host} ${settings.bucket}`,
  host: (settings) => objectUrl(settings, '').hostname,
  sendsDataOnly: isObjectForEach,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openS3,
}
