import { problem } from '../../kernel/http/index.ts'

export const ObjectNotFound = problem({
  code: 'object-not-found',
  status: 404,
  title: 'No such object',
  detail: 'The provider has no such object, or not for this account.',
  remedy: 'Check the name: it is the provider’s own, or for an installation also the manifest’s `mapToName`.',
  retryable: false,
  subsystem: 'object-metadata',
})

export const ProviderCredentialsRefused = problem({
  code: 'provider-credentials-refused',
  status: 422,
  title: 'The provider refuses the credentials',
  detail: 'The provider was asked and refuses the credentials of the connection.',
  remedy: 'Connect the account again; the connection keeps its id.',
  retryable: false,
  subsystem: 'object-metadata',
})

export const ProviderRefused = problem({
  code: 'provider-refused',
  status: 422,
  title: 'The provider refuses the request',
  detail: 'The provider was asked and refuses; the credentials may lack a permission.',
  remedy: 'Grant the account what `detail` names, then send the request again.',
  retryable: false,
  subsystem: 'object-metadata',
})

export const ProviderRateLimited = problem({
  code: 'provider-rate-limited',
  status: 429,
  title: 'The provider takes no more requests for now',
  detail: 'The provider limits how often this connection may ask it.',
  remedy: 'Send the request again after `retryAfter`.',
  retryable: true,
  subsystem: 'object-metadata',
})

export const ProviderAddressUnusable = problem({
  code: 'provider-address-unusable',
  status: 422,
  title: 'The address of the connection cannot be used',
  detail: 'The address of the provider has no host that there is, or leads where requests may not go.',
  remedy: 'Correct the address in the metadata of the connection.',
  retryable: false,
  subsystem: 'object-metadata',
})

export const ProviderUnavailable = problem({
  code: 'provider-unavailable',
  status: 502,
  title: 'The provider does not answer',
  detail: 'The provider could not be reached, took too long, or failed.',
  remedy: 'Send the request again in a minute.',
  retryable: true,
  subsystem: 'object-metadata',
})

export const ProviderAnswerUnexpected = problem({
  code: 'provider-answer-unexpected',
  status: 502,
  title: 'The provider answers otherwise than expected',
  detail: 'The answer of the provider has another shape than its file declares.',
  remedy: 'Check the address of the connection; if it is right, report the provider and the request id.',
  retryable: false,
  subsystem: 'object-metadata',
})

/** What asking a provider can end with. */
export const providerProblems = [
  ObjectNotFound,
  ProviderCredentialsRefused,
  ProviderRefused,
  ProviderAddressUnusable,
  ProviderRateLimited,
  ProviderUnavailable,
  ProviderAnswerUnexpected,
]
