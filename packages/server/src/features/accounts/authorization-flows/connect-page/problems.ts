import { problem } from '../../../../kernel/http/index.ts'

export const ConnectSessionNotFound = problem({
  code: 'connect-session-not-found',
  status: 404,
  title: 'Connect session not found',
  detail: 'This project has no connect session with this id, or it has expired.',
  remedy: 'Create a new connect session. If the account was already connected, the list of connections shows it.',
  retryable: false,
  subsystem: 'connections',
})
