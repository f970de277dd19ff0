import { problem } from '../../../kernel/http/index.ts'

export const ProviderNotFound = problem({
  code: 'provider-not-found',
  status: 404,
  title: 'Provider not found',
  detail: 'The catalog has no provider with this name. Names are case-sensitive.',
  remedy:
    'List the providers to find the name. For your own provider file, run `mortise doctor`: it shows files with errors.',
  retryable: false,
  subsystem: 'catalogue',
})
