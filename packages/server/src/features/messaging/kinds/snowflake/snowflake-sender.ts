import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { Together } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { insertRows } from '../warehouse.ts'
import { openWarehouse } from '../warehouse-tables/warehouse-sender.ts'
import { sendWholeRows } from '../whole-rows.ts'
import { type SnowflakeSettings, statementsUrl } from './settings.ts'
import { SnowflakeTables } from './snowflake-tables.ts'
import { createStatements, isExecuted } from './statements.ts'

/** Statements with large bindings are slow: several small ones are faster than a huge one. */
const statementBytesMax = 4 * 2 ** 20
/** Half of the maximum of a value (Snowflake, "VARIANT"). */
const recordBytesMax = 8 * 2 ** 20

/** Stores rows over the SQL API: one for each message, or one for each record. */
export function openSnowflake(settings: SnowflakeSettings, services: SenderServices): Sender {
  return settings.layout === 'tables'
    ? openWarehouse(
        async (options) => {
          const statements = await createStatements(settings, services, options)
          return (namespace) => {
            // In upper case, so that queries need no quotes.
            const schemaName = namespace === undefined ? settings.schemaName : `"${namespace.toUpperCase()}"`
            return new SnowflakeTables({ ...settings, schemaName }, statements, options.time)
          }
        },
        services,
        { namespace: settings.schemaName, deletions: settings.deletes },
      )
    : openMessages(settings, services)
}

function openMessages(settings: SnowflakeSettings, services: SenderServices): Sender {
  const url = statementsUrl(settings)
  return {
    async send(batch, options) {
      const statements = await createStatements(settings, services, options)
      return sendWholeRows(batch, services, recordBytesMax, (rows) =>
        insertRows(rows, settings, { bytesMax: statementBytesMax }, async (some) => {
          const values = await Promise.all(some.map(async ({ load }) => valuesOf(await load())))
          return meaningOf(url, await statements.run(insertion(settings, some.length), values.flat()), options.time)
        }),
      )
    },
    close: async () => undefined,
  }
}

function valuesOf(message: OutgoingMessage): [id: string, createdAt: string, payload: string] {
  const createdAt = createTimeOf(message).toISOString().replace('Z', '+00:00')
  return [message.id, createdAt, message.body.toString()]
}

/** Names are as in SQL; values are bound. */
function insertion({ dbName, schemaName, tableName }: SnowflakeSettings, count: number): string {
  const rows = Array.from({ length: count }, () => '(?, ?, ?)').join(', ')
  return `INSERT INTO ${dbName}.${schemaName}.${tableName} (id, created_at, payload) VALUES ${rows}`
}

/** What an answer means. */
function meaningOf(url: URL, answer: HttpAnswer, time: Date): Together {
  const { status } = answer
  if (isExecuted(answer)) return { result: { outcome: 'delivered', status }, isOfData: false }
  const { code, sqlState } = jsonOf(answer) ?? {}
  const shown = typeof code === 'string' && /^\d{4,8}$/.test(code) ? code : undefined
  const refusal = shown === undefined ? undefined : `${url.host} answered ${status} (error ${shown}).`
  const reason = status < 300 ? `${url.host} did not confirm the insertion.` : refusal
  // Classes 22 and 23 of SQL are about values and constraints.
  const isOfData = status === 422 && typeof sqlState === 'string' && /^2[23]/.test(sqlState)
  return { result: notDelivered(url, answer, time, reason), isOfData }
}
