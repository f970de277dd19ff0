import { problem } from './problem.ts'

/** The problems that any endpoint can answer with. */

export const InvalidInput = problem({
  code: 'invalid-input',
  status: 400,
  title: 'The request is not valid',
  detail: 'Some parts of the request are not valid. `issues` names each of them.',
  remedy: 'Correct each input that `issues` names, then send the request again.',
  retryable: false,
  subsystem: 'api',
})

/** The same for a body that is well formed but cannot be accepted. */
export const UnacceptableInput = problem({
  code: 'unacceptable-input',
  status: 422,
  title: 'The request cannot be accepted',
  detail: 'The request is well-formed, but its content is not acceptable. `issues` names each reason.',
  remedy: 'Correct what `issues` names, then send the request again.',
  retryable: false,
  subsystem: 'api',
})

export const Unauthenticated = problem({
  code: 'unauthenticated',
  status: 401,
  title: 'Not authenticated',
  detail: 'This API key or token is not valid, or there is none.',
  remedy: 'Send an active API key of the project in the header X-Api-Key.',
  retryable: false,
  subsystem: 'access',
})

export const Forbidden = problem({
  code: 'forbidden',
  status: 403,
  title: 'Not allowed',
  detail: 'The credential is valid, but it may not call this endpoint.',
  remedy: 'Use an API key with scope `full`. For people, `context.neededRole` names the role that is needed.',
  retryable: false,
  subsystem: 'access',
})

export const SecondFactorMissing = problem({
  code: 'second-factor-missing',
  status: 403,
  title: 'Set up a second factor first',
  detail: 'Your organization requires a second factor, and your account has none.',
  remedy: 'Open /signin/enroll in a browser and set one up. Programs use POST /v1/my-info/factors:beginTotp.',
  retryable: false,
  subsystem: 'access',
})

export const NotFound = problem({
  code: 'not-found',
  status: 404,
  title: 'Not found',
  detail: 'There is nothing with this name here.',
  remedy: 'Check the id or name, and that the API key belongs to the project.',
  retryable: false,
  subsystem: 'api',
})

export const NoSuchRoute = problem({
  code: 'no-such-route',
  status: 404,
  title: 'Endpoint not found',
  detail: 'There is no endpoint with this method and path.',
  remedy: 'Find the endpoint in the OpenAPI document at /v1/openapi.json.',
  retryable: false,
  subsystem: 'api',
})

export const BodyTooLarge = problem({
  code: 'body-too-large',
  status: 413,
  title: 'The body is too large',
  detail: 'The body of the request is larger than this endpoint accepts.',
  remedy: 'Send less in one request. For a deploy, upload the source and send its URL.',
  retryable: false,
  subsystem: 'api',
})

export const UnsupportedMediaType = problem({
  code: 'unsupported-media-type',
  status: 415,
  title: 'Media type not supported',
  detail: 'The body must be JSON.',
  remedy: 'Send the header Content-Type: application/json.',
  retryable: false,
  subsystem: 'api',
})

export const MalformedBody = problem({
  code: 'malformed-body',
  status: 400,
  title: 'The body cannot be parsed',
  detail: 'The body is not valid JSON.',
  remedy: 'Send one JSON document in UTF-8.',
  retryable: false,
  subsystem: 'api',
})

export const MalformedRequest = problem({
  code: 'malformed-request',
  status: 400,
  title: 'The request is not HTTP',
  detail: 'The request cannot be parsed as HTTP.',
  remedy: 'Send a well-formed HTTP/1.1 request.',
  retryable: false,
  subsystem: 'api',
})

export const RequestTooSlow = problem({
  code: 'request-too-slow',
  status: 408,
  title: 'The request took too long to arrive',
  detail: 'The request did not arrive completely within its time limit.',
  remedy: 'Send the request again on a new connection.',
  retryable: true,
  subsystem: 'api',
})

export const HeadersTooLarge = problem({
  code: 'headers-too-large',
  status: 431,
  title: 'The headers are too large',
  detail: 'The headers of the request are larger than 16 kB in total.',
  remedy: 'Send fewer or shorter headers.',
  retryable: false,
  subsystem: 'api',
})

export const ExpectationUnknown = problem({
  code: 'expectation-unknown',
  status: 417,
  title: 'Expectation not supported',
  detail: 'The header Expect contains something other than 100-continue.',
  remedy: 'Leave out the header Expect.',
  retryable: false,
  subsystem: 'api',
})

export const TunnelRefused = problem({
  code: 'tunnel-refused',
  status: 501,
  title: 'Tunnels are not supported',
  detail: 'The service opens no tunnels: it does not support the method CONNECT.',
  remedy: 'Send requests to the service itself. To reach a provider, use the proxy below /proxy.',
  retryable: false,
  subsystem: 'api',
})

export const Unavailable = problem({
  code: 'unavailable',
  status: 503,
  title: 'Not available right now',
  detail: 'The service cannot reach its database.',
  remedy: 'Try again in a few seconds.',
  retryable: true,
  subsystem: 'api',
})

export const NamesBusy = problem({
  code: 'names-busy',
  status: 503,
  title: 'Too many DNS lookups',
  detail: 'The project has reached its limit of concurrent DNS lookups. Nothing was sent to the host.',
  remedy:
    'Send the request again in a few seconds. Check for destinations and connections with host names that do not resolve.',
  retryable: true,
  subsystem: 'api',
})

export const Contended = problem({
  code: 'contended',
  status: 503,
  title: 'Changed by another request',
  detail: 'Another request changed the same thing at the same time. This request changed nothing.',
  remedy: 'Send the request again.',
  retryable: true,
  subsystem: 'api',
})

export const Unexpected = problem({
  code: 'unexpected',
  status: 500,
  title: 'Internal error',
  detail: 'The service had an unexpected error. The log has it under the request id.',
  remedy: 'Try again. If the error remains, report the request id.',
  retryable: true,
  subsystem: 'api',
})

export const RateLimited = problem({
  code: 'rate-limited',
  status: 429,
  title: 'Too many requests',
  detail: 'This credential has reached its rate limit.',
  remedy:
    'Wait until `retryAfter` (the header Retry-After), and send requests more evenly. The header RateLimit shows how many are left.',
  retryable: true,
  subsystem: 'api',
})

export const IdempotencyKeyInUse = problem({
  code: 'idempotency-key-in-use',
  status: 409,
  title: 'The first request with this key is still running',
  detail: 'A request with this Idempotency-Key has started and not finished. This request did nothing.',
  remedy: 'Send the same request again after `retryAfter` to get the response of the first one.',
  retryable: true,
  subsystem: 'api',
})

export const IdempotencyKeyUnfinished = problem({
  code: 'idempotency-key-unfinished',
  status: 409,
  title: 'The first request with this key did not finish',
  detail:
    'A request with this Idempotency-Key started and did not finish, so it may have taken effect. This request did nothing.',
  remedy: 'Check whether the first request took effect. If it did not, send it again with a new key.',
  retryable: false,
  subsystem: 'api',
})

export const IdempotencyKeyReused = problem({
  code: 'idempotency-key-reused',
  status: 422,
  title: 'The key belongs to another request',
  detail:
    'An earlier request used this Idempotency-Key with another method, path, query or body. This request did nothing.',
  remedy: 'Use a new key for each request, except to repeat an earlier one byte for byte.',
  retryable: false,
  subsystem: 'api',
})

export const kernelProblems = [
  InvalidInput,
  UnacceptableInput,
  Unauthenticated,
  Forbidden,
  SecondFactorMissing,
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
