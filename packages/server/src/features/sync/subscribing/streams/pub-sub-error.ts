import { ProviderError, type ProviderErrorClass } from '@mortise/providers'

/** The position is too old, or the provider does not know it. */
export class PositionUnknown extends Error {
  override name = 'PositionUnknown'
}

/** What a status of gRPC means. Every other one is temporary. */
const classes: Readonly<Record<string, ProviderErrorClass>> = {
  INVALID_ARGUMENT: 'bad_request',
  NOT_FOUND: 'not_found',
  PERMISSION_DENIED: 'forbidden',
  FAILED_PRECONDITION: 'bad_request',
  UNIMPLEMENTED: 'bad_request',
  RESOURCE_EXHAUSTED: 'rate_limited',
  UNAUTHENTICATED: 'auth_invalidated',
}

const messages: Partial<Record<ProviderErrorClass, string>> = {
  rate_limited: 'The provider accepts no more streams or requests now.',
  auth_invalidated: 'The provider refuses the credential of the stream.',
  provider_5xx: 'The stream of the provider ended.',
}

/** A failed call, as the library reports it. */
export interface FailedCall {
  /** Name of the status. */
  status: string
  details: string
  /** The provider's own code, from the trailers. */
  code: string
}

/**
 * Returns the error that a failed call means.
 *
 * @param safe makes a text of the provider fit to be shown
 */
export function pubSubError({ status, details, code }: FailedCall, safe: (text: string) => string): Error {
  if (/\.replayid\./.test(code)) return new PositionUnknown('The provider does not know the position of the stream.')
  const errorClass = /\.auth\./.test(code) ? 'auth_invalidated' : (classes[status] ?? 'provider_5xx')
  const providerMessage = safe(details)
  return new ProviderError(errorClass, messages[errorClass] ?? 'The provider refuses the stream.', {
    ...(providerMessage !== '' && { providerMessage }),
  })
}
