import { sql } from 'kysely'
import pg from 'pg'

const mark = '/* prepared */'

/**
 * Begins a statement that every connection parses and plans once, and from then on only runs: for look-ups by whole
 * keys and lists in the order of an index, whose plan is the same whatever the values. To plan costs more than to run
 * them. As text: a query that is built takes longer to become text than all the rest of a look-up. Not for filters that
 * may be absent (`$1 is null or …`, see `andIf`) and not for tables of partitions: those want a plan for their values.
 */
export const prepared = sql.raw(mark)

/** Puts one statement on the wire; its callback settles it. */
export type Send = (query: pg.Query) => void
export type Settle = (error: Error | null | undefined, result?: pg.QueryResult) => void

/** Runs a statement, under a name of its own where it is marked. */
export type RunStatement = (send: Send, text: string, values: unknown[], settle: Settle) => void

/** Gives each marked text a name that all connections of a pool share. */
export function nameStatements(): RunStatement {
  const names = new Map<string, string>()
  let named = 0
  const rename = (text: string) => {
    const name = `mortise_${++named}`
    names.set(text, name)
    return name
  }
  // Put together here: left to the driver, a statement with a name is copied property by property, which takes as long
  // as building it.
  const ask = (send: Send, name: string, text: string, values: unknown[], settle: Settle) =>
    send(Object.assign(new pg.Query(text, values, settle as never), { name }))
  return (send, text, values, settle) => {
    if (!text.startsWith(mark)) return send(new pg.Query(text, values, settle as never))
    const name = names.get(text) ?? rename(text)
    ask(send, name, text, values, (error, result) => {
      if (!isOutdated(error)) return settle(error, result)
      // A migration of a newer node changed the table: under another name it is prepared anew. Not within a
      // transaction: that has ended.
      if (names.get(text) === name) rename(text)
      ask(send, names.get(text) ?? name, text, values, (again, result) => settle(again && error, result))
    })
  }
}

/** Lets the connections of a pool prepare the statements that say so. */
export function prepareMarked(pool: pg.Pool): void {
  const run = nameStatements()
  pool.on('connect', (client) => {
    const query = (...given: unknown[]) =>
      (pg.Client.prototype.query as (...given: unknown[]) => unknown).apply(client, given)
    client.query = ((text: unknown, ...rest: unknown[]) => {
      if (typeof text !== 'string' || !text.startsWith(mark)) return query(text, ...rest)
      const [values, settle] = rest as [unknown[], Settle | undefined]
      // The pool's own `query` wants to be called back.
      if (settle) return run(query, text, values, settle)
      return promised((settle) => run(query, text, values, settle))
    }) as typeof client.query
  })
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
