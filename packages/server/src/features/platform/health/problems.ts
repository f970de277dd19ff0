import { problem } from '../../../kernel/http/index.ts'

export const NotReady = problem({
  code: 'not-ready',
  status: 503,
  title: 'Not ready',
  detail: 'The service runs, but something that it needs is not ready. `causes` names it.',
  remedy: 'Wait until the service is ready. The log has details.',
  retryable: true,
  subsystem: 'health',
})
