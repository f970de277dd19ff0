import { getOperation } from './endpoints/get-operation.ts'
import { listOperationLogs } from './endpoints/list-operation-logs.ts'
import { listOperations } from './endpoints/list-operations.ts'
import { searchOperations } from './endpoints/search-operations.ts'
import { streamLogs } from './endpoints/stream-logs.ts'
import { streamOperationLogs } from './endpoints/stream-operation-logs.ts'

export { type EndedRead, insertEndedReads, type ShownRead, showEndedReads } from './ended-read-store.ts'
export { eraseOperations } from './erase-store.ts'
export type { LogSeverity, Operation, OperationStatus } from './model.ts'
export { type EndedOperation, recordOperations } from './record-operations.ts'
export { type FoundOperations, type OperationFilter, searchOperationsOf } from './search-store.ts'
export {
  beginOperation,
  beginOperations,
  endOperation,
  endOperationsOf,
  type LogLine,
  logOperation,
  type OperationProgress,
  progressOperation,
} from './service.ts'
export { findIntegrationId, findOperation, listNamedInstallations, type NewOperation } from './store.ts'
export { withOwners } from './with-owners.ts'

export const operationsEndpoints = [
  listOperations,
  searchOperations,
  getOperation,
  listOperationLogs,
  streamOperationLogs,
  streamLogs,
]
