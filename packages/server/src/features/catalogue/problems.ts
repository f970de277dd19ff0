import { problem } from '../../kernel/http/index.ts'

export const ProviderNotFound = problem({
  code: 'provider-not-found',
  status: 404,
  title: 'No such provider',
  detail: 'The catalogue has no provider of this name; names are case-sensitive.',
  remedy:
    'List the providers to find its name. If its provider file is in MORTISE_PROVIDERS_DIR, run `mortise doctor`: it shows files with errors.',
  retryable: false,
  subsystem: 'catalogue',
})
