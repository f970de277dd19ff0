import { problem } from '../../kernel/http/index.ts'

export const ProviderNotFound = problem({
  code: 'provider-not-found',
  status: 404,
  title: 'No such provider',
  detail: 'The catalogue has no provider of this name; names are case-sensitive.',
  remedy: 'List the providers to find its name, or add a provider file to a folder of MORTISE_PROVIDERS_DIR.',
  retryable: false,
  subsystem: 'catalogue',
})
