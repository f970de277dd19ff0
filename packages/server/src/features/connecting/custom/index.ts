import { showCustomAuthCallback, submitCustomAuthCallback } from './operations/custom-auth-callback.ts'
import { customAuthConnect } from './operations/custom-auth-connect.ts'

export { deleteExpiredSessions } from './session-store.ts'

export const customAuthOperations = [customAuthConnect, showCustomAuthCallback, submitCustomAuthCallback]
