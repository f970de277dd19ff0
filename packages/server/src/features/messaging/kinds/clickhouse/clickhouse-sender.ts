import { createHash, randomUUID } from 'node:crypto'
import { createCalls, type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { Together } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices } from '../kind.ts'
import { definedSettings } from '../settings-reader.ts'
import { insertRows } from '../warehouse.ts'
import { openWarehouse } from '../warehouse-tables/warehouse-sender.ts'
import { sendWholeRows, type WholeRow } from '../whole-rows.ts'
import { ClickHouseTables } from './clickhouse-tables.ts'
import { authorization, hasException, refusalOf } from './refusal.ts'
import type { ClickHouseSettings } from './settings.ts'

const insertionBytesMax = 10 * 2 ** 20
const recordBytesMax = 8 * 2 ** 20

/** Stores rows over the HTTP interface: one for each message, or one for each record. */
export function openClickHouse(settings: ClickHouseSettings, services: SenderServices): Sender {
  return settings.layout === 'tables'
    ? openWarehouse(
        (options) => {
          const call = createCalls(services, options)
          return (database = settings.database) =>
            new ClickHouseTables(definedSettings({ ...settings, database }), call, options.time)
        },
        services,
        { namespace: settings.database, deletions: settings.deletes },
      )
    : openMessages(settings, services)
}

function openMessages(settings: ClickHouseSettings, services: SenderServices): Sender {
  const headers = { authorization: authorization(settings), 'content-type': 'application/x-ndjson' }
  return {
    async send(batch, options) {
      const call = createCalls(services, options)
      return sendWholeRows(batch, services, recordBytesMax, (rows) =>
        insertRows(rows, settings, { bytesMax: insertionBytesMax }, async (some) => {
          const queryId = randomUUID()
          const url = insertionUrl(settings, some, queryId)
          const texts = await Promise.all(some.map(async ({ load }) => rowOf(await load())))
          const answer = await call({ url, headers, body: texts.join('\n') })
          return meaningOf(url, answer, queryId, options.time)
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

function insertionUrl(
  { url, database, tableName }: ClickHouseSettings,
  rows: readonly WholeRow[],
  queryId: string,
): URL {
  const target = [database, tableName].flatMap((name) => (name === undefined ? [] : [`\`${name}\``])).join('.')
  const ids = createHash('sha256').update(rows.map(({ message }) => message.id).join())
  const insertion = new URL(url)
  insertion.search = new URLSearchParams({
    query: `INSERT INTO ${target} FORMAT JSONEachRow`,
    query_id: queryId,
    input_format_skip_unknown_fields: '1',
    date_time_input_format: 'best_effort',
    async_insert: '1',
    wait_for_async_insert: '1',
    // For replicated tables: the same rows, inserted again, are left out.
    async_insert_deduplicate: '1',
    insert_deduplication_token: ids.digest('hex'),
    // The status is that of the end, not of the beginning.
    wait_end_of_query: '1',
  }).toString()
  return insertion
}

/** What an answer means. An insertion answers nothing, but repeats the id that it was sent with. */
function meaningOf(url: URL, answer: HttpAnswer, queryId: string, time: Date): Together {
  const { status, headers, body } = answer
  if (status !== 200) return refusalOf(url, answer, time)
  if (body.length === 0 && headers['x-clickhouse-query-id'] === queryId && !hasException(answer))
    return { result: { outcome: 'delivered', status }, isOfData: false }
  const result = notDelivered(url, answer, time, `${url.host} did not confirm the insertion.`)
  return { result, isOfData: false }
}
