import pg from 'pg'
import {
  beginsTransaction,
  isInTransaction,
  nameStatements,
  promised,
  type Settle,
  unnamedStatements,
} from './prepared.ts'
import { type PooledSettings, ScopedStatement, settingsScope } from './scoped-statement.ts'

/**
 * Makes every transaction of a pool set the settings of the session first, behind a pooler that keeps none. A statement
 * outside a transaction runs in one.
 */
export function setInTransactions(pool: pg.Pool, pooled: PooledSettings): void {
  const scope = settingsScope(pooled)
  const run = pooled.prepares ? nameStatements() : unnamedStatements
  pool.on('connect', (client) => {
    const query = (...args: unknown[]) =>
      (pg.Client.prototype.query as (...args: unknown[]) => unknown).apply(client, args)
    const send = (text: string, values: unknown[] | undefined, settle: Settle): void => {
      if (beginsTransaction(text)) query(`${text}; ${scope.literal}`, settle)
      else if (values?.length || client.getTransactionStatus() !== 'I')
        run(
          (statement) => void query(new ScopedStatement(client, scope, statement)),
          text,
          values ?? [],
          settle,
          isInTransaction(client),
        )
      // Such a text may be several statements, which PostgreSQL takes only without values. It runs all as one
      // transaction, even where a later one is BEGIN.
      else
        query(`${scope.literal}; ${text}`, (error: Error | null, results?: pg.QueryResult[]) => {
          const [, ...own] = results ?? []
          settle(error, (own.length > 1 ? own : own[0]) as pg.QueryResult)
        })
    }
    client.query = ((text: unknown, ...rest: unknown[]) => {
      // A statement in another form would run without the settings, as the owner of the tables.
      if (typeof text !== 'string') throw new TypeError('Statements of this pool must be texts.')
      const settle = rest.at(-1)
      const values = Array.isArray(rest[0]) ? rest[0] : undefined
      if (typeof settle === 'function') return send(text, values, settle as Settle)
      return promised((settle) => send(text, values, settle))
    }) as typeof client.query
  })
}
