import { createHash, randomUUID } from 'node:crypto'
import { createCalls, type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { Sized, Together } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices } from '../kind.ts'
import { insertRows } from '../warehouse.ts'
import type { ClickHouseSettings } from './settings.ts'

const insertionBytesMax = 10 * 2 ** 20

interface Row extends Sized {
  text: string
}

/** Inserts messages over the HTTP interface, many at a time. */
export function openClickHouse(settings: ClickHouseSettings, services: SenderServices): Sender {
  const { username, password } = settings
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'content-type': 'application/x-ndjson',
  }
  return {
    async send(batch, options) {
      const call = createCalls(services, options)
      return insertRows(batch.map(rowOf), settings, { bytesMax: insertionBytesMax }, async (rows) => {
        const queryId = randomUUID()
        const url = insertionUrl(settings, rows, queryId)
        const answer = await call({ url, headers, body: rows.map(({ text }) => text).join('\n') })
        return meaningOf(url, answer, queryId, options.time)
      })
    },
    close: async () => undefined,
  }
}

/** A row has the keys of its message, and the id, which deduplicates. The result is JSON in a text. */
function rowOf(message: OutgoingMessage): Row {
  const { result, ...keys } = jsonOf(message) ?? {}
  const row = { ...keys, ...(result !== undefined && { result: JSON.stringify(result) }), messageId: message.id }
  const text = JSON.stringify(row)
  return { message, text, bytes: Buffer.byteLength(text) }
}

function insertionUrl({ url, database, tableName }: ClickHouseSettings, rows: readonly Row[], queryId: string): URL {
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
  if (body.length === 0 && headers['x-clickhouse-query-id'] === queryId)
    return { result: { outcome: 'delivered', status }, isOfData: false }
  const result = notDelivered(url, answer, time, `${url.host} did not confirm the insertion.`)
  return { result, isOfData: false }
}

/** Names of errors that a row causes. Others concern the table, the user or the server. */
const dataErrors =
  /^(?:CANNOT_PARSE_\w+|CANNOT_READ_\w+|CANNOT_INSERT_NULL_\w+|INCORRECT_DATA|TYPE_MISMATCH|VIOLATED_CONSTRAINT|VALUE_IS_OUT_OF_RANGE_\w+|ARGUMENT_OUT_OF_BOUND|DECIMAL_OVERFLOW|TOO_LARGE_STRING_SIZE|UNKNOWN_ELEMENT_OF_ENUM)$/

/** "Code: 27. DB::Exception: Cannot parse … (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 25.3)" */
function refusalOf(url: URL, answer: HttpAnswer, time: Date): Together {
  const names = [...answer.body.toString().matchAll(/\(([A-Z][A-Z_]{3,80})\)/g)].map(([, name = '']) => name)
  const name = names.at(-1)
  const reason = name === undefined ? undefined : `${url.host} answered ${answer.status} (${name}).`
  const isOfData = name === undefined ? answer.status === 400 : dataErrors.test(name)
  return { result: notDelivered(url, answer, time, reason), isOfData }
}
