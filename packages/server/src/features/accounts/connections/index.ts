import { deleteConnection } from './endpoints/delete-connection.ts'
import { generateConnection } from './endpoints/generate-connection.ts'
import { getConnection } from './endpoints/get-connection.ts'
import { listConnections } from './endpoints/list-connections.ts'
import { updateConnection } from './endpoints/update-connection.ts'
import { renewConnectionJob } from './jobs/renew-connection.ts'
import { verifyConnectionJob } from './jobs/verify-connection.ts'

export { type CheckedAfterwardsServices, checkedAfterwards } from './checked-afterwards.ts'
export { checkedConnection } from './checked-connection.ts'
export type { StoredCredential } from './credential.ts'
export { type CustomApp, findCustomApp } from './custom/custom-app.ts'
export { createCustomHttp } from './custom/custom-http.ts'
export { customInputProblem } from './custom/custom-input-problem.ts'
export { customCredential, mintCustomToken } from './custom/mint-custom-token.ts'
export { entryOfConnection } from './entry-of-connection.ts'
export { connectionsTicks } from './live/claim-due-renewals.ts'
export { type DepartedConnection, openDeparted, takeAlong } from './live/departed-connection.ts'
export { createLiveConnections } from './live/live-connections.ts'
export { providerPace } from './live/provider-pace.ts'
export { CredentialRefused, CredentialUnavailable } from './live/renewal-errors.ts'
export { metadataIssues } from './metadata-issues.ts'
export { metadataValues, nextStatus, normaliseMetadata } from './model.ts'
export { GenerateConnectionRequest, schemeNameInput } from './new-connection.ts'
export { type OpenedConnection, openConnector, openProviderAccess, type ProviderAccess } from './open-connector.ts'
export { upsertConsumer, upsertGroup } from './people-store.ts'
export { ConnectionExists, ConnectionInUse, ConnectionNotFound } from './problems.ts'
export { createProviderHttp } from './provider-http.ts'
export { askedToWait, askedToWaitMs, rateLimited, rateLimitedUntil, reportUse } from './report-use.ts'
export { Connection, type ConnectionRow, Consumer, connectionResource, Group } from './resource.ts'
export { schemeIssues } from './scheme-issues.ts'
export { deleteUnusedConnections, reauthoriseConnection, removeConnection, saveConnection } from './service.ts'
export {
  connectionColumns,
  connectionTables,
  findConnection,
  findDefaultConnection,
  lockConnectionsForDelete,
  lockConnectionsOf,
} from './store.ts'
export { clientHostIssues } from './tokens/client-host-issues.ts'
export {
  requestTokens,
  type TokenAnswer,
  type TokenClient,
  TokenRefused,
  TokenUnavailable,
} from './tokens/request-tokens.ts'
export { scopesToAsk } from './tokens/scopes-to-ask.ts'
export { TurnNotInTime } from './turn-not-in-time.ts'

export const connectionsEndpoints = [
  generateConnection,
  listConnections,
  getConnection,
  updateConnection,
  deleteConnection,
]
export const connectionsJobs = [verifyConnectionJob, renewConnectionJob]
