import { createGoogleCalls, googleError } from '../google.ts'
import { askGoogle } from '../google-client.ts'
import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import { inParts, partsOf, refusedBeside } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { batchSizeMax } from '../warehouse.ts'
import { openWarehouse } from '../warehouse-tables/warehouse-sender.ts'
import { sendWholeRows, type WholeRow } from '../whole-rows.ts'
import { BigQueryTables } from './bigquery-tables.ts'
import { openClient } from './client.ts'
import { createQueries } from './queries.ts'
import { apiUrl, type BigQuerySettings } from './settings.ts'

const scope = 'https://www.googleapis.com/auth/bigquery.insertdata'
/** Maximum size of a request (BigQuery, "Streaming inserts"), with room for what surrounds rows. */
const requestBytesMax = 9 * 2 ** 20
/** The message is a text within JSON, which can take twice as much. */
const recordBytesMax = 4 * 2 ** 20

/** Stores a row for each message, or one for each record. */
export function openBigQuery(settings: BigQuerySettings, services: SenderServices): Sender {
  return settings.layout === 'tables'
    ? openWarehouse(
        (options) => {
          const queries = createQueries(settings, services, options)
          return (datasetId = settings.datasetId) => new BigQueryTables({ ...settings, datasetId }, queries)
        },
        services,
        { namespace: settings.datasetId, deletions: settings.deletes },
      )
    : openMessages(settings, services)
}

/** Inserts rows by `tabledata.insertAll`, which says of each row whether it was inserted. */
function openMessages(settings: BigQuerySettings, services: SenderServices): Sender {
  const url = apiUrl(settings)
  return {
    async send(batch, options) {
      const call = createGoogleCalls(settings, { scope, services, options })
      const insert = async (part: readonly WholeRow[]) => {
        const rows = await Promise.all(part.map(async ({ load }) => rowOf(await load())))
        const client = await openClient(settings)
        const answer = await askGoogle(client, { origin: url.origin, call }, (bigquery) =>
          bigquery
            .dataset(settings.datasetId)
            .table(settings.tableId ?? '')
            .insert(rows, { raw: true, skipInvalidRows: true, partialRetries: 0 }),
        )
        if ('outcome' in answer) return part.map(() => answer)
        const refusals = refusalsOf(answer, part.length)
        const results = part.map((_, index) =>
          resultOf(url, answer, refusals?.get(index), refusals !== undefined, options.time),
        )
        return refusedBeside(results, (result) => invalidRow.test(result.error ?? ''))
      }
      return sendWholeRows(batch, services, recordBytesMax, (rows) => {
        const sized = rows.map((row) => ({ ...row, bytes: 2 * row.bytes }))
        const limits = { bytesMax: requestBytesMax, countMax: settings.batchSize ?? batchSizeMax }
        return inParts(partsOf(sized, limits), insert)
      })
    },
    close: async () => undefined,
  }
}

function rowOf({ id, body }: OutgoingMessage) {
  return { insertId: id, json: { id, payload: body.toString() } }
}

/** BigQuery says `invalid` of a row that does not fit the table. Other reasons, such as `timeout`, pass. */
const invalidRow = /\(invalid\)\.$/

/**
 * The errors of rows, by their index. Undefined if the answer is not that of an insertion, or has an error of none of
 * the rows: any of them may be meant.
 */
function refusalsOf(answer: HttpAnswer, count: number): Map<number, object> | undefined {
  const { kind, insertErrors = [] } = jsonOf(answer) ?? {}
  const isWhole = answer.status === 200 && kind === 'bigquery#tableDataInsertAllResponse' && Array.isArray(insertErrors)
  if (!isWhole) return undefined
  const refusals = new Map<number, object>()
  for (const one of insertErrors as unknown[]) {
    // A zero may be left out.
    const index: unknown = typeof one === 'object' && one !== null ? (Reflect.get(one, 'index') ?? 0) : undefined
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return undefined
    refusals.set(index, one as object)
  }
  return refusals
}

function resultOf(
  url: URL,
  answer: HttpAnswer,
  refusal: object | undefined,
  isInsertion: boolean,
  time: Date,
): SendResult {
  const { status } = answer
  if (status !== 200) return googleError(url, answer, time)
  if (!isInsertion) return notDelivered(url, answer, time, `${url.host} did not confirm the insertion.`)
  if (refusal === undefined) return { outcome: 'delivered', status }
  const errors: unknown = Reflect.get(refusal, 'errors')
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  const code: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'reason') : undefined
  const shown = typeof code === 'string' ? /^[A-Za-z]{1,60}$/.exec(code)?.[0] : undefined
  const reason = `${url.host} refused the row (${shown ?? 'without a reason'}).`
  return notDelivered(url, { ...answer, body: Buffer.from(JSON.stringify(refusal)) }, time, reason)
}
