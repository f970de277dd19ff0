/**
 * The classes of answers of providers. The service decides what each leads to. `errors` of a provider file says
 * what the provider calls them (contract 6.10).
 */
export const providerErrorClasses = [
  'rate_limited',
  'provider_5xx',
  /** Not what its file declares: HTML, an empty or cut body, another JSON, a redirect, the page before again. */
  'unexpected_response',
  'not_found',
  /** The page token is no longer known. */
  'cursor_gone',
  'auth_invalidated',
  'forbidden',
  'bad_request',
  /** The same pages again and again. */
  'endless_pages',
  /** The list has reached a limit of the provider, and may have more records. */
  'list_truncated',
  /** The provider file does not declare the object; nothing was sent. */
  'unsupported_object',
] as const

export type ProviderErrorClass = (typeof providerErrorClasses)[number]
