import { problem } from '../../../kernel/http/index.ts'

export const GroupNotFound = problem({
  code: 'group-not-found',
  status: 404,
  title: 'Group not found',
  detail: 'This project has no group with this ref.',
  remedy: 'List the groups of the project. Percent-encode the ref in a path.',
  retryable: false,
  subsystem: 'groups',
})

export const ConsumerNotFound = problem({
  code: 'consumer-not-found',
  status: 404,
  title: 'Consumer not found',
  detail: 'This project has no consumer with this ref.',
  remedy: 'List the consumers of the project. Percent-encode the ref in a path.',
  retryable: false,
  subsystem: 'groups',
})
