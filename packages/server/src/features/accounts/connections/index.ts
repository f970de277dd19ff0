import { deleteConnection } from './endpoints/delete-connection.ts'
import { generateConnection } from './endpoints/generate-connection.ts'
import { getConnection } from './endpoints/get-connection.ts'
import { listConnections } from './endpoints/list-connections.ts'
import { testConnection } from './endpoints/test-connection.ts'
import { updateConnection } from './endpoints/update-connection.ts'
import { renewConnectionHandler } from './jobs/renew-connection.ts'
import { verifyConnectionHandler } from './jobs/verify-connection.ts'

export { checkedAfterwards } from './checked-afterwards.ts'
export { type DetachedConnection, detachConnection, openDetached } from './detached-connection.ts'
export { grantedScopes } from './granted-scopes.ts'
export { connectionsTicks } from './handles/claim-due-renewals.ts'
export { createConnectionHandles } from './handles/connection-handles.ts'
export type { ConnectionHooks } from './hooks.ts'
export { missingScopes, scopesOnDemandFor } from './missing-scopes.ts'
export { ConnectionExists, ConnectionNotFound } from './problems.ts'
export { Connection, type ConnectionRow, connectionResource } from './resource.ts'
export { deleteUnusedConnections, reauthoriseConnection, saveConnection } from './service.ts'
export {
  connectionColumns,
  connectionTables,
  countConnections,
  filterOf as connectionFilterOf,
  findAppOfConnection,
  findConnection,
  findDefaultConnection,
  listConnectionRows,
  lockConnection,
  lockConnections,
  setRateLimitedUntil,
} from './store.ts'

export const connectionsEndpoints = [
  generateConnection,
  listConnections,
  getConnection,
  updateConnection,
  testConnection,
  deleteConnection,
]
export const connectionsJobs = [verifyConnectionHandler, renewConnectionHandler]
