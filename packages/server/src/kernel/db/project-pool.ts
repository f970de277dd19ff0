import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isId } from './ids.ts'
import { beginsTransaction, isInTransaction, promised, type RunStatement } from './prepared.ts'
import { type PooledSettings, projectScope, ScopedStatement, type TransactionScope } from './scoped-statement.ts'

/**
 * Restricts the connections of a pool to one project. Every transaction sets the project, and a statement outside a
 * transaction runs in one. The setting ends with the transaction, so it never leaks to the next project on the
 * connection or to the next client of a pooler. Behind a pooler that keeps no settings, the transaction sets these too.
 *
 * @throws Error when the id is not a UUID, because it becomes part of SQL text
 */
export function projectPool(
  pool: pg.Pool,
  run: RunStatement,
  projectId: string,
  pooled?: PooledSettings,
): PostgresPool {
  if (!isId(projectId)) throw new Error('The id of a project must be a UUID.')
  const scope = projectScope(projectId, pooled)
  return {
    options: pool.options,
    connect: async () => lend(await pool.connect(), run, scope),
    end: async () => undefined,
  }
}

function lend(client: pg.PoolClient, run: RunStatement, scope: TransactionScope): PostgresPoolClient {
  return {
    query: ((text: string, values: unknown[] = []) => {
      // Both statements are one message, so the settings cost no round trip.
      if (beginsTransaction(text)) return client.query(`${text}; ${scope.literal}`)
      return promised((settle) =>
        run(
          (query) => void client.query(new ScopedStatement(client, scope, query)),
          text,
          values,
          settle,
          isInTransaction(client),
        ),
      )
    }) as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  }
}
