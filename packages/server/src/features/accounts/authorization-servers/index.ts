import { getOAuthClient } from './endpoints/get-oauth-client.ts'

export { discoverServer, keptServer } from './discover-server.ts'
export { discoveryProblem } from './discovery-problem.ts'
export { type OwnClientServices, ownClient } from './own-client.ts'
export { AuthorizationServerUnavailable, AuthorizationServerUnusable } from './problems.ts'
export { redirectUriOf } from './redirect-uri.ts'
export { deleteExpiredRegistrations, forgetRegistration, keepRegistration } from './registration-store.ts'

export const authorizationServersEndpoints = [getOAuthClient]
