import { checkEndpoint } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { batchSizeMax } from '../warehouse.ts'
import { openRedshift } from './redshift-sender.ts'
import { dataApiUrl, properties, type RedshiftSettings, readSettings, secretProperties } from './settings.ts'

/** Inserts each message into a table of Amazon Redshift, as a row. */
export const redshift: DestinationKind<RedshiftSettings> = {
  name: 'redshift',
  summary: 'Inserts each message as a row into a table of Amazon Redshift.',
  properties,
  secretProperties,
  addressKeys: ['region', 'workgroupName', 'clusterIdentifier', 'dbName', 'schemaName', 'tableName', 'endpointUrl'],
  limits: { maxBatch: batchSizeMax, concurrency: 4, timeoutMs: 60_000 },
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(dataApiUrl(settings), settings, { path: at, setting: 'region' }, services),
  maskSettings: (settings) => settings,
  secretsOf: ({ accessKeyId, secretAccessKey }) => [secretAccessKey, accessKeyId],
  endpoint: (settings) =>
    `${dataApiUrl(settings).host} ${settings.dbName}.${settings.schemaName ?? 'public'}.${settings.tableName}`,
  host: (settings) => dataApiUrl(settings).hostname,
  headers: () => ({}),
  open: openRedshift,
}
