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

export const ConnectionExists = problem({
  code: 'connection-exists',
  status: 409,
  title: 'The account is connected already',
  detail: 'Another connection of the same group and consumer is to that workspace of the provider.',
  remedy: 'Use that connection, or delete it first.',
  retryable: false,
  subsystem: 'connections',
})

export const CredentialNotImplemented = problem({
  code: 'credential-not-implemented',
  status: 501,
  title: 'Tokens cannot be obtained yet',
  detail: 'The credential needs a token from the provider, and this release does not obtain or renew tokens.',
  remedy: 'Send a credential that can be used as it is, such as a valid access token.',
  retryable: false,
  subsystem: 'connections',
})
