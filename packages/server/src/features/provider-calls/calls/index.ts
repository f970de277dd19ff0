export { classifyFailure, customerSentence, type ProviderFailure, providerWordsOf } from './classify-failure.ts'
export type { ConnectionHandle, ConnectionHandles, Refusal, ReportedConnection } from './connection-handle.ts'
export type { ConnectionStatus } from './connection-status.ts'
export { CredentialRefused, CredentialUnavailable } from './credential-errors.ts'
export { type FailureKind, type FailureProxyProblem, type FailureRow, failureTable } from './failure-table.ts'
export {
  connectorOf,
  type OpenedConnection,
  openConnector,
  openProviderAccess,
  type ProviderAccess,
} from './open-provider.ts'
export { CapabilityNotImplemented, ProviderAppIncomplete, providerProblems } from './problems.ts'
export { callDetails, type ProviderCall } from './provider-call.ts'
export { createProviderHttp } from './provider-http.ts'
export { providerProblem } from './provider-problem.ts'
export { providerRateLimiter } from './provider-rate-limiter.ts'
export { RateLimitTimeout } from './rate-limit-timeout.ts'
