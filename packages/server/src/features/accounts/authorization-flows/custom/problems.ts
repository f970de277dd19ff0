import { problem } from '../../../../kernel/http/index.ts'

export const CustomAuthRefused = problem({
  code: 'custom-auth-refused',
  status: 400,
  title: 'The provider refused the account',
  detail: 'The provider refused to connect the account.',
  remedy: 'Correct the input, then start again without a sessionId.',
  retryable: false,
  subsystem: 'connections',
})

export const CustomAuthUnavailable = problem({
  code: 'custom-auth-unavailable',
  status: 502,
  title: 'The provider is not available',
  detail: 'We could not reach the provider, or it failed. The account is not connected.',
  remedy: 'Start again later, without a sessionId.',
  retryable: true,
  subsystem: 'connections',
})

export const CustomAuthSessionEnded = problem({
  code: 'custom-auth-session-ended',
  status: 400,
  title: 'Session not found',
  detail: 'There is no session with this id: it was already used, has expired, or never existed.',
  remedy: 'Start again without a sessionId. A session is valid for ten minutes and one call.',
  retryable: false,
  subsystem: 'connections',
})
