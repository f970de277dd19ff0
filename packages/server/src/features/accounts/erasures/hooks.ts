import type { ProjectDb } from '../../../kernel/db/index.ts'

export interface ErasureHooks {
  /** A person is about to be erased. */
  consumerErasing(tx: ProjectDb, change: { consumerRef: string }): Promise<void>
}
