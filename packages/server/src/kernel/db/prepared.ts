import { sql } from 'kysely'
import pg from 'pg'

const mark = '/* prepared */'

/**
 * Begins a statement that every connection parses and plans once, and from then on only runs: for look-ups by whole keys and lists in
 * the order of an index, whose plan is the same whatever the values. To plan costs more than to run them. As text: a query that is
 * built takes longer to become text than all the rest of a look-up. Not for filters that may be absent (`$1 is null or …`, see `andIf`)
 * and not for tables of partitions: those want a plan for their values.
 */
export const prepared = sql.raw(mark)

/** Lets the connections of a pool prepare the statements that say so. */
export function prepareMarked(pool: pg.Pool): void {
  const names = new Map<string, string>()
  let named = 0
  const rename = (text: string) => {
    const name = `mortise_${++named}`
    names.set(text, name)
    return name
  }
  pool.on('connect', (client) => {
    const query = (...given: unknown[]) =>
      (pg.Client.prototype.query as (...given: unknown[]) => unknown).apply(client, given)
    // Put together here: left to the driver, a statement with a name is copied property by property, which takes as long as building it.
    const ask = (name: string, text: string, values: unknown[], told: Told) =>
      void query(Object.assign(new pg.Query(text, values, told as never), { name }))
    const run = (text: string, values: unknown[], told: Told) => {
      const name = names.get(text) ?? rename(text)
      ask(name, text, values, (error, result) => {
        if (!isOutdated(error)) return told(error, result)
        // A migration of a newer node changed the table: under another name it is prepared anew. Not within a transaction: that has ended.
        if (names.get(text) === name) rename(text)
        ask(names.get(text) ?? name, text, values, (again, result) => told(again && error, result))
      })
    }
    client.query = ((text: unknown, ...rest: unknown[]) => {
      if (typeof text !== 'string' || !text.startsWith(mark)) return query(text, ...rest)
      const [values, told] = rest as [unknown[], Told | undefined]
      // The pool's own `query` wants to be called back.
      if (told) return run(text, values, told)
      return new Promise((resolve, reject) => {
        run(text, values, (error, result) => (error ? reject(error) : resolve(result)))
      })
    }) as typeof client.query
  })
}

type Told = (error: Error | null | undefined, result?: pg.QueryResult) => void

/** `cached plan must not change result type`. */
function isOutdated(error: unknown): error is Error {
  return (error as { code?: unknown } | null | undefined)?.code === '0A000'
}
