import { problem } from '../../kernel/http/index.ts'

export const GroupNotFound = problem({
  code: 'group-not-found',
  status: 404,
  title: 'No such group',
  detail: 'The project has no group of this ref.',
  remedy: 'List the groups of the project; a ref in a path is percent-encoded.',
  retryable: false,
  subsystem: 'groups',
})

export const ConsumerNotFound = problem({
  code: 'consumer-not-found',
  status: 404,
  title: 'No such consumer',
  detail: 'The project has no consumer of this ref.',
  remedy: 'List the consumers of the project; a ref in a path is percent-encoded.',
  retryable: false,
  subsystem: 'groups',
})
