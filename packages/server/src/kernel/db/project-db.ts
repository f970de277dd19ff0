import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * The database of one project: what stores get instead of a pool. Every statement of a store names `db.projectId`, so that a row
 * of another project is never found. The caller owns the transaction.
 */
export interface ProjectDb {
  readonly projectId: string
  /** Typed SQL, inside the transaction when this handle came from one. */
  readonly sql: Kysely<Tables>
  /** Runs `work` in one transaction; inside one already, it joins that one. Rolls back when `work` throws. */
  transaction<T>(work: (tx: ProjectDb) => Promise<T>): Promise<T>
  readonly inTransaction: boolean
}

export function createProjectDb(sql: Kysely<Tables>, projectId: string): ProjectDb {
  return {
    projectId,
    sql,
    inTransaction: sql.isTransaction,
    transaction(work) {
      if (sql.isTransaction) return work(this)
      return sql.transaction().execute((tx) => work(createProjectDb(tx, projectId)))
    },
  }
}
