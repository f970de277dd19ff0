import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isId } from './ids.ts'
import { promised, type RunStatement } from './prepared.ts'
import { ProjectStatement, projectSetting } from './project-statement.ts'

/**
 * Lends the connections of a pool to one project: every transaction on them names it, and a statement outside a
 * transaction is one by itself. The setting ends with its transaction, so the next project on the connection, or a
 * pooler's next client, never finds it.
 *
 * @throws Error when the id is none: it becomes part of SQL text
 */
export function projectPool(pool: pg.Pool, run: RunStatement, projectId: string): PostgresPool {
  if (!isId(projectId)) throw new Error('The id of a project must be a UUID.')
  return {
    options: pool.options,
    connect: async () => lend(await pool.connect(), run, projectId),
    end: async () => undefined,
  }
}

function lend(client: pg.PoolClient, run: RunStatement, projectId: string): PostgresPoolClient {
  return {
    query: ((text: string, values: unknown[] = []) => {
      // What Kysely begins a transaction with. Both statements are one message: the setting costs no round trip.
      if (text === 'begin' || text.startsWith('start transaction'))
        return client.query(`${text}; select set_config('${projectSetting}', ${pg.escapeLiteral(projectId)}, true)`)
      return promised((settle) =>
        run((query) => void client.query(new ProjectStatement(client, projectId, query)), text, values, settle),
      )
    }) as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  }
}
