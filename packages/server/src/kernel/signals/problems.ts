import { problem } from '../http/index.ts'

export const TooManyStreams = problem({
  code: 'too-many-streams',
  status: 429,
  title: 'Too many streams are open',
  detail: 'This project has as many streams of this kind open on this node as one may have: 20.',
  remedy: 'Close a stream, or try again when one has ended.',
  retryable: true,
  subsystem: 'api',
})
