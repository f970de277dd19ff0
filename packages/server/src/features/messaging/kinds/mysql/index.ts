import type { DestinationKind } from '../kind.ts'
import { kindWithUrl, shownTarget } from '../tables/database-url.ts'
import { openMysql } from './mysql-sender.ts'
import { type MysqlSettings, properties, readSettings, targetOf, urlRules } from './settings.ts'

/** Keeps one table for each object, with a row for each record: in the database of the user. */
export const mysql: DestinationKind<MysqlSettings> = {
  name: 'mysql',
  summary: 'Keeps the records of each object in a table of a MySQL or MariaDB database.',
  properties,
  addressKeys: ['url', 'database'],
  limits: { maxBatch: 100, concurrency: 1, timeoutMs: 60_000 },
  readSettings,
  ...kindWithUrl<MysqlSettings>(urlRules),
  endpoint: (settings) => [shownTarget(targetOf(settings)), settings.database].filter(Boolean).join(' '),
  open: openMysql,
}
