import { problem } from '../../kernel/http/index.ts'

export const ProxyHeadersInvalid = problem({
  code: 'proxy-headers-invalid',
  status: 400,
  title: 'The headers do not say what to send where',
  detail: 'Headers of the proxy are missing or wrong; `issues` names each of them.',
  remedy: 'Set every header that `issues` names and send the request again.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProxyPathRefused = problem({
  code: 'proxy-path-refused',
  status: 400,
  title: 'The path cannot be passed on',
  detail: 'The path could be read as leading to another host or out of the provider’s base path.',
  remedy: 'Send the path as the provider documents it, percent-encoded, with one "/" at its beginning.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProxyInstallationNotFound = problem({
  code: 'proxy-installation-not-found',
  status: 404,
  title: 'No such installation',
  detail: 'The project has no installation that the headers could mean.',
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
  title: 'The connection has no usable credential',
  detail: 'The provider refuses the credential of the connection, or there is none.',
  remedy: 'Have the customer connect the account again.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProxyCredentialUnavailable = problem({
  code: 'proxy-credential-unavailable',
  status: 502,
  title: 'The credential cannot be renewed right now',
  detail: 'The access token has ended, and the provider cannot be asked for another one right now.',
  remedy: 'Try again in a few seconds.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProxyTargetUnusable = problem({
  code: 'proxy-target-unusable',
  status: 422,
  title: 'The address of the connection cannot be used',
  detail:
    'The provider’s base URL cannot be made from the connection, has no host that there is, or leads where requests may not go.',
  remedy: 'Correct the address in the metadata of the connection, or the provider file.',
  retryable: false,
  subsystem: 'proxy',
})

export const ProviderUnreachable = problem({
  code: 'provider-unreachable',
  status: 502,
  title: 'The provider cannot be reached',
  detail: 'The provider did not answer with HTTP.',
  remedy: 'Try again in a few seconds; look whether the provider has an outage.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProviderTimeout = problem({
  code: 'provider-timeout',
  status: 504,
  title: 'The provider takes too long',
  detail: 'The provider did not answer in time.',
  remedy: 'Look whether the request has taken effect before it is sent again.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProxyThrottled = problem({
  code: 'proxy-throttled',
  status: 429,
  title: 'The provider has asked to wait',
  detail: 'The provider has answered 429 to the connection and asked to wait; this request was not sent to it.',
  remedy: 'Wait until `retryAfter`.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProxyBusy = problem({
  code: 'proxy-busy',
  status: 429,
  title: 'Too many requests of this connection at once',
  detail: 'As many requests of the connection as may run are under way, and others wait; this one was not sent.',
  remedy: 'Send fewer at the same time; try again after `retryAfter`.',
  retryable: true,
  subsystem: 'proxy',
})

export const ProxyBodyStalled = problem({
  code: 'proxy-body-stalled',
  status: 408,
  title: 'The body does not arrive',
  detail: 'No byte of the body has arrived for a minute.',
  remedy: 'Send the request again on a new connection.',
  retryable: true,
  subsystem: 'proxy',
})

export const proxyProblems = [
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
