import type { OperationStatus } from './model.ts'

/** An operation as its installation shows it. Ids are ordered by time. */
export interface LastOperation {
  id: string
  status: OperationStatus
}

/**
 * What an installation shows once it hears how an operation stands: the newer of the two, and of one operation its end,
 * which is final (contract, row 8). Hearing the same in any order, or twice, leads to the same.
 */
export function lastOperation(shown: LastOperation | undefined, heard: LastOperation): LastOperation {
  if (shown === undefined || heard.id > shown.id) return heard
  return heard.id === shown.id && shown.status === 'in_progress' ? heard : shown
}
