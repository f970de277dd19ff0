import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { Sized, Together } from '../in-parts.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { insertRows } from '../warehouse.ts'
import { openWarehouse } from '../warehouse-tables/warehouse-sender.ts'
import { type SnowflakeSettings, statementsUrl } from './settings.ts'
import { SnowflakeTables } from './snowflake-tables.ts'
import { createStatements, isExecuted } from './statements.ts'

/** Statements with large bindings are slow: several small ones are faster than a huge one. */
const statementBytesMax = 4 * 2 ** 20

interface Row extends Sized {
  values: [id: string, createdAt: string, payload: string]
}

/** Stores rows over the SQL API: one for each message, or one for each record. */
export function openSnowflake(settings: SnowflakeSettings, services: SenderServices): Sender {
  return settings.layout === 'tables'
    ? openWarehouse(async (options) => {
        const statements = await createStatements(settings, services, options)
        return new SnowflakeTables(settings, statements, options.time)
      }, services)
    : openMessages(settings, services)
}

function openMessages(settings: SnowflakeSettings, services: SenderServices): Sender {
  const url = statementsUrl(settings)
  return {
    async send(batch, options) {
      const statements = await createStatements(settings, services, options)
      const rows = batch.map((message): Row => {
        const createdAt = createTimeOf(message).toISOString().replace('Z', '+00:00')
        return { message, values: [message.id, createdAt, message.body.toString()], bytes: message.body.length }
      })
      return insertRows(rows, settings, { bytesMax: statementBytesMax }, async (some) => {
        const values = some.flatMap((row) => row.values)
        return meaningOf(url, await statements.run(insertion(settings, some.length), values), options.time)
      })
    },
    close: async () => undefined,
  }
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
