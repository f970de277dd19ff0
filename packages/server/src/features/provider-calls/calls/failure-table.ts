/** What a read does next. */
export type ReadStep =
  /** Sent again after `Retry-After`, or after a growing delay; from the last committed page. */
  | 'retry'
  /** As `retry`, and every other request of the connection waits too. */
  | 'wait'
  /** Waits for a permit of the rate limiter. Nothing went wrong. */
  | 'yield'
  /** The window begins again. */
  | 'restart'
  /** The read fails, and its schedule is paused until the account is connected again. */
  | 'reconnect'
  /** The read fails. */
  | 'fail'

/** What a write does next. Only an asynchronous write is sent again. */
export type WriteStep =
  /** Sent again until its deadline. Later records would fail in the same way now, so they wait or fail with it. */
  | 'retry'
  /** This record fails. The next one is sent. */
  | 'next'
  /** This record fails, and all later ones with it, unsent. */
  | 'stop'

/**
 * What the failure is about. `request`: this object or record. `credential` and `connection`: each request of the
 * connection would fail. `provider`: it passes, or not, for reasons of the provider or the network. `service`: a fault
 * of ours.
 */
export type FailureScope = 'request' | 'credential' | 'connection' | 'provider' | 'service'

/** The problem of an endpoint that calls the provider while its caller waits. */
export type FailureProblem =
  | 'capability-not-implemented'
  | 'connection-not-found'
  | 'names-busy'
  | 'object-not-found'
  | 'provider-app-incomplete'
  | 'provider-address-unusable'
  | 'provider-answer-unexpected'
  | 'provider-credentials-refused'
  | 'provider-rate-limited'
  | 'provider-refused'
  | 'provider-unavailable'

/** The problem of a proxied request. The provider's responses are passed through, whatever they say. */
export type FailureProxyProblem =
  | 'names-busy'
  | 'provider-app-incomplete'
  | 'provider-timeout'
  | 'provider-unreachable'
  | 'proxy-busy'
  | 'proxy-credential-unavailable'
  | 'proxy-credential-unusable'
  | 'proxy-installation-not-found'
  | 'proxy-target-unusable'

export interface FailureRow {
  /** What happened, for the table in the documentation. */
  happened: string
  scope: FailureScope
  read: ReadStep
  write: WriteStep
  /** Whether the provider may have processed the request. If so, a create is not sent again. */
  mayBeDone: boolean
  /** Whether a subscription is set up again automatically. */
  subscribe: 'retry' | 'fail'
  /** Whether an event waits for its record, or is delivered without it. */
  event: 'wait' | 'skip'
  /** Result of a health check. `retry`: another check may give another result. */
  check: 'refused' | 'unreachable' | 'retry'
  /** `undefined` for an error that the endpoint itself reports. */
  problem: FailureProblem | undefined
  proxy: FailureProxyProblem | undefined
}

/** Rows of temporary failures. */
const passing = {
  scope: 'provider',
  read: 'retry',
  write: 'retry',
  mayBeDone: false,
  subscribe: 'retry',
  event: 'wait',
  check: 'retry',
  problem: 'provider-unavailable',
  proxy: undefined,
} as const

/** Rows of failures before a byte of the request was sent. */
const unsent = { ...passing, proxy: 'provider-unreachable' } as const

/** Rows of requests that were sent but got no usable response. */
const unanswered = { ...unsent, mayBeDone: true } as const

/** Rows of responses that refuse the request. */
const refused = {
  scope: 'request',
  read: 'fail',
  write: 'stop',
  mayBeDone: false,
  subscribe: 'fail',
  event: 'skip',
  check: 'unreachable',
  problem: 'provider-refused',
  proxy: undefined,
} as const

/** Rows of connections whose values or provider file cannot produce a request. */
const unusable = {
  ...refused,
  scope: 'connection',
  read: 'retry',
  proxy: 'proxy-target-unusable',
} as const

const credentialRefused = {
  ...refused,
  scope: 'credential',
  read: 'reconnect',
  // The account may be connected again before the event is too old.
  event: 'wait',
  check: 'refused',
  problem: 'provider-credentials-refused',
} as const

/**
 * Says what each failure of a request to a provider leads to: the one table for reads, writes, searches, metadata,
 * subscriptions, events, health checks and the proxy. `docs/provider-failures.md` is written from it. The first rows
 * are the classes of answers that a provider file distinguishes.
 */
export const failureTable = {
  rate_limited: {
    ...passing,
    happened: '429, or another answer that its file calls a rate limit',
    read: 'wait',
    problem: 'provider-rate-limited',
  },
  provider_5xx: { ...passing, happened: '5xx' },
  unexpected_response: {
    ...passing,
    happened: 'not what its file declares: HTML, an empty or cut body, another JSON, a redirect, the page before again',
    // The provider may have processed the request: a subscription must not be registered twice.
    write: 'next',
    subscribe: 'fail',
    problem: 'provider-answer-unexpected',
  },
  not_found: { ...refused, happened: '404, 410', read: 'retry', write: 'next', problem: 'object-not-found' },
  cursor_gone: {
    ...refused,
    happened: 'the page token is no longer known',
    scope: 'provider',
    read: 'restart',
    problem: 'provider-answer-unexpected',
  },
  auth_invalidated: { ...credentialRefused, happened: '401, or its own way to refuse the credential' },
  forbidden: { ...refused, happened: '403', check: 'refused' },
  bad_request: { ...refused, happened: 'another 4xx', write: 'next' },
  endless_pages: {
    ...refused,
    happened: 'the same pages again and again',
    scope: 'provider',
    problem: 'provider-answer-unexpected',
  },
  list_truncated: {
    ...refused,
    happened: 'a list that reaches a limit of the provider, and may have more records',
    scope: 'provider',
    problem: 'provider-answer-unexpected',
  },
  unsupported_object: {
    ...refused,
    happened: 'nothing: its file does not declare the object',
    problem: 'object-not-found',
  },

  permit_timeout: {
    ...passing,
    happened: 'no permit of the rate limiter in time',
    read: 'yield',
    problem: 'provider-rate-limited',
    proxy: 'proxy-busy',
  },
  credential_refused: {
    ...credentialRefused,
    happened: 'the access token cannot be renewed: the provider refuses',
    proxy: 'proxy-credential-unusable',
  },
  credential_unavailable: {
    ...passing,
    happened: 'the access token cannot be renewed: the provider does not respond',
    proxy: 'proxy-credential-unavailable',
  },

  address_refused: {
    ...passing,
    happened: 'the address guard refuses the address',
    scope: 'connection',
    write: 'stop',
    subscribe: 'fail',
    problem: 'provider-address-unusable',
    proxy: 'proxy-target-unusable',
  },
  name_unknown: {
    ...passing,
    happened: 'the host does not exist',
    scope: 'connection',
    problem: 'provider-address-unusable',
    proxy: 'proxy-target-unusable',
  },
  name_unresolved: { ...unsent, happened: 'the name servers do not resolve the host' },
  names_busy: {
    ...unsent,
    happened: 'too many DNS lookups at the same time',
    problem: 'names-busy',
    proxy: 'names-busy',
  },
  unconnected: { ...unsent, happened: 'the connection is refused, or there is no route' },
  connect_timeout: { ...unsent, happened: 'the host accepts no connection in time', proxy: 'provider-timeout' },
  tls: { ...unsent, happened: 'the TLS handshake fails, or the certificate is not valid' },
  connection_lost: { ...unanswered, happened: 'the connection breaks before the answer is complete' },
  answer_timeout: { ...unanswered, happened: 'no complete answer in time', proxy: 'provider-timeout' },
  // The proxy streams answers of any size.
  answer_too_large: { ...unanswered, happened: 'the answer is too large', write: 'stop', proxy: undefined },
  invalid_http: { ...unanswered, happened: 'the answer is not valid HTTP', write: 'stop' },
  deadline: { ...unanswered, happened: 'the time for the whole task is over', proxy: 'provider-timeout' },
  canceled: { ...unanswered, happened: 'the service stops, or the caller leaves' },

  no_connector: {
    ...unusable,
    happened: 'there is no provider file that describes the task',
    problem: 'capability-not-implemented',
  },
  invalid_inputs: { ...unusable, happened: 'the values of the connection make no address' },
  app_incomplete: {
    ...unusable,
    happened: 'the provider app lacks a setting that requests need',
    // The builder may add it before the event is too old.
    event: 'wait',
    problem: 'provider-app-incomplete',
    proxy: 'provider-app-incomplete',
  },
  connection_deleted: {
    ...unusable,
    happened: 'the connection was deleted',
    problem: 'connection-not-found',
    proxy: 'proxy-installation-not-found',
  },
  internal: {
    ...unanswered,
    happened: 'a fault of the service, such as an unreachable database',
    scope: 'service',
    write: 'stop',
    problem: undefined,
    proxy: undefined,
  },
} as const satisfies Record<string, FailureRow>

export type FailureKind = keyof typeof failureTable
