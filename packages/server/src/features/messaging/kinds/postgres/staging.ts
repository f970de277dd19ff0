import { once } from 'node:events'
import type { Client, Connection } from 'pg'
import { isServerError } from './postgres-connection.ts'

/** A column of the staging table. */
export interface StagedColumn<Row> {
  name: string
  type: string
  /** @param at the index of the row */
  textOf(row: Row, at: number): string | null
}

/** The table that rows are copied into. */
export const stagingTable = 'pg_temp._mortise_rows'

/** Characters that are sent together. */
const chunkLength = 64 * 1024

/**
 * What a server answers that permits no temporary table, or has none: insufficient_privilege, feature_not_supported,
 * and raise_exception of an event trigger.
 */
const refusals = new Set(['42501', '0A000', 'P0001'])

/**
 * Copies rows into a temporary table, from which a statement merges them. The table exists during one message of the
 * protocol: a pooler gives the connection to others without it, and whatever ends the transaction takes it back.
 */
export class Staging {
  readonly #client: Client
  #isPermitted: boolean | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Whether the server lets this user copy into a temporary table. The first call tries it without rows, in the
   * transaction that has begun, which stays as it was.
   *
   * @throws what the server says instead
   */
  async isPermitted(): Promise<boolean> {
    if (this.#isPermitted !== undefined) return this.#isPermitted
    let isPermitted = true
    await this.#client.query('savepoint mortise_staging')
    try {
      await this.run([{ name: 'id', type: 'text', textOf: () => null }], [])
    } catch (error) {
      if (!isServerError(error) || !refusals.has(error.code)) throw error
      isPermitted = false
    }
    await this.#client.query('rollback to savepoint mortise_staging')
    this.#isPermitted = isPermitted
    return isPermitted
  }

  /** Copies rows, and runs a statement that reads them in their order. */
  async run<Row>(columns: readonly StagedColumn<Row>[], rows: readonly Row[], statement = ''): Promise<void> {
    const definitions = columns.map(({ name, type }) => `${name} ${type}`)
    await copy(
      this.#client,
      `create temporary table _mortise_rows (${definitions.join(', ')});
       copy ${stagingTable} from stdin; ${statement}; drop table ${stagingTable}`,
      copyText(columns, rows),
    )
  }
}

/** Returns rows in the text format of COPY (PostgreSQL, page of COPY), in parts. */
function* copyText<Row>(columns: readonly StagedColumn<Row>[], rows: readonly Row[]): Generator<string> {
  let text = ''
  for (const [at, row] of rows.entries()) {
    text += `${columns.map(({ textOf }) => escaped(textOf(row, at))).join('\t')}\n`
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

const special = /[\\\t\n\r]/
const allSpecial = /[\\\t\n\r]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escaped(text: string | null): string {
  if (text === null) return '\\N'
  return special.test(text) ? text.replace(allSpecial, (found) => escapes[found] ?? found) : text
}

/** A connection of `pg`, with what its types leave out. */
type CopyConnection = Connection & {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/**
 * Runs statements of which one is a COPY, and sends it parts, each once the connection has room.
 *
 * This is a query of `pg`, not a stream of `pg-copy-streams`: that one throws in the handler of the socket when a
 * server answers with rows or does not ask for any, which would end the process.
 */
async function copy(client: Client, text: string, parts: Iterable<string>): Promise<void> {
  const { default: pg } = await import('pg')
  let [isSent, isOver] = [false, false]
  let failure: unknown
  const send = async (connection: CopyConnection) => {
    try {
      for (const part of parts) {
        connection.sendCopyFromChunk(Buffer.from(part))
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
        if (isOver) return
      }
      isSent = true
      connection.endCopyFrom()
    } catch (error) {
      failure = error
      if (!isOver) connection.sendCopyFail('Mortise could not write the rows.')
    }
  }
  await new Promise<void>((resolve, reject) => {
    const query = new pg.Query(text, (error) => {
      isOver = true
      if (error) reject(failure ?? error)
      else if (isSent) resolve()
      else reject(new Error('The server did not ask for rows.'))
    })
    client.query(Object.assign(query, { handleCopyInResponse: send }))
  })
}
