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
   * Runs `work` when this transaction has committed, before its caller continues: for what is kept in memory. Outside a
   * transaction it throws.
   */
  afterCommit(work: () => void): void
  /**
   * Runs a part of this transaction that may fail alone: when `work` throws, what it did is undone, its locks are let
   * go, and the rest of the transaction holds. What it puts off with `beforeCommit` runs at its own end. Outside a
   * transaction it throws.
   */
  savepoint<T>(work: (tx: ProjectDb) => Promise<T>): Promise<T>
}

/** What a transaction puts off. */
interface PutOff {
  last: (() => Promise<void>)[]
  committed: (() => void)[]
}

export function createProjectDb(sql: Kysely<Tables>, projectId: string, putOff?: PutOff): ProjectDb {
  return {
    projectId,
    sql,
    inTransaction: sql.isTransaction,
    async transaction(work) {
      if (sql.isTransaction) return await work(this)
      const committed: PutOff['committed'] = []
      const result = await sql.transaction().execute(async (transaction) => {
        const last: PutOff['last'] = []
        const result = await work(createProjectDb(transaction, projectId, { last, committed }))
        for (const work of last) await work()
        return result
      })
      for (const work of committed) work()
      return result
    },
    beforeCommit(work) {
      if (!putOff) throw new Error('there is no transaction here')
      putOff.last.push(work)
    },
    afterCommit(work) {
      if (!putOff) throw new Error('there is no transaction here')
      putOff.committed.push(work)
    },
    async savepoint(work) {
      if (!putOff) throw new Error('there is no transaction here')
      await raw`savepoint part`.execute(sql)
      try {
        const ofPart: PutOff = { last: [], committed: [] }
        const result = await work(createProjectDb(sql, projectId, ofPart))
        for (const work of ofPart.last) await work()
        await raw`release savepoint part`.execute(sql)
        putOff.committed.push(...ofPart.committed)
        return result
      } catch (error) {
        await raw`rollback to savepoint part`.execute(sql)
        throw error
      }
    },
  }
}
