import { problem } from '../../kernel/http/index.ts'

export const SignInRefused = problem({
  code: 'sign-in-refused',
  status: 401,
  title: 'Not signed in',
  detail: 'There is no account with this email and password.',
  remedy: 'Check both; an owner of your organisation can invite you again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SessionEnded = problem({
  code: 'session-ended',
  status: 401,
  title: 'The session has ended',
  detail: 'The token is unknown, was used before, or belongs to a session that has ended.',
  remedy: 'Sign in again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SignInCodeRefused = problem({
  code: 'sign-in-code-refused',
  status: 401,
  title: 'The code is not accepted',
  detail: 'The code is unknown, was used before, is older than a minute, or was made for another verifier.',
  remedy: 'Begin the sign-in again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const TooManyAttempts = problem({
  code: 'too-many-attempts',
  status: 429,
  title: 'Too many attempts to sign in',
  detail: 'There were too many attempts to sign in with this email or from this address.',
  remedy: 'Wait until the time in `retryAfter`, then try again.',
  retryable: true,
  subsystem: 'sign-in',
})
