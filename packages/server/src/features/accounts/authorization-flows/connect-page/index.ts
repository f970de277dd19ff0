import { createConnectSession } from './operations/create-connect-session.ts'
import { getConnectSession } from './operations/get-connect-session.ts'
import { showConnectPage } from './operations/show-connect-page.ts'
import { submitConnectPage } from './operations/submit-connect-page.ts'

export { backToPage } from './back-to-page.ts'
export { deleteExpiredConnectSessions } from './connect-session-store.ts'

export const connectPageOperations = [createConnectSession, getConnectSession, showConnectPage, submitConnectPage]
