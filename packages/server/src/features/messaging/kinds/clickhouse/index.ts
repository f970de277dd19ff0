import { checkHost } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { httpReceivers } from '../receivers.ts'
import { batchSizeMax } from '../warehouse.ts'
import { collectingOfLayout, tablesShown } from '../warehouse-tables/layout.ts'
import { openClickHouse } from './clickhouse-sender.ts'
import { type ClickHouseSettings, properties, readSettings, secretProperties } from './settings.ts'

/** Stores each message in a table of ClickHouse, or each record in the table of its object. */
export const clickhouse: DestinationKind<ClickHouseSettings> = {
  name: 'clickhouse',
  summary: 'Stores messages in a table of ClickHouse, or records in a table for each object.',
  properties,
  secretProperties,
  receivers: { password: { settings: ['url'], of: ({ url }) => httpReceivers(url) } },
  clientPackages: ['@clickhouse/client'],
  addressKeys: ['url', 'database', 'tableName', 'layout'],
  limits: { maxBatch: batchSizeMax, concurrency: 2, timeoutMs: 30_000 },
  collecting: (settings) => collectingOfLayout(settings),
  readSettings,
  checkSettings: ({ url }, at, services) => checkHost(url, `${at}.url`, services, 'http'),
  maskSettings: (settings) => settings,
  secretsOf: ({ password }) => [password],
  endpoint: ({ url, tableName = tablesShown }) => `${new URL(url).host} ${tableName}`,
  host: ({ url }) => new URL(url).hostname,
  headers: () => ({}),
  open: openClickHouse,
}
