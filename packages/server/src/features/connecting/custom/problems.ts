import { problem } from '../../../kernel/http/index.ts'

export const CustomAuthRefused = problem({
  code: 'custom-auth-refused',
  status: 400,
  title: 'The provider refused',
  detail: 'The provider did not let the account be connected.',
  remedy: 'Correct what was given, and begin again without a sessionId.',
  retryable: false,
  subsystem: 'connections',
})

export const CustomAuthUnavailable = problem({
  code: 'custom-auth-unavailable',
  status: 502,
  title: 'The provider cannot be asked',
  detail: 'The provider cannot be reached, or fails, so that the account is not connected.',
  remedy: 'Begin again later, without a sessionId.',
  retryable: true,
  subsystem: 'connections',
})

export const CustomAuthSessionEnded = problem({
  code: 'custom-auth-session-ended',
  status: 400,
  title: 'No such session',
  detail: 'There is no session of this id: it has been gone on with already, has expired, or never was.',
  remedy: 'Begin again without a sessionId. A session is good for ten minutes and for one call.',
  retryable: false,
  subsystem: 'connections',
})
