import { awsReceivers, awsSecretProperties, awsSecretsOf } from '../aws.ts'
import { checkEndpoint } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { properties, readSettings, type SqsSettings, sqsUrl } from './settings.ts'
import { openSqs } from './sqs-sender.ts'

/** Sends each message to a queue of Amazon SQS. */
export const sqs: DestinationKind<SqsSettings> = {
  name: 'sqs',
  summary: 'Sends each message to a queue of Amazon SQS.',
  properties,
  secretProperties: awsSecretProperties,
  receivers: awsReceivers,
  clientPackages: ['@aws-sdk/client-sqs'],
  addressKeys: ['queueUrl', 'endpointUrl'],
  limits: { maxBatch: 10, concurrency: 4, timeoutMs: 15_000 },
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(sqsUrl(settings), settings, { path: at, setting: 'queueUrl' }, services),
  maskSettings: (settings) => settings,
  secretsOf: awsSecretsOf,
  endpoint: ({ queueUrl }) => queueUrl,
  host: (settings) => sqsUrl(settings).hostname,
  sendsDataOnly: () => true,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openSqs,
}
