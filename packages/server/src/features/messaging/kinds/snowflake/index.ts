import { checkEndpoint } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { pemLines } from '../pem-lines.ts'
import { batchSizeMax } from '../warehouse.ts'
import { properties, readSettings, type SnowflakeSettings, secretProperties, statementsUrl } from './settings.ts'
import { openSnowflake } from './snowflake-sender.ts'

/** Inserts each message into a table of Snowflake, as a row. */
export const snowflake: DestinationKind<SnowflakeSettings> = {
  name: 'snowflake',
  summary: 'Inserts each message as a row into a table of Snowflake.',
  properties,
  secretProperties,
  addressKeys: ['accountIdentifier', 'dbName', 'schemaName', 'tableName', 'endpointUrl'],
  limits: { maxBatch: batchSizeMax, concurrency: 2, timeoutMs: 60_000 },
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(statementsUrl(settings), settings, { path: at, setting: 'accountIdentifier' }, services),
  maskSettings: (settings) => settings,
  secretsOf: ({ privateKey }) => [privateKey, ...pemLines(privateKey)],
  endpoint: (settings) =>
    `${statementsUrl(settings).host} ${settings.dbName}.${settings.schemaName}.${settings.tableName}`,
  host: (settings) => statementsUrl(settings).hostname,
  headers: () => ({}),
  open: openSnowflake,
}
