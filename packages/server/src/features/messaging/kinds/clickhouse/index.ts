import { checkHost } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { batchSizeMax } from '../warehouse.ts'
import { openClickHouse } from './clickhouse-sender.ts'
import { type ClickHouseSettings, properties, readSettings, secretProperties } from './settings.ts'

/** Inserts each message into a table of ClickHouse, as a row. */
export const clickhouse: DestinationKind<ClickHouseSettings> = {
  name: 'clickhouse',
  summary: 'Inserts each message as a row into a table of ClickHouse.',
  properties,
  secretProperties,
  addressKeys: ['url', 'database', 'tableName'],
  limits: { maxBatch: batchSizeMax, concurrency: 2, timeoutMs: 30_000 },
  readSettings,
  checkSettings: ({ url }, at, services) => checkHost(url, `${at}.url`, services, 'http'),
  maskSettings: (settings) => settings,
  secretsOf: ({ password }) => [password],
  endpoint: ({ url, tableName }) => `${new URL(url).host} ${tableName}`,
  host: ({ url }) => new URL(url).hostname,
  headers: () => ({}),
  open: openClickHouse,
}
