import { problem } from '../../kernel/http/index.ts'

export const NotReady = problem({
  code: 'not-ready',
  status: 503,
  title: 'Not ready',
  detail: 'The service is alive, but something it needs is not; `causes` names it.',
  remedy: 'Wait until the causes are gone; the log says more.',
  retryable: true,
  subsystem: 'health',
})
