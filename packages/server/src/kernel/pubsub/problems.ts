import { problem } from '../http/index.ts'

export const TooManyStreams = problem({
  code: 'too-many-streams',
  status: 429,
  title: 'Too many open streams',
  detail: 'This project has reached the limit of 20 open streams of this kind on this node.',
  remedy: 'Close a stream, or try again when one has ended.',
  retryable: true,
  subsystem: 'api',
})
