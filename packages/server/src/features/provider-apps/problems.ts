import { problem } from '../../kernel/http/index.ts'

export const ProviderAppNotFound = problem({
  code: 'provider-app-not-found',
  status: 404,
  title: 'No such provider app',
  detail: 'The project has no provider app of this id.',
  remedy: 'List the provider apps of the project to find its id.',
  retryable: false,
  subsystem: 'provider-apps',
})

export const ProviderAppInUse = problem({
  code: 'provider-app-in-use',
  status: 422,
  title: 'The provider app is in use',
  detail: 'Connections were made through this provider app, and need it to renew their tokens.',
  remedy: 'Delete these connections first, or change the app instead.',
  retryable: false,
  subsystem: 'provider-apps',
})
