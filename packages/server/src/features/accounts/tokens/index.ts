export { mayUseApp } from './app-host.ts'
export { clientHostIssues } from './client-host-issues.ts'
export { findCustomApp } from './custom/custom-app.ts'
export { createCustomHttp } from './custom/custom-http.ts'
export { mintCustomToken } from './custom/mint-custom-token.ts'
export { oauth2Scheme } from './oauth2-scheme.ts'
export {
  isRenewable,
  keepAliveAt,
  mayWorkLater,
  refusedDelayMs,
  renewalNeed,
  retryDelayMs,
  type TokenLife,
  tokenLife,
} from './renewal-rules.ts'
export { type Renewal, type RenewedConnection, renewedCredential } from './renewed-credential.ts'
export { requestTokens } from './request-tokens.ts'
export { scopesToAsk } from './scopes-to-ask.ts'
export { TokenRefused, TokenUnavailable } from './token-errors.ts'
export { clientOfOwn, type TokenAnswer, type TokenClient } from './token-request.ts'
