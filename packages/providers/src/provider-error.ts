import type { ProviderErrorClass } from './error-classes.ts'

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
  /** Scopes that the request needs and the account has not granted. */
  missingScopes?: readonly string[]
  cause?: unknown
}

/**
 * An unsuccessful response of a provider. `message` is our own text: it contains no secret and can be shown in a log or
 * in a problem's detail.
 */
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
  /** Scopes that the request needs and the account has not granted. */
  readonly missingScopes?: readonly string[]
  readonly #rawResponse: string | undefined

  constructor(errorClass: ProviderErrorClass, message: string, details: ProviderErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.class = errorClass
    if (details.status !== undefined) this.status = details.status
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs
    if (details.providerMessage !== undefined) this.providerMessage = details.providerMessage
    if (details.errors !== undefined) this.errors = details.errors
    if (details.missingScopes !== undefined) this.missingScopes = details.missingScopes
    this.#rawResponse = details.rawResponse
  }

  /**
   * The body of the provider's answer, cut, no credential in it. It may repeat what was sent: for the caller alone, and
   * no log shows it.
   */
  get rawResponse(): string | undefined {
    return this.#rawResponse
  }
}

/** Conditions name fields that the provider does not find records by; nothing was sent. */
export class FieldsNotSearchable extends ProviderError {
  override name = 'FieldsNotSearchable'
  /** Positions of the conditions that the provider does not support, counted from 0. */
  readonly at: readonly number[]
  /** Names of the fields that can be searched. */
  readonly searchable: readonly string[]

  constructor(filters: readonly { field: string }[], at: readonly number[], searchable: readonly string[]) {
    const named = at.map((index) => JSON.stringify(filters[index]?.field)).join(', ')
    super('bad_request', `Records cannot be searched by ${named}, only by ${searchable.join(', ') || 'no field'}.`)
    this.at = at
    this.searchable = searchable
  }
}

/** The catalog knows the provider, but this installation has no provider file that says how to read from it. */
export class NoConnector extends Error {
  override name = 'NoConnector'
  readonly provider: string
  readonly module?: string

  /** @param why a separate sentence, if more is known */
  constructor(provider: string, module?: string, why?: string) {
    const where = module === undefined ? '' : ` (module ${module})`
    super(why ?? `This installation has no connector for the provider ${provider}${where}.`)
    this.provider = provider
    if (module !== undefined) this.module = module
  }
}

/** Every read of the object takes a job of the provider, and the caller cannot wait for it; nothing was sent. */
export class OnlyInBackground extends ProviderError {
  override name = 'OnlyInBackground'

  constructor() {
    super('bad_request', 'The provider makes a report for each read of this object. Read it in the background.')
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

/** The provider app lacks settings without which no request can be sent; nothing was sent. */
export class AppIncomplete extends Error {
  override name = 'AppIncomplete'
  /** Names of the settings. */
  readonly missing: readonly string[]

  constructor({ displayName }: { displayName: string }, missing: readonly { name: string; displayName: string }[]) {
    super(`The provider app of ${displayName} lacks ${missing.map((one) => one.displayName).join(' and ')}.`)
    this.missing = missing.map(({ name }) => name)
  }
}

/** A value of a connection names a host at which the provider app must not be used. */
export class HostNotAllowed extends InvalidInputs {
  override name = 'HostNotAllowed'
}

export interface InputIssue {
  /** Name of the metadata input (`workspace` for the workspace reference). */
  name: string
  problem: 'missing' | 'invalid'
  /** A sentence for the user; the value itself is not repeated. */
  detail: string
}
