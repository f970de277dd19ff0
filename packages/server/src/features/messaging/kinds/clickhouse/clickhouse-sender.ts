import { createHash } from 'node:crypto'
import { createCalls, jsonOf, notDelivered } from '../http-calls.ts'
import type { Together } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices } from '../kind.ts'
import { definedSettings } from '../settings-reader.ts'
import { insertRows } from '../warehouse.ts'
import { openWarehouse } from '../warehouse-tables/warehouse-sender.ts'
import { sendWholeRows, type WholeRow } from '../whole-rows.ts'
import { createStatements, NotConfirmed } from './clickhouse-statements.ts'
import { ClickHouseTables, tableSettings } from './clickhouse-tables.ts'
import { quoted } from './clickhouse-text.ts'
import { refusalOf } from './refusal.ts'
import type { ClickHouseSettings } from './settings.ts'

const insertionBytesMax = 10 * 2 ** 20
const recordBytesMax = 8 * 2 ** 20

const insertionSettings = {
  input_format_skip_unknown_fields: 1,
  date_time_input_format: 'best_effort',
  async_insert: 1,
  wait_for_async_insert: 1,
  async_insert_deduplicate: 1,
  // The status is that of the end, not of the beginning.
  wait_end_of_query: 1,
} as const

/** Stores rows over the HTTP interface: one for each message, or one for each record. */
export function openClickHouse(settings: ClickHouseSettings, services: SenderServices): Sender {
  return settings.layout === 'tables'
    ? openWarehouse(
        (options) => {
          const statements = createStatements(settings, createCalls(services, options), tableSettings)
          return (database = settings.database) =>
            new ClickHouseTables(definedSettings({ ...settings, database }), statements, options.time)
        },
        services,
        { namespace: settings.database, deletions: settings.deletes },
      )
    : openMessages(settings, services)
}

function openMessages(settings: ClickHouseSettings, services: SenderServices): Sender {
  const url = new URL(settings.url)
  const target = targetOf(settings)
  return {
    async send(batch, options) {
      const statements = createStatements(settings, createCalls(services, options), insertionSettings)
      return sendWholeRows(batch, services, recordBytesMax, (rows) =>
        insertRows(rows, settings, { bytesMax: insertionBytesMax }, async (some) => {
          const texts = await Promise.all(some.map(async ({ load }) => rowOf(await load())))
          try {
            await statements.insert(target, texts, { settings: deduplication(some) })
            return { result: { outcome: 'delivered', status: 200 }, isOfData: false }
          } catch (error) {
            return meaningOf(url, error, options.time)
          }
        }),
      )
    },
    close: async () => undefined,
  }
}

/** A row has the keys of its message, and the id, which deduplicates. The result is JSON in a text. */
function rowOf(message: OutgoingMessage): string {
  const { result, ...keys } = jsonOf(message) ?? {}
  return JSON.stringify({
    ...keys,
    ...(result !== undefined && { result: JSON.stringify(result) }),
    messageId: message.id,
  })
}

function targetOf({ database, tableName }: ClickHouseSettings): string {
  return [database, tableName].flatMap((name) => (name === undefined ? [] : [quoted(name)])).join('.')
}

/** For replicated tables: the same rows, inserted again, are left out. */
function deduplication(rows: readonly WholeRow[]) {
  const ids = createHash('sha256').update(rows.map(({ message }) => message.id).join())
  return { insert_deduplication_token: ids.digest('hex') }
}

/** What it means that an insertion was not confirmed. */
function meaningOf(url: URL, error: unknown, time: Date): Together {
  if (!(error instanceof NotConfirmed)) throw error
  const { answer } = error
  if (answer.status !== 200) return refusalOf(url, answer, time)
  const result = notDelivered(url, answer, time, `${url.host} did not confirm the insertion.`)
  return { result, isOfData: false }
}
