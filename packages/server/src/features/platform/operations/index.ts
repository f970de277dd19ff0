import { getOperation } from './operations/get-operation.ts'
import { listOperationLogs } from './operations/list-operation-logs.ts'
import { listOperations } from './operations/list-operations.ts'
import { streamLogs } from './operations/stream-logs.ts'
import { streamOperationLogs } from './operations/stream-operation-logs.ts'

export { eraseOperations } from './erase-store.ts'
export type { LogSeverity, Operation, OperationStatus } from './model.ts'
export { type EndedOperation, recordOperations } from './record-operations.ts'
export {
  beginOperation,
  beginOperations,
  endOperation,
  endOperationsOf,
  type LogLine,
  logOperation,
  type OperationProgress,
  progressOperation,
  showOperation,
} from './service.ts'
export { findOperation, type NewOperation } from './store.ts'

export const operationsOperations = [listOperations, getOperation, listOperationLogs, streamOperationLogs, streamLogs]
