import { createConnectSession } from './endpoints/create-connect-session.ts'
import { getConnectSession } from './endpoints/get-connect-session.ts'
import { showConnectPage } from './endpoints/show-connect-page.ts'
import { submitConnectPage } from './endpoints/submit-connect-page.ts'

export { backToPage } from './back-to-page.ts'
export { deleteExpiredConnectSessions } from './connect-session-store.ts'

export const connectPageEndpoints = [createConnectSession, getConnectSession, showConnectPage, submitConnectPage]
