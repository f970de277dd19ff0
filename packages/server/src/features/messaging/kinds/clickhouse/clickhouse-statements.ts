import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ClickHouseClientConfigOptions, ClickHouseSettings as StatementSettings } from '@clickhouse/client'
import type { createCalls, HttpAnswer } from '../http-calls.ts'
import { authorization, hasException } from './refusal.ts'
import type { ClickHouseSettings } from './settings.ts'

type Call = ReturnType<typeof createCalls>
type Connection = NonNullable<ClickHouseClientConfigOptions['connection']>
type Statement = Parameters<Connection['command']>[0]

/** An answer that does not confirm a statement: an error, or something else than ClickHouse answers. */
export class NotConfirmed extends Error {
  readonly answer: HttpAnswer

  constructor(answer: HttpAnswer) {
    super('The server did not confirm the statement.')
    this.answer = answer
  }
}

/** Statements to a server. All of them throw `NotConfirmed`, or an `OutboundError` if there was no answer. */
export interface Statements {
  /** Inserts rows, each a JSON object as text. The names are quoted. */
  insert(
    table: string,
    rows: readonly string[],
    options?: { columns?: readonly string[]; settings?: StatementSettings },
  ): Promise<void>
  execute(statement: string): Promise<void>
  /** Returns the rows of an answer, with each value as text. */
  rows(statement: string): Promise<string[][]>
}

const rowFormat = 'JSONCompactStringsEachRow'

/**
 * Writes and reads statements with the client of ClickHouse, over the calls of one `send`. The client has no access to
 * the network, to the credentials and to answers that are errors: a long one would keep its expression for errors busy.
 *
 * @param statementSettings settings of each statement
 */
export function createStatements(
  settings: ClickHouseSettings,
  call: Call,
  statementSettings: StatementSettings,
): Statements {
  const answers = new WeakMap<Readable, HttpAnswer>()
  const connection = connectionOf(settings, call, answers)
  const connect = async () => {
    const { createClient, ClickHouseLogLevel, ResultSet } = await import('@clickhouse/client')
    const client = createClient({
      connection,
      clickhouse_settings: statementSettings,
      json: { stringify: String },
      log: { level: ClickHouseLogLevel.OFF },
    })
    return { client, ResultSet }
  }
  return {
    async insert(table, rows, { columns = [], settings: own = {} } = {}) {
      const { client } = await connect()
      const [first, ...others] = columns
      await client.insert({
        table,
        values: rows,
        format: 'JSONEachRow',
        ...(first !== undefined && { columns: [first, ...others] }),
        clickhouse_settings: own,
      })
    },
    async execute(query) {
      const { client } = await connect()
      await client.command({ query })
    },
    async rows(query) {
      const { client, ResultSet } = await connect()
      const { stream, query_id } = await client.exec({ query, clickhouse_settings: { default_format: rowFormat } })
      const result = new ResultSet<typeof rowFormat>(stream, rowFormat, query_id, () => undefined)
      const rows: readonly unknown[] = await result.json<unknown>().catch(() => [undefined])
      if (rows.every(isTexts)) return [...rows]
      throw new NotConfirmed(answers.get(stream) ?? noAnswer)
    },
  }
}

const noAnswer: HttpAnswer = { status: 200, headers: {}, body: Buffer.alloc(0) }

function isTexts(row: unknown): row is string[] {
  return Array.isArray(row) && row.every((value) => typeof value === 'string')
}

/** Sends what the client writes. The answer repeats the id of the query that it is the answer to. */
function connectionOf(settings: ClickHouseSettings, call: Call, answers: WeakMap<Readable, HttpAnswer>): Connection {
  const headers = { authorization: authorization(settings), 'content-type': 'text/plain; charset=utf-8' }
  const send = async ({ clickhouse_settings: options = {} }: Statement, body: string) => {
    const query_id = randomUUID()
    const url = new URL(settings.url)
    url.search = new URLSearchParams([
      ['query_id', query_id],
      ...Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]),
    ]).toString()
    const answer = await call({ url, headers, body })
    const isConfirmed = answer.status === 200 && answer.headers['x-clickhouse-query-id'] === query_id
    if (!isConfirmed || hasException(answer)) throw new NotConfirmed(answer)
    return { answer, result: { query_id, response_headers: {} } }
  }
  const sendSilent = async (statement: Statement, body: string) => {
    const { answer, result } = await send(statement, body)
    if (answer.body.length > 0) throw new NotConfirmed(answer)
    return result
  }
  const notSent = async () => {
    throw new TypeError('The client sends no such request.')
  }
  return {
    command: (statement) => sendSilent(statement, statement.query),
    // With many columns, the statement is too long for a URL.
    insert: (statement) => sendSilent(statement, `${statement.query}\n${statement.values}`),
    async exec(statement) {
      const { answer, result } = await send(statement, statement.query)
      const { body, truncated } = answer
      // The client would ignore half a line.
      if (truncated || (body.length > 0 && body.at(-1) !== 0x0a)) throw new NotConfirmed(answer)
      const stream = Readable.from([body])
      answers.set(stream, answer)
      return { ...result, stream }
    },
    query: notSent,
    ping: notSent,
    close: async () => undefined,
  }
}
