import { sql } from 'kysely'
import pg from 'pg'

const mark = '/* prepared */'
/** Where `modifyFront` puts it. */
const markBehindSelect = `select ${mark}`

/**
 * Begins a statement (`sql`), or stands behind its `select` (`modifyFront`), that every connection parses and plans once, and from then on only runs: for look-ups by whole keys and lists in
 * the order of an index, whose plan is the same whatever the values. To plan costs more than to run them. Not for filters that may be
 * absent (`$1 is null or …`) and not for tables of partitions: those want a plan for their values.
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
      (pg.Client.prototype.query as (...given: unknown[]) => Promise<unknown>).apply(client, given)
    const run = async (text: string, values: unknown[]) => {
      const name = names.get(text) ?? rename(text)
      try {
        return await query({ name, text, values })
      } catch (error) {
        if (!isOutdated(error)) throw error
        // A migration of a newer node changed the table: under another name it is prepared anew. Not within a transaction: that has ended.
        if (names.get(text) === name) rename(text)
        return await query({ name: names.get(text), text, values }).catch(() => Promise.reject(error))
      }
    }
    const isMarked = (text: unknown): text is string =>
      typeof text === 'string' && (text.startsWith(mark) || text.startsWith(markBehindSelect))
    client.query = ((text: unknown, ...rest: unknown[]) => {
      if (!isMarked(text)) return query(text, ...rest)
      const answer = run(text, rest[0] as unknown[])
      // The pool's own `query` wants to be called back.
      const told = rest[1] as ((error: unknown, result?: unknown) => void) | undefined
      return told ? void answer.then((result) => told(null, result), told) : answer
    }) as typeof client.query
  })
}

/** `cached plan must not change result type`. */
function isOutdated(error: unknown): boolean {
  return (error as { code?: unknown }).code === '0A000'
}
