import { checkEndpoint } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { cloudReceivers } from '../receivers.ts'
import { collectingOfFiles, isObjectForEach } from '../record-files/index.ts'
import { openAzureBlob } from './blob-sender.ts'
import { type AzureBlobSettings, blobUrl, properties, readSettings, secretProperties } from './settings.ts'

/** Stores each message as a blob of Azure Storage. */
export const azureblob: DestinationKind<AzureBlobSettings> = {
  name: 'azureblob',
  summary: 'Stores each message as a blob, or the records of many messages as a file, in a container of Azure Storage.',
  properties,
  secretProperties,
  // It signs requests. Their signature does not say to which host they are sent.
  receivers: { accessKey: cloudReceivers('Azure') },
  clientPackages: ['@azure/storage-blob', '@azure/logger'],
  addressKeys: ['account', 'container', 'endpointUrl'],
  limits: { maxBatch: 1, concurrency: 16, timeoutMs: 45_000 },
  collecting: collectingOfFiles,
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(blobUrl(settings, ''), settings, { path: at, setting: 'account' }, services),
  maskSettings: (settings) => settings,
  secretsOf: ({ accessKey }) => [accessKey],
  endpoint: (settings) => `${blobUrl(settings, '').host} ${settings.container}`,
  host: (settings) => blobUrl(settings, '').hostname,
  sendsDataOnly: isObjectForEach,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openAzureBlob,
}
