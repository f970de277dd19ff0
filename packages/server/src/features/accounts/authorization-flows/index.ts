import { connectInfoEndpoints } from './connect-info/index.ts'
import { connectPageEndpoints } from './connect-page/index.ts'
import { customAuthEndpoints } from './custom/index.ts'
import { oauthConnect } from './endpoints/oauth-connect.ts'
import { oauthUpdate } from './endpoints/oauth-update.ts'
import { showOAuthCallback } from './endpoints/show-oauth-callback.ts'
import { startOAuth } from './endpoints/start-oauth.ts'
import { submitOAuthCallback } from './endpoints/submit-oauth-callback.ts'

export { type ConnectAssets, createConnectAssets, createConnectTokens } from './connect-page/index.ts'
export { connectingTicks } from './connecting-ticks.ts'

export const connectingEndpoints = [
  oauthConnect,
  oauthUpdate,
  startOAuth,
  showOAuthCallback,
  submitOAuthCallback,
  ...customAuthEndpoints,
  ...connectPageEndpoints,
  ...connectInfoEndpoints,
]
