import { problem } from '../../kernel/http/index.ts'

export const ApiKeyNotFound = problem({
  code: 'api-key-not-found',
  status: 404,
  title: 'No such API key',
  detail: 'The project has no such API key.',
  remedy: 'List the API keys of the project, and name one by its id or by the key itself.',
  retryable: false,
  subsystem: 'access',
})

export const JwtKeyNotFound = problem({
  code: 'jwt-key-not-found',
  status: 404,
  title: 'No such JWT key',
  detail: 'The project has no JWT key of this id.',
  remedy: 'List the JWT keys of the project to find its id.',
  retryable: false,
  subsystem: 'access',
})

export const TooManyKeys = problem({
  code: 'too-many-keys',
  status: 422,
  title: 'The project has too many keys',
  detail: 'The project has as many keys of this kind as one may have.',
  remedy: 'Delete the keys that nobody uses any more.',
  retryable: false,
  subsystem: 'access',
})
