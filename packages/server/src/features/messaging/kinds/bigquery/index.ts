import { checkEndpoint } from '../check-host.ts'
import { googleSecretProperties, googleSecretsOf } from '../google.ts'
import type { DestinationKind } from '../kind.ts'
import { batchSizeMax } from '../warehouse.ts'
import { openBigQuery } from './bigquery-sender.ts'
import { type BigQuerySettings, insertUrl, properties, readSettings } from './settings.ts'

/** Inserts each message into a table of BigQuery, as a row. */
export const bigquery: DestinationKind<BigQuerySettings> = {
  name: 'bigquery',
  summary: 'Inserts each message as a row into a table of Google BigQuery.',
  properties,
  secretProperties: googleSecretProperties,
  addressKeys: ['projectId', 'datasetId', 'tableId', 'endpointUrl'],
  limits: { maxBatch: batchSizeMax, concurrency: 2, timeoutMs: 30_000 },
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(insertUrl(settings), settings, { path: at, setting: 'projectId' }, services),
  maskSettings: (settings) => settings,
  secretsOf: googleSecretsOf,
  endpoint: (settings) => `${insertUrl(settings).host} ${settings.projectId}.${settings.datasetId}.${settings.tableId}`,
  host: (settings) => insertUrl(settings).hostname,
  headers: () => ({}),
  open: openBigQuery,
}
