import { connectPageOperations } from './connect-page/index.ts'
import { customAuthOperations } from './custom/index.ts'
import { oauthConnect } from './operations/oauth-connect.ts'
import { oauthUpdate } from './operations/oauth-update.ts'
import { showOAuthCallback } from './operations/show-oauth-callback.ts'
import { startOAuth } from './operations/start-oauth.ts'
import { submitOAuthCallback } from './operations/submit-oauth-callback.ts'

export { connectingTicks } from './connecting-ticks.ts'

export const connectingOperations = [
  oauthConnect,
  oauthUpdate,
  startOAuth,
  showOAuthCallback,
  submitOAuthCallback,
  ...customAuthOperations,
  ...connectPageOperations,
]
