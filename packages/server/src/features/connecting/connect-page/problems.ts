import { problem } from '../../../kernel/http/index.ts'

export const ConnectSessionNotFound = problem({
  code: 'connect-session-not-found',
  status: 404,
  title: 'No such session',
  detail: 'The project has no page of this id on which an account is connected: it never was, or its time is over.',
  remedy: 'Make another one. When an account was connected, it is in the list of connections.',
  retryable: false,
  subsystem: 'connections',
})
