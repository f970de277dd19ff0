/**
 * What a provider's answer means for the caller, whatever the provider calls it. One list for every provider
 * (`interpreter/errors.ts` is the one place that maps onto it).
 *
 * | class | met when | what follows |
 * | --- | --- | --- |
 * | `auth_invalidated` | 401, or the provider's own way to say so | refresh once, else `bad_credentials` |
 * | `forbidden` | 403 | the operation fails, the connection stays as it is |
 * | `not_found` | 404, 410 | retry |
 * | `rate_limited` | 429 or a quota | retry after `retryAfterMs` |
 * | `bad_request` | any other 4xx, and errors inside a 200 that nothing else explains | the operation fails |
 * | `provider_5xx` | 5xx | retry with back-off |
 * | `cursor_gone` | the page token is no longer known | restart the window |
 * | `unexpected_response` | an answer of another shape or from another place than declared | the operation fails |
 * | `unsupported_object` | an object that the provider file does not declare | the operation fails |
 */
export const providerErrorClasses = [
  'auth_invalidated',
  'forbidden',
  'not_found',
  'rate_limited',
  'bad_request',
  'provider_5xx',
  'cursor_gone',
  'unexpected_response',
  'unsupported_object',
] as const

export type ProviderErrorClass = (typeof providerErrorClasses)[number]

const retryable: ReadonlySet<ProviderErrorClass> = new Set(['not_found', 'rate_limited', 'provider_5xx'])

export interface ProviderErrorDetails {
  /** HTTP status of the provider's answer. */
  status?: number
  /** How long the provider asks us to wait, in milliseconds from now. */
  retryAfterMs?: number
  /** The provider's own words, already free of secrets and cut (`safeMessage`). */
  providerMessage?: string
  /** Each single thing that the provider says is wrong, treated like its message. */
  errors?: readonly { message: string }[]
  /** The body of the provider's answer, already free of secrets and cut (`rawAnswer`). */
  rawResponse?: string
  cause?: unknown
}

/** An answer of a provider that is no success. `message` is ours, holds no secret and is fit for a log or a problem's detail. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly class: ProviderErrorClass
  readonly status?: number
  /** Milliseconds from now that the provider asks to wait (`Retry-After`, or what its file declares). */
  readonly retryAfterMs?: number
  /** The provider's own words: safe to show, one line, at most 500 characters, no credential in it. */
  readonly providerMessage?: string
  /** Each single thing that the provider says is wrong, as safe to show as its message. */
  readonly errors?: readonly { message: string }[]
  readonly #rawResponse: string | undefined

  constructor(errorClass: ProviderErrorClass, message: string, details: ProviderErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.class = errorClass
    if (details.status !== undefined) this.status = details.status
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs
    if (details.providerMessage !== undefined) this.providerMessage = details.providerMessage
    if (details.errors !== undefined) this.errors = details.errors
    this.#rawResponse = details.rawResponse
  }

  /** The body of the provider's answer, cut, no credential in it. It may repeat what was sent: for the caller alone, and no log shows it. */
  get rawResponse(): string | undefined {
    return this.#rawResponse
  }

  /** True when the same request may succeed later without anybody changing anything. */
  get retryable(): boolean {
    return retryable.has(this.class)
  }
}

/** The catalogue knows the provider, but this installation has no provider file that says how to read from it. */
export class NoConnector extends Error {
  override name = 'NoConnector'
  readonly provider: string
  readonly module?: string

  constructor(provider: string, module?: string) {
    const where = module === undefined ? '' : ` (module ${module})`
    super(`This installation has no connector for the provider ${provider}${where}.`)
    this.provider = provider
    if (module !== undefined) this.module = module
  }
}

/** The connection's metadata inputs do not make a usable base URL. `issues` says which and why. */
export class InvalidInputs extends Error {
  override name = 'InvalidInputs'
  readonly issues: readonly InputIssue[]

  constructor(issues: readonly InputIssue[]) {
    super(issues.map(({ name, detail }) => `${name}: ${detail}`).join(' '))
    this.issues = issues
  }
}

export interface InputIssue {
  /** Name of the metadata input (`workspace` for the workspace reference). */
  name: string
  problem: 'missing' | 'invalid'
  /** A sentence for the user; the value itself is not repeated. */
  detail: string
}
