import type { DestinationKind } from '../kind.ts'
import { kindWithUrl, shownTarget } from '../tables/database-url.ts'
import { openPostgres } from './postgres-sender.ts'
import { type PostgresSettings, properties, readSettings, targetOf, urlRules } from './settings.ts'

/** Keeps one table for each object, with a row for each record: in the database of the user. */
export const postgres: DestinationKind<PostgresSettings> = {
  name: 'postgres',
  summary: 'Keeps the records of each object in a table of a PostgreSQL database.',
  properties,
  addressKeys: ['url', 'schema'],
  limits: { maxBatch: 100, concurrency: 2, timeoutMs: 60_000 },
  readSettings,
  ...kindWithUrl<PostgresSettings>(urlRules),
  endpoint: (settings) => `${shownTarget(targetOf(settings))} ${settings.schema ?? 'public'}`,
  open: openPostgres,
}
