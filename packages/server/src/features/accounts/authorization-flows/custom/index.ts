import { showCustomAuthCallback, submitCustomAuthCallback } from './operations/custom-auth-callback.ts'
import { customAuthConnect } from './operations/custom-auth-connect.ts'

export { checkedStart } from './checked-start.ts'
export { type ConverseServices, converse } from './converse.ts'
export { CustomAuthRefused, CustomAuthUnavailable } from './problems.ts'
export { hashedBrowser } from './session.ts'
export { deleteExpiredSessions } from './session-store.ts'

export const customAuthOperations = [customAuthConnect, showCustomAuthCallback, submitCustomAuthCallback]
