import { problem } from '../../../kernel/http/index.ts'
import { ProviderAppIncomplete } from '../calls/index.ts'

export const ProxyHeadersInvalid = problem({
  code: 'proxy-headers-invalid',
  status: 400,
  title: 'The proxy headers are not valid',
  detail: 'Headers of the proxy are missing or wrong. `issues` names each of them.',
  remedy: 'Correct each header that `issues` names, then send the request again.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProxyPathRefused = problem({
  code: 'proxy-path-refused',
  status: 400,
  title: 'The path is not allowed',
  detail: 'The path may lead to another host or out of the provider’s base path.',
  remedy: 'Send the path as the provider documents it, percent-encoded, with one "/" at the start.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProxyInstallationNotFound = problem({
  code: 'proxy-installation-not-found',
  status: 404,
  title: 'Installation not found',
  detail: 'This project has no installation that matches the headers.',
  remedy: 'Check X-Mortise-Installation-Id, or X-Mortise-Integration-Name and X-Mortise-Group-Ref.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProxyNotEnabled = problem({
  code: 'proxy-not-enabled',
  status: 403,
  title: 'The proxy is not enabled',
  detail: 'The manifest of the integration does not enable the proxy.',
  remedy: 'Set `proxy.enabled: true` in the manifest and deploy it.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProxyCredentialUnusable = problem({
  code: 'proxy-credential-unusable',
  status: 502,
  title: 'The connection has no valid credential',
  detail: 'The provider refuses the credential of the connection, or there is none.',
  remedy: 'Ask the customer to connect the account again.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProxyCredentialUnavailable = problem({
  code: 'proxy-credential-unavailable',
  status: 502,
  title: 'The access token could not be renewed',
  detail: 'The access token has expired, and we could not get a new one from the provider.',
  remedy: 'Try again in a few seconds.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProxyTargetUnusable = problem({
  code: 'proxy-target-unusable',
  status: 422,
  title: 'The address of the connection is not valid',
  detail:
    'The connection does not give a valid base URL: a value is missing, the host does not exist, or Mortise may not send requests to it.',
  remedy: 'Correct the address in the metadata of the connection, or the provider file.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProviderUnreachable = problem({
  code: 'provider-unreachable',
  status: 502,
  title: 'We could not reach the provider',
  detail: 'The provider did not respond with HTTP.',
  remedy: 'Try again in a few seconds. Check whether the provider has an outage.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProviderTimeout = problem({
  code: 'provider-timeout',
  status: 504,
  title: 'The provider takes too long',
  detail: 'The provider did not respond in time.',
  remedy: 'Check whether the request took effect before you send it again.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProxyThrottled = problem({
  code: 'proxy-throttled',
  status: 429,
  title: 'Rate limit of the provider exceeded',
  detail: 'The provider responded 429 to this connection earlier and asked to wait. This request was not sent.',
  remedy: 'Wait until `retryAfter`.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProxyBusy = problem({
  code: 'proxy-busy',
  status: 429,
  title: 'Too many concurrent requests of this connection',
  detail: 'The connection has reached its limit of concurrent and waiting requests. This request was not sent.',
  remedy: 'Send fewer requests at the same time, and try again after `retryAfter`.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProxyBodyStalled = problem({
  code: 'proxy-body-stalled',
  status: 408,
  title: 'The request body stopped arriving',
  detail: 'No byte of the body arrived for a minute.',
  remedy: 'Send the request again on a new connection.',
  retryable: true,
  subsystem: 'proxy',
})

export const proxyProblems = [
  ProviderAppIncomplete,
  ProxyHeadersInvalid,
  ProxyPathRefused,
  ProxyInstallationNotFound,
  ProxyNotEnabled,
  ProxyCredentialUnusable,
  ProxyCredentialUnavailable,
  ProxyTargetUnusable,
  ProviderUnreachable,
  ProviderTimeout,
  ProxyThrottled,
  ProxyBusy,
  ProxyBodyStalled,
]
