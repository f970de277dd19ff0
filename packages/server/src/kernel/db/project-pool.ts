import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isId } from './ids.ts'
import { promised, type RunStatement } from './prepared.ts'
import { ProjectStatement, projectSetting } from './project-statement.ts'

/**
 * Restricts the connections of a pool to one project. Every transaction sets the project, and a statement outside a
 * transaction runs in one. The setting ends with the transaction, so it never leaks to the next project on the
 * connection or to the next client of a pooler.
 *
 * @throws Error when the id is not a UUID, because it becomes part of SQL text
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
      // Kysely begins a transaction with this. Both statements are one message, so the setting costs no round trip.
      if (text === 'begin' || text.startsWith('start transaction'))
        return client.query(`${text}; select set_config('${projectSetting}', ${pg.escapeLiteral(projectId)}, true)`)
      return promised((settle) =>
        run((query) => void client.query(new ProjectStatement(client, projectId, query)), text, values, settle),
      )
    }) as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  }
}
