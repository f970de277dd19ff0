import { checkEndpoint } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { pemLines } from '../pem-lines.ts'
import { cloudReceivers } from '../receivers.ts'
import { batchSizeMax } from '../warehouse.ts'
import { collectingOfLayout, tablesShown } from '../warehouse-tables/layout.ts'
import { properties, readSettings, type SnowflakeSettings, secretProperties, statementsUrl } from './settings.ts'
import { openSnowflake } from './snowflake-sender.ts'

/** Stores each message in a table of Snowflake, or each record in the table of its object. */
export const snowflake: DestinationKind<SnowflakeSettings> = {
  name: 'snowflake',
  summary: 'Stores messages in a table of Snowflake, or records in a table for each object.',
  properties,
  secretProperties,
  // It signs tokens, which requests have.
  receivers: { privateKey: cloudReceivers('Snowflake') },
  addressKeys: ['accountIdentifier', 'dbName', 'schemaName', 'tableName', 'layout', 'endpointUrl'],
  limits: { maxBatch: batchSizeMax, concurrency: 2, timeoutMs: 60_000 },
  collecting: (settings) => collectingOfLayout(settings),
  readSettings,
  checkSettings: (settings, at, services) =>
    checkEndpoint(statementsUrl(settings), settings, { path: at, setting: 'accountIdentifier' }, services),
  maskSettings: (settings) => settings,
  secretsOf: ({ privateKey }) => [privateKey, ...pemLines(privateKey)],
  endpoint: (settings) =>
    `${statementsUrl(settings).host} ${settings.dbName}.${settings.schemaName}.${settings.tableName ?? tablesShown}`,
  host: (settings) => statementsUrl(settings).hostname,
  headers: () => ({}),
  open: openSnowflake,
}
