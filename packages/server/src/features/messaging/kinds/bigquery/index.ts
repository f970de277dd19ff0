import { checkEndpoint } from '../check-host.ts'
import { googleReceivers, googleSecretProperties, googleSecretsOf } from '../google.ts'
import type { DestinationKind } from '../kind.ts'
import { batchSizeMax } from '../warehouse.ts'
import { collectingOfLayout, tablesShown } from '../warehouse-tables/layout.ts'
import { openBigQuery } from './bigquery-sender.ts'
import { apiUrl, type BigQuerySettings, properties, readSettings } from './settings.ts'

/** Stores each message in a table of BigQuery, or each record in the table of its object. */
export const bigquery: DestinationKind<BigQuerySettings> = {
  name: 'bigquery',
  summary: 'Stores messages in a table of Google BigQuery, or records in a table for each object.',
  properties,
  secretProperties: googleSecretProperties,
  receivers: googleReceivers,
  clientPackages: ['@google-cloud/bigquery'],
  addressKeys: ['projectId', 'datasetId', 'tableId', 'layout', 'endpointUrl'],
  limits: { maxBatch: batchSizeMax, concurrency: 2, timeoutMs: 60_000 },
  collecting: (settings) => collectingOfLayout(settings),
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(apiUrl(settings), settings, { path: at, setting: 'projectId' }, services),
  maskSettings: (settings) => settings,
  secretsOf: googleSecretsOf,
  endpoint: (settings) =>
    `${apiUrl(settings).host} ${settings.projectId}.${settings.datasetId}.${settings.tableId ?? tablesShown}`,
  host: (settings) => apiUrl(settings).hostname,
  headers: () => ({}),
  open: openBigQuery,
}
