import type { DestinationKind } from '../kind.ts'
import { openRecords } from './records-sender.ts'
import { properties, type RecordsSettings, readSettings } from './settings.ts'

export { marksDaysDefault, type RecordsSettings } from './settings.ts'

/** Its `type` in the API. */
export const recordsKind = 'records'

/** Keeps the records of each object in the database of this service, from which the API returns them. */
export const records: DestinationKind<RecordsSettings> = {
  name: recordsKind,
  summary: 'Keeps the records of each object in the database of Mortise, for requests to the API.',
  properties,
  receivers: {},
  addressKeys: [],
  limits: { maxBatch: 100, concurrency: 1, timeoutMs: 60_000 },
  readSettings,
  checkSettings: async () => [],
  maskSettings: (settings) => settings,
  secretsOf: () => [],
  endpoint: () => 'the database of Mortise',
  host: () => undefined,
  headers: () => ({}),
  open: openRecords,
}
