import { createConnectSession } from './endpoints/create-connect-session.ts'
import { getConnectAsset } from './endpoints/get-connect-asset.ts'
import { getConnectScript } from './endpoints/get-connect-script.ts'
import { getConnectSession } from './endpoints/get-connect-session.ts'
import { showConnectForm } from './endpoints/show-connect-form.ts'
import { showConnectPage } from './endpoints/show-connect-page.ts'
import { submitConnectForm } from './endpoints/submit-connect-form.ts'

export { type ConnectAssets, createConnectAssets } from './assets.ts'
export { backToPage, type FlowOutcome } from './back-to-page.ts'
export { createConnectTokens } from './connect-session.ts'
export { deleteExpiredConnectSessions } from './connect-session-store.ts'

export const connectPageEndpoints = [
  createConnectSession,
  getConnectSession,
  showConnectPage,
  getConnectAsset,
  getConnectScript,
  showConnectForm,
  submitConnectForm,
]
