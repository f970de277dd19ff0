import type { OperationStatus } from './model.ts'

/** The last operation of an installation. Ids are ordered by time. */
export interface LastOperation {
  id: string
  status: OperationStatus
}

/**
 * Merges a new status into the last operation of an installation. The newer operation wins; for the same operation, its
 * end wins, which is final (contract, row 8). The result does not depend on order or repetition.
 */
export function lastOperation(shown: LastOperation | undefined, received: LastOperation): LastOperation {
  if (shown === undefined || received.id > shown.id) return received
  return received.id === shown.id && shown.status === 'in_progress' ? received : shown
}
