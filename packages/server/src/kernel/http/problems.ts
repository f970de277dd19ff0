import { problem } from './problem.ts'

/** The problems that any operation can answer with. */

export const InvalidInput = problem({
  code: 'invalid-input',
  status: 400,
  title: 'The request is not valid',
  detail: 'Some parts of the request are not valid; `issues` names each of them.',
  remedy: 'Correct every input that `issues` names and send the request again.',
  retryable: false,
  subsystem: 'api',
})

/** The same for a body that is well formed but cannot be accepted. */
export const UnacceptableInput = problem({
  code: 'unacceptable-input',
  status: 422,
  title: 'The request cannot be accepted',
  detail: 'The request is well formed, but its content cannot be accepted; `issues` names each reason.',
  remedy: 'Correct what `issues` names and send the request again.',
  retryable: false,
  subsystem: 'api',
})

export const Unauthenticated = problem({
  code: 'unauthenticated',
  status: 401,
  title: 'No valid credential',
  detail: 'The request carries no credential that is known here.',
  remedy: 'Send an active API key of the project in the header X-Api-Key.',
  retryable: false,
  subsystem: 'access',
})

export const Forbidden = problem({
  code: 'forbidden',
  status: 403,
  title: 'Not allowed with this credential',
  detail: 'The credential is valid, but it may not call this operation.',
  remedy: 'Use an API key of scope `full`.',
  retryable: false,
  subsystem: 'access',
})

export const NotFound = problem({
  code: 'not-found',
  status: 404,
  title: 'Not found',
  detail: 'There is nothing of that name here.',
  remedy: 'Check the id or name, and that the API key belongs to the project.',
  retryable: false,
  subsystem: 'api',
})

export const NoSuchRoute = problem({
  code: 'no-such-route',
  status: 404,
  title: 'No such operation',
  detail: 'There is no operation with this method and path.',
  remedy: 'Look the operation up in the OpenAPI document at /v1/openapi.json.',
  retryable: false,
  subsystem: 'api',
})

export const BodyTooLarge = problem({
  code: 'body-too-large',
  status: 413,
  title: 'The body is too large',
  detail: 'The body of the request is larger than this operation accepts.',
  remedy: 'Send less in one request. For a deploy, upload the source and pass its URL.',
  retryable: false,
  subsystem: 'api',
})

export const UnsupportedMediaType = problem({
  code: 'unsupported-media-type',
  status: 415,
  title: 'The media type is not supported',
  detail: 'The body must be JSON.',
  remedy: 'Send the header Content-Type: application/json.',
  retryable: false,
  subsystem: 'api',
})

export const MalformedBody = problem({
  code: 'malformed-body',
  status: 400,
  title: 'The body cannot be read',
  detail: 'The body is not valid JSON.',
  remedy: 'Send one JSON document in UTF-8.',
  retryable: false,
  subsystem: 'api',
})

export const MalformedRequest = problem({
  code: 'malformed-request',
  status: 400,
  title: 'The request is not HTTP',
  detail: 'The request cannot be read as HTTP.',
  remedy: 'Send a well-formed HTTP/1.1 request.',
  retryable: false,
  subsystem: 'api',
})

export const RequestTooSlow = problem({
  code: 'request-too-slow',
  status: 408,
  title: 'The request took too long to arrive',
  detail: 'The request did not arrive whole within the time for it.',
  remedy: 'Send the request again on a new connection.',
  retryable: true,
  subsystem: 'api',
})

export const HeadersTooLarge = problem({
  code: 'headers-too-large',
  status: 431,
  title: 'The headers are too large',
  detail: 'The headers of the request are larger than 16 kB together.',
  remedy: 'Send fewer or shorter headers.',
  retryable: false,
  subsystem: 'api',
})

export const ExpectationUnknown = problem({
  code: 'expectation-unknown',
  status: 417,
  title: 'The expectation is not known',
  detail: 'The header Expect holds something other than 100-continue.',
  remedy: 'Leave the header Expect out.',
  retryable: false,
  subsystem: 'api',
})

export const TunnelRefused = problem({
  code: 'tunnel-refused',
  status: 501,
  title: 'Tunnels are not supported',
  detail: 'The service opens no tunnels: the method CONNECT is not supported.',
  remedy: 'Send requests to the service itself. To reach a provider, use the proxy below /proxy.',
  retryable: false,
  subsystem: 'api',
})

export const Unavailable = problem({
  code: 'unavailable',
  status: 503,
  title: 'Not available right now',
  detail: 'The service cannot reach its database right now.',
  remedy: 'Try again in a few seconds.',
  retryable: true,
  subsystem: 'api',
})

export const NamesBusy = problem({
  code: 'names-busy',
  status: 503,
  title: 'Too many names are being resolved',
  detail: 'The project resolves as many host names as it may at the same time; nothing was sent to the host.',
  remedy:
    'Send the request again in a few seconds. Look for destinations and connections whose host names do not resolve.',
  retryable: true,
  subsystem: 'api',
})

export const Contended = problem({
  code: 'contended',
  status: 503,
  title: 'Changed by others at the same moment',
  detail: 'Another request was changing the same thing at the same moment; nothing of this one was done.',
  remedy: 'Send the request again.',
  retryable: true,
  subsystem: 'api',
})

export const Unexpected = problem({
  code: 'unexpected',
  status: 500,
  title: 'Something went wrong here',
  detail: 'The service met an error that it did not expect. It has been logged under the request id.',
  remedy: 'Try again; if it lasts, report the request id.',
  retryable: true,
  subsystem: 'api',
})

export const RateLimited = problem({
  code: 'rate-limited',
  status: 429,
  title: 'Too many requests',
  detail: 'This credential has sent as many requests as it may for now.',
  remedy:
    'Wait until `retryAfter` (the header Retry-After), and spread requests: the header RateLimit tells how many are left.',
  retryable: true,
  subsystem: 'api',
})

export const IdempotencyKeyInUse = problem({
  code: 'idempotency-key-in-use',
  status: 409,
  title: 'The first request with this key still runs',
  detail: 'A request with this Idempotency-Key has begun and not ended yet; this one did nothing.',
  remedy: 'Send the same request again after `retryAfter` to be given its answer.',
  retryable: true,
  subsystem: 'api',
})

export const IdempotencyKeyUnfinished = problem({
  code: 'idempotency-key-unfinished',
  status: 409,
  title: 'The first request with this key never ended',
  detail:
    'A request with this Idempotency-Key began here and never ended, so that it may or may not have taken effect; this one did nothing.',
  remedy: 'Look whether the first request took effect; if it did not, send it again with a new key.',
  retryable: false,
  subsystem: 'api',
})

export const IdempotencyKeyReused = problem({
  code: 'idempotency-key-reused',
  status: 422,
  title: 'The key belongs to another request',
  detail: 'This Idempotency-Key came with another method, path, query or body before; this request did nothing.',
  remedy: 'Use a new key for each request that is not a repetition, byte for byte, of an earlier one.',
  retryable: false,
  subsystem: 'api',
})

export const kernelProblems = [
  InvalidInput,
  UnacceptableInput,
  Unauthenticated,
  Forbidden,
  NotFound,
  NoSuchRoute,
  BodyTooLarge,
  UnsupportedMediaType,
  MalformedBody,
  MalformedRequest,
  RequestTooSlow,
  HeadersTooLarge,
  ExpectationUnknown,
  TunnelRefused,
  Unavailable,
  NamesBusy,
  Contended,
  Unexpected,
  RateLimited,
  IdempotencyKeyInUse,
  IdempotencyKeyUnfinished,
  IdempotencyKeyReused,
]
