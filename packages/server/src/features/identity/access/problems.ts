import { problem } from '../../../kernel/http/index.ts'

export const ApiKeyNotFound = problem({
  code: 'api-key-not-found',
  status: 404,
  title: 'API key not found',
  detail: 'This project has no such API key.',
  remedy: 'List the API keys of the project to find its id, or send the key itself.',
  retryable: false,
  subsystem: 'access',
})

export const JwtKeyNotFound = problem({
  code: 'jwt-key-not-found',
  status: 404,
  title: 'JWT key not found',
  detail: 'This project has no JWT key with this id.',
  remedy: 'List the JWT keys of the project to find its id.',
  retryable: false,
  subsystem: 'access',
})

export const TooManyKeys = problem({
  code: 'too-many-keys',
  status: 422,
  title: 'Too many keys',
  detail: 'The project has reached its limit of keys of this kind.',
  remedy: 'Delete keys that you no longer use.',
  retryable: false,
  subsystem: 'access',
})
