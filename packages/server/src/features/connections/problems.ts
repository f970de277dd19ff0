import { problem } from '../../kernel/http/index.ts'

export const ConnectionNotFound = problem({
  code: 'connection-not-found',
  status: 404,
  title: 'No such connection',
  detail: 'The project has no connection of this id.',
  remedy: 'List the connections of the project to find its id.',
  retryable: false,
  subsystem: 'connections',
})

export const ConnectionInUse = problem({
  code: 'connection-in-use',
  status: 400,
  title: 'The connection is in use',
  detail: 'An installation still uses this connection.',
  remedy: 'Delete its installations first; deleting the last one deletes the connection too.',
  retryable: false,
  subsystem: 'connections',
})
