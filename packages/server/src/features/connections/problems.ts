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

export const CredentialNeeded = problem({
  code: 'credential-needed',
  status: 403,
  title: 'Send the credential again',
  detail: 'The change would send the stored credential to another address.',
  remedy:
    'Send the credential in the same request, connect the account again, or make the change with an API key of scope full.',
  retryable: false,
  subsystem: 'connections',
})

export const CredentialNotImplemented = problem({
  code: 'credential-not-implemented',
  status: 501,
  title: 'It is not known how to authenticate',
  detail: 'The provider turns the inputs into a credential in a way that its file does not describe.',
  remedy: 'Describe it in a provider file of your own (MORTISE_PROVIDERS_DIR).',
  retryable: false,
  subsystem: 'connections',
})

export const RenewalUnavailable = problem({
  code: 'renewal-unavailable',
  status: 503,
  title: 'The access token cannot be renewed just now',
  detail: 'The provider could not be asked for a new access token; the connection stays as it is.',
  remedy: 'Try again later, or leave out `refresh` to get the connection with the token that it has.',
  retryable: true,
  subsystem: 'connections',
})
