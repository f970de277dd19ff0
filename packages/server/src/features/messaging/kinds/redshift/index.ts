import { toAws } from '../aws.ts'
import { checkEndpoint } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { batchSizeMax } from '../warehouse.ts'
import { collectingOfLayout, tablesShown } from '../warehouse-tables/layout.ts'
import { openRedshift } from './redshift-sender.ts'
import { dataApiUrl, properties, type RedshiftSettings, readSettings, secretProperties } from './settings.ts'

/** Stores each message in a table of Amazon Redshift, or each record in the table of its object. */
export const redshift: DestinationKind<RedshiftSettings> = {
  name: 'redshift',
  summary: 'Stores messages in a table of Amazon Redshift, or records in a table for each object.',
  properties,
  secretProperties,
  receivers: { accessKeyId: toAws, secretAccessKey: toAws },
  clientPackages: ['@aws-sdk/client-redshift-data'],
  addressKeys: [
    'region',
    'workgroupName',
    'clusterIdentifier',
    'dbName',
    'schemaName',
    'tableName',
    'layout',
    'endpointUrl',
  ],
  limits: { maxBatch: batchSizeMax, concurrency: 4, timeoutMs: 60_000 },
  // The Data API takes 100 KB at a time.
  collecting: (settings) => collectingOfLayout(settings, { bytes: 2 ** 20 }),
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(dataApiUrl(settings), settings, { path: at, setting: 'region' }, services),
  maskSettings: (settings) => settings,
  secretsOf: ({ accessKeyId, secretAccessKey }) => [secretAccessKey, accessKeyId],
  endpoint: (settings) =>
    `${dataApiUrl(settings).host} ${settings.dbName}.${settings.schemaName ?? 'public'}.${settings.tableName ?? tablesShown}`,
  host: (settings) => dataApiUrl(settings).hostname,
  headers: () => ({}),
  open: openRedshift,
}
