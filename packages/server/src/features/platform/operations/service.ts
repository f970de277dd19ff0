import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { LogSeverity } from './model.ts'
import {
  deleteLastOperations,
  insertOperationLogs,
  insertOperations,
  type NewOperation,
  updateLastOperation,
  updateOperationEnd,
  updateOperationMetadata,
  updateOperationsEndOf,
} from './store.ts'

/** Begins an operation, in progress from now on; its installation shows that. */
export async function beginOperation(tx: ProjectDb, operation: NewOperation): Promise<void> {
  await beginOperations(tx, [operation])
}

/** Begins several operations of one installation; the last one is the newest. */
export async function beginOperations(tx: ProjectDb, operations: NewOperation[]): Promise<void> {
  const newest = operations.at(-1)
  if (!newest) return
  await insertOperations(tx, operations)
  await updateLastOperation(tx, newest)
}

/**
 * Ends an operation; a second end changes nothing.
 *
 * @param end.result what came of it, for people: `[contacts] 25 records read`
 * @param end.metadata merged into what is there
 */
export async function endOperation(
  tx: ProjectDb,
  id: string,
  end: { status: 'success' | 'failure'; result: string; metadata?: Record<string, unknown> },
): Promise<void> {
  const installationId = await updateOperationEnd(tx, id, { metadata: {}, ...end })
  if (installationId !== undefined) await updateLastOperation(tx, { id, installationId })
}

/** Ends all operations of installations that are about to go. */
export async function endOperationsOf(tx: ProjectDb, installationIds: string[], result: string): Promise<void> {
  await updateOperationsEndOf(tx, installationIds, result)
  await deleteLastOperations(tx, installationIds)
}

/** How far a read has come. */
export interface OperationProgress {
  installationId: string
  objectName: string
  operationId: string
  recordsProcessed: number
  recordsEstimatedTotal?: number
}

/** Shows how far a running read has come, in `metadata.progress`. */
export async function progressOperation(tx: ProjectDb, progress: OperationProgress): Promise<void> {
  await updateOperationMetadata(tx, progress.operationId, { progress })
}

/** One line of an operation's log. */
export interface LogLine {
  severity: LogSeverity
  /** What happened. No secret, and nothing of a provider's answer that its user may not see. */
  msg: string
  error?: string
  details?: Record<string, string>
  /** When it happened; now by default. */
  time?: Date
}

/** Adds lines to the log of an operation, in this order. */
export async function logOperation(
  db: ProjectDb,
  { newId }: { newId: NewId },
  operationId: string,
  ...lines: LogLine[]
): Promise<void> {
  if (lines.length === 0) return
  const logs = lines.map(({ severity, msg, error, details, time }) => ({
    id: newId(),
    operationId,
    severity,
    ...(time !== undefined && { createTime: time }),
    message: {
      msg,
      ...(error !== undefined && { error }),
      operation_id: operationId,
      ...(details !== undefined && { details }),
    },
  }))
  await insertOperationLogs(db, logs)
}
