import { problem } from '../../../kernel/http/index.ts'

export const ConnectionNotFound = problem({
  code: 'connection-not-found',
  status: 404,
  title: 'Connection not found',
  detail: 'This project has no connection with this id.',
  remedy: 'List the connections of the project to find its id.',
  retryable: false,
  subsystem: 'connections',
})

export const ConnectionInUse = problem({
  code: 'connection-in-use',
  status: 400,
  title: 'The connection is in use',
  detail: 'An installation uses this connection.',
  remedy: 'Delete its installations first. The connection is deleted with the last one.',
  retryable: false,
  subsystem: 'connections',
})

export const ConnectionExists = problem({
  code: 'connection-exists',
  status: 409,
  title: 'The account is already connected',
  detail: 'The same group and consumer already have a connection to this workspace of the provider.',
  remedy: 'Use that connection, or delete it first.',
  retryable: false,
  subsystem: 'connections',
})

export const CredentialNeeded = problem({
  code: 'credential-needed',
  status: 403,
  title: 'Send the credential again',
  detail: 'The change would send the stored credential to another address.',
  remedy: 'Send the credential in the same request, connect the account again, or use an API key with scope `full`.',
  retryable: false,
  subsystem: 'connections',
})

export const RenewalUnavailable = problem({
  code: 'renewal-unavailable',
  status: 503,
  title: 'The access token could not be renewed',
  detail: 'We could not reach the provider for a new access token. The connection did not change.',
  remedy: 'Try again later, or leave out `refresh` to get the current token.',
  retryable: true,
  subsystem: 'connections',
})
