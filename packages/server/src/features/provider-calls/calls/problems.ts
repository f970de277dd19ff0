import { problem } from '../../../kernel/http/index.ts'

export const CapabilityNotImplemented = problem({
  code: 'capability-not-implemented',
  status: 422,
  title: 'Not supported for this provider',
  detail: 'The provider file does not describe how to do this.',
  remedy:
    'Describe it in your own provider file (MORTISE_PROVIDERS_DIR), or remove it from the config. `mortise doctor` shows provider files with errors.',
  retryable: false,
  subsystem: 'installations',
})

export const ObjectNotFound = problem({
  code: 'object-not-found',
  status: 404,
  title: 'Object not found',
  detail: 'The provider has no such object, or this account cannot see it.',
  remedy: 'Check the name: it is the provider’s name, or for an installation also the manifest’s `mapToName`.',
  retryable: false,
  subsystem: 'object-metadata',
})

export const ProviderCredentialsRefused = problem({
  code: 'provider-credentials-refused',
  status: 422,
  title: 'The provider refuses the credential',
  detail: 'The provider refused the credential of the connection.',
  remedy: 'Connect the account again. The connection keeps its id.',
  retryable: false,
  subsystem: 'object-metadata',
})

export const ProviderRefused = problem({
  code: 'provider-refused',
  status: 422,
  title: 'The provider refuses the request',
  detail: 'The provider refused the request. The credential may lack a permission.',
  remedy: 'Grant the account the permission in `detail`, then send the request again.',
  retryable: false,
  subsystem: 'object-metadata',
})

export const ProviderRateLimited = problem({
  code: 'provider-rate-limited',
  status: 429,
  title: 'Rate limit of the provider exceeded',
  detail: 'The provider limits the requests of this connection.',
  remedy: 'Send the request again after `retryAfter`.',
  retryable: true,
  subsystem: 'object-metadata',
})

export const ProviderAddressUnusable = problem({
  code: 'provider-address-unusable',
  status: 422,
  title: 'The address of the connection is not valid',
  detail: 'The host of the provider’s address does not exist, or Mortise may not send requests to it.',
  remedy: 'Correct the address in the metadata of the connection.',
  retryable: false,
  subsystem: 'object-metadata',
})

export const ProviderAppIncomplete = problem({
  code: 'provider-app-incomplete',
  status: 422,
  title: 'The provider app lacks a setting',
  detail: 'The provider requires a setting of the provider app that requests contain. Nothing was sent.',
  remedy: 'Add the setting to `metadata.providerParams` of the provider app. Create the app if there is none.',
  retryable: false,
  subsystem: 'provider-apps',
})

export const ProviderUnavailable = problem({
  code: 'provider-unavailable',
  status: 502,
  title: 'The provider does not respond',
  detail: 'We could not reach the provider, or it took too long or failed.',
  remedy: 'Send the request again in a minute.',
  retryable: true,
  subsystem: 'object-metadata',
})

export const ProviderAnswerUnexpected = problem({
  code: 'provider-answer-unexpected',
  status: 502,
  title: 'Unexpected response from the provider',
  detail: 'The response of the provider is not as its provider file declares.',
  remedy: 'Check the address of the connection. If it is right, report the provider and the request id.',
  retryable: false,
  subsystem: 'object-metadata',
})

/** How a request ends whose caller waits for the provider. */
export const providerProblems = [
  ObjectNotFound,
  ProviderCredentialsRefused,
  ProviderRefused,
  ProviderAddressUnusable,
  ProviderAppIncomplete,
  ProviderRateLimited,
  ProviderUnavailable,
  ProviderAnswerUnexpected,
]
