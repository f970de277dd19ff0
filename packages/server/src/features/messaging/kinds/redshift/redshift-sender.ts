import { createHash } from 'node:crypto'
import { awsError } from '../aws.ts'
import type { SentToAws } from '../aws-client.ts'
import { notDelivered } from '../http-calls.ts'
import type { Sized, Together } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { definedSettings } from '../settings-reader.ts'
import { insertRows } from '../warehouse.ts'
import { openWarehouse } from '../warehouse-tables/warehouse-sender.ts'
import { type DataCall, databaseOf, endOf, isDataError, openDataApi, runToEnd, waitSecs } from './data-calls.ts'
import { RedshiftSession } from './redshift-session.ts'
import { RedshiftTables } from './redshift-tables.ts'
import { dataApiUrl, type RedshiftSettings } from './settings.ts'

/** Maximum size of a statement (Redshift Data API, "Considerations"), with room for what surrounds values. */
const statementBytesMax = 90_000
const rowBytes = 200
/** Maximum length of the column (Amazon Redshift, "VARCHAR"). */
const payloadBytesMax = 65_535

/** Stores rows over the Data API: one for each message, or one for each record. */
export function openRedshift(settings: RedshiftSettings, services: SenderServices): Sender {
  const callsOf = openDataApi(settings, services)
  return settings.layout === 'tables'
    ? openWarehouse(
        (options) => {
          // Sessions are few: all schemas of a batch have one.
          const session = new RedshiftSession(settings, callsOf(options), options)
          return (schemaName = settings.schemaName) =>
            new RedshiftTables(definedSettings({ ...settings, schemaName }), session)
        },
        services,
        { namespace: settings.schemaName, deletions: settings.deletes },
      )
    : openMessages(settings, callsOf)
}

function openMessages(settings: RedshiftSettings, callsOf: (options: SendOptions) => DataCall): Sender {
  const url = dataApiUrl(settings)
  return {
    async send(batch, options) {
      const call = callsOf(options)
      const rows = batch
        .filter(({ body, hasResult }) => body.length <= payloadBytesMax && !hasResult)
        .map((message): Sized => ({ message, bytes: message.body.length + rowBytes }))
      const inserted = await insertRows(rows, settings, { bytesMax: statementBytesMax }, async (some) => {
        const messages = some.map(({ message }) => message)
        return await insert(settings, messages, { url, call, options })
      })
      const results = new Map(rows.map(({ message }, index) => [message, inserted[index]]))
      return batch.map((message) => results.get(message) ?? tooLong)
    },
    close: async () => undefined,
  }
}

const tooLong: SendResult = {
  outcome: 'refused',
  error: `The message is longer than ${payloadBytesMax} bytes, which a column of Redshift cannot hold.`,
}

async function insert(
  settings: RedshiftSettings,
  messages: readonly OutgoingMessage[],
  { url, call, options }: { url: URL; call: DataCall; options: SendOptions },
): Promise<Together> {
  const { time } = options
  const input = insertion(settings, messages, time)
  const ran = await runToEnd(call, (api, by) => api.executeStatement(input, by), options)
  if ('ended' in ran) return meaningOf(url, ran.ended, time)
  const { refused } = ran
  if (refused.status !== 200) return { result: awsError(url, refused, time), isOfData: false }
  return { result: notDelivered(url, refused, time, `${url.host} did not confirm the statement.`), isOfData: false }
}

/** Names are quoted, values are parameters. A message has no empty value, which the Data API refuses. */
function insertion(settings: RedshiftSettings, messages: readonly OutgoingMessage[], time: Date) {
  const { schemaName = 'public', tableName } = settings
  const rows = messages.map((_, index) => `(:t${index}, :p${index})`).join(', ')
  return {
    Sql: `INSERT INTO "${schemaName}"."${tableName}" (created_at, payload) VALUES ${rows}`,
    Parameters: messages.flatMap((message, index) => [
      { name: `t${index}`, value: createTimeOf(message).toISOString().replace('T', ' ').replace('Z', '') },
      { name: `p${index}`, value: message.body.toString() },
    ]),
    ...databaseOf(settings),
    ClientToken: clientToken(messages, time),
    WaitTimeSeconds: waitSecs,
  }
}

/**
 * The same for the same messages of the same attempt: a request that arrives twice runs once. Of another attempt, it
 * differs, because the Data API returns a statement that failed for 8 hours.
 */
function clientToken(messages: readonly OutgoingMessage[], time: Date): string {
  const text = [String(time.getTime()), ...messages.map(({ id }) => id)].join()
  return createHash('sha256').update(text).digest('hex')
}

/** What the state of a statement means. */
function meaningOf(url: URL, sent: SentToAws<object>, time: Date): Together {
  const { answer } = sent
  if (answer.status !== 200) return { result: awsError(url, answer, time), isOfData: false }
  const { state } = endOf(sent)
  if (state === 'FINISHED') return { result: { outcome: 'delivered', status: answer.status }, isOfData: false }
  const isEnded = state === 'FAILED' || state === 'ABORTED'
  const reason = isEnded ? `The statement ended as ${state}.` : `${url.host} did not say what became of the statement.`
  return { result: notDelivered(url, answer, time, reason), isOfData: isDataError(sent) }
}
