import { getOperation } from './operations/get-operation.ts'
import { listOperationLogs } from './operations/list-operation-logs.ts'
import { listOperations } from './operations/list-operations.ts'

export type { LogSeverity, Operation, OperationStatus } from './model.ts'
export {
  beginOperation,
  beginOperations,
  endOperation,
  type LogLine,
  logOperation,
  type OperationProgress,
  progressOperation,
  showOperation,
} from './service.ts'
export { findOperation, type NewOperation } from './store.ts'

export const operationsOperations = [listOperations, getOperation, listOperationLogs]
