import { type Kysely, sql as raw } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * The database of one project: what stores get instead of a pool. Every statement of a store names `db.projectId`, so
 * that a row of another project is never found. The caller owns the transaction.
 */
export interface ProjectDb {
  readonly projectId: string
  /** Typed SQL, inside the transaction when this handle came from one. */
  readonly sql: Kysely<Tables>
  /** Runs `work` in one transaction; inside one already, it joins that one. Rolls back when `work` throws. */
  transaction<T>(work: (tx: ProjectDb) => Promise<T>): Promise<T>
  readonly inTransaction: boolean
  /**
   * Runs `work` in this transaction after everything else, right before it commits: for statements that wait for other
   * transactions, so that nothing is done while others wait in turn. Outside a transaction there is no such moment, and
   * it throws.
   */
  beforeCommit(work: () => Promise<void>): void
  /**
   * Runs a part of this transaction that may fail alone: when `work` throws, what it did is undone, its locks are let
   * go, and the rest of the transaction holds. What it puts off with `beforeCommit` runs at its own end. Outside a
   * transaction it throws.
   */
  savepoint<T>(work: (tx: ProjectDb) => Promise<T>): Promise<T>
}

export function createProjectDb(sql: Kysely<Tables>, projectId: string, last?: (() => Promise<void>)[]): ProjectDb {
  return {
    projectId,
    sql,
    inTransaction: sql.isTransaction,
    transaction(work) {
      if (sql.isTransaction) return work(this)
      return sql.transaction().execute(async (transaction) => {
        const last: (() => Promise<void>)[] = []
        const result = await work(createProjectDb(transaction, projectId, last))
        for (const work of last) await work()
        return result
      })
    },
    beforeCommit(work) {
      if (!last) throw new Error('there is no transaction here')
      last.push(work)
    },
    async savepoint(work) {
      if (!last) throw new Error('there is no transaction here')
      await raw`savepoint part`.execute(sql)
      try {
        const ofPart: (() => Promise<void>)[] = []
        const result = await work(createProjectDb(sql, projectId, ofPart))
        for (const work of ofPart) await work()
        await raw`release savepoint part`.execute(sql)
        return result
      } catch (error) {
        await raw`rollback to savepoint part`.execute(sql)
        throw error
      }
    },
  }
}
