import { verifyConnectionJob } from './jobs/verify-connection.ts'
import { deleteConnection } from './operations/delete-connection.ts'
import { generateConnection } from './operations/generate-connection.ts'
import { getConnection } from './operations/get-connection.ts'
import { listConnections } from './operations/list-connections.ts'
import { updateConnection } from './operations/update-connection.ts'

export { createLiveConnections } from './live/live-connections.ts'
export { nextStatus } from './model.ts'
export { type OpenedConnection, openConnector, openProviderAccess, type ProviderAccess } from './open-connector.ts'
export { upsertConsumer, upsertGroup } from './people-store.ts'
export { ConnectionInUse, ConnectionNotFound } from './problems.ts'
export { rateLimited, rateLimitedUntil, reportUse } from './report-use.ts'
export { Connection, type ConnectionRow, Consumer, connectionResource, Group } from './resource.ts'
export { deleteUnusedConnections, removeConnection } from './service.ts'
export {
  connectionColumns,
  connectionTables,
  findConnection,
  findDefaultConnection,
  lockConnectionsForDelete,
  lockConnectionsOf,
} from './store.ts'

export const connectionsOperations = [
  generateConnection,
  listConnections,
  getConnection,
  updateConnection,
  deleteConnection,
]
export const connectionsJobs = [verifyConnectionJob]
