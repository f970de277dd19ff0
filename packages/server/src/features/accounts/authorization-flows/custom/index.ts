import { showCustomAuthCallback, submitCustomAuthCallback } from './endpoints/custom-auth-callback.ts'
import { customAuthConnect } from './endpoints/custom-auth-connect.ts'
import { startCustomAuth } from './endpoints/start-custom-auth.ts'

export { checkedStart } from './checked-start.ts'
export { CustomAuthRefused, CustomAuthUnavailable } from './problems.ts'
export { runAuthenticationSteps, type StepServices } from './run-authentication-steps.ts'
export { hashedBrowser } from './session.ts'
export { deleteExpiredSessions } from './session-store.ts'
export { startUrlOf } from './start-url.ts'

export const customAuthEndpoints = [
  customAuthConnect,
  startCustomAuth,
  showCustomAuthCallback,
  submitCustomAuthCallback,
]
