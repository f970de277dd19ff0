import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Lease } from '../../../../kernel/work/index.ts'
import type { OpenRead } from '../open-read.ts'
import type { ReadServices } from '../read-services.ts'
import type { CheckRow } from './check-store.ts'
import type { ObjectKey } from './id-store.ts'

/** A check that this worker processes. */
export interface CheckContext {
  db: ProjectDb
  services: ReadServices
  lease: Lease<CheckRow>
  key: ObjectKey
  operationId: string
  read: OpenRead
  /** Aborts when the process stops, or the lease is lost. */
  signal: AbortSignal
  /** When to yield the slot, in `performance.now()` terms. */
  until: number
}
