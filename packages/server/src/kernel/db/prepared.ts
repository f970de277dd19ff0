import { sql } from 'kysely'
import pg from 'pg'

const mark = '/* prepared */'

/**
 * Marks a statement that every connection parses and plans once. Use it for lookups by complete keys and for lists in
 * the order of an index: their plan is the same for all values, and planning costs more than execution. It is text,
 * because compiling a built query takes longer than the rest of a lookup. Do not use it for filters that may be absent
 * (`$1 is null or …`, see `andIf`) or for partitioned tables: their plans depend on the values.
 */
export const prepared = sql.raw(mark)

/** Sends one statement; its callback settles it. */
export type Send = (query: pg.Query) => void
export type Settle = (error: Error | null | undefined, result?: pg.QueryResult) => void

/** Runs a statement; a marked one under a separate name. */
export type RunStatement = (
  send: Send,
  text: string,
  values: unknown[],
  settle: Settle,
  isInTransaction: boolean,
) => void

/** Sends every statement without a name, behind a pooler that does not follow prepared statements. */
export const unnamedStatements: RunStatement = (send, text, values, settle) =>
  send(new pg.Query(text, values, settle as never))

/** Gives each marked text a name that all connections of a pool share. */
export function nameStatements(): RunStatement {
  const names = new Map<string, string>()
  let named = 0
  const rename = (text: string) => {
    const name = `mortise_${++named}`
    names.set(text, name)
    return name
  }
  // Built here: the driver would copy a named statement property by property, which takes as long as building it.
  const ask = (send: Send, name: string, text: string, values: unknown[], settle: Settle) =>
    send(Object.assign(new pg.Query(text, values, settle as never), { name }))
  return (send, text, values, settle, isInTransaction) => {
    // While a newer node adds a column, a prepared `select *` fails, and its transaction with it.
    const isPrepared = text.startsWith(mark) && !(isInTransaction && text.includes('*', mark.length))
    if (!isPrepared) return send(new pg.Query(text, values, settle as never))
    const name = names.get(text) ?? rename(text)
    ask(send, name, text, values, (error, result) => {
      if (!isOutdated(error)) return settle(error, result)
      // A migration of a newer node changed the table: prepare the statement again under another name. Not within a
      // transaction, which has already failed.
      if (names.get(text) === name) rename(text)
      ask(send, names.get(text) ?? name, text, values, (again, result) => settle(again && error, result))
    })
  }
}

/** Lets the connections of a pool prepare marked statements. */
export function prepareMarked(pool: pg.Pool): void {
  const run = nameStatements()
  pool.on('connect', (client) => {
    const query = (...args: unknown[]) =>
      (pg.Client.prototype.query as (...args: unknown[]) => unknown).apply(client, args)
    client.query = ((text: unknown, ...rest: unknown[]) => {
      if (typeof text !== 'string' || !text.startsWith(mark)) return query(text, ...rest)
      const [values, settle] = rest as [unknown[], Settle | undefined]
      // The pool's own `query` expects a callback.
      if (settle) return run(query, text, values, settle, isInTransaction(client))
      return promised((settle) => run(query, text, values, settle, isInTransaction(client)))
    }) as typeof client.query
  })
}

/** Whether a text is the one that Kysely begins a transaction with. */
export function beginsTransaction(text: string): boolean {
  return text === 'begin' || text.startsWith('start transaction')
}

export function isInTransaction(client: pg.ClientBase): boolean {
  return client.getTransactionStatus() !== 'I'
}

export function promised(run: (settle: Settle) => void): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    run((error, result) => (error ? reject(error) : resolve(result as pg.QueryResult)))
  })
}

/** `cached plan must not change result type`. */
function isOutdated(error: unknown): error is Error {
  return (error as { code?: unknown } | null | undefined)?.code === '0A000'
}
