import { problem } from '../../../kernel/http/index.ts'

export const ProviderAppNotFound = problem({
  code: 'provider-app-not-found',
  status: 404,
  title: 'Provider app not found',
  detail: 'This project has no provider app with this id.',
  remedy: 'List the provider apps of the project to find its id.',
  retryable: false,
  subsystem: 'provider-apps',
})

export const ProviderAppInUse = problem({
  code: 'provider-app-in-use',
  status: 422,
  title: 'The provider app is in use',
  detail: 'Connections need this provider app to renew their tokens.',
  remedy: 'Delete these connections first, or update the provider app instead.',
  retryable: false,
  subsystem: 'provider-apps',
})
