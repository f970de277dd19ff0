import { ProviderError } from '@mortise/providers'
import { OutboundError } from '../../../kernel/net/index.ts'
import { CredentialUnavailable } from './credential-errors.ts'
import { failureKind } from './failure-kind.ts'
import { type FailureKind, type FailureRow, failureTable } from './failure-table.ts'

/** What an error of a request to a provider leads to. */
export interface ProviderFailure extends FailureRow {
  kind: FailureKind
  /** What was thrown, for the log. */
  error: unknown
  /** Public sentences, without secrets: what happened, in the provider's own words if there are any. */
  sentence: string
  /** What the customer or the operator can do, if known. */
  remedy?: string
  /** Each thing that the provider calls wrong; one at least. */
  refusals: { message: string }[]
  /** How long the provider asks to wait before the same request. */
  retryAfterMs?: number
  /** The answer of the provider, for the caller alone: it may repeat what was sent. */
  rawResponse?: () => string | undefined
  /** Scopes that the account must grant before the same request succeeds. */
  missingScopes?: readonly string[]
  /** How long the provider asks all requests of the connection to wait. */
  connectionWaitMs?: number
}

/** Sentences that do not depend on the error. */
const sentences: Partial<Record<FailureKind, string>> = {
  internal: 'An unexpected error; the log of the service says more.',
  deadline: 'The provider did not respond in time.',
}

/**
 * Decides what an error of a request to a provider leads to. This is the only place that tells such errors apart:
 * callers only apply the step of their column.
 *
 * @param signal the caller's own: after it fired, errors of the network are its doing
 */
export function classifyFailure(error: unknown, { signal }: { signal?: AbortSignal } = {}): ProviderFailure {
  const found = failureKind(error)
  const kind = signal?.aborted === true && isOfNetwork(error, found) ? 'deadline' : found
  const answer = error instanceof ProviderError ? error : undefined
  const sentence = sentences[kind] ?? [messageOf(error), answer?.providerMessage].filter(Boolean).join(' ')
  const providerErrors = answer?.errors ?? []
  const retryAfterMs = answer?.retryAfterMs ?? (error instanceof CredentialUnavailable ? error.retryAfterMs : undefined)
  const remedy = error instanceof OutboundError ? error.remedy : undefined
  return {
    ...failureTable[kind],
    kind,
    error,
    sentence,
    ...(remedy !== undefined && { remedy }),
    refusals: providerErrors.length > 0 ? providerErrors.map(({ message }) => ({ message })) : [{ message: sentence }],
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(answer?.rawResponse !== undefined && { rawResponse: () => answer.rawResponse }),
    ...(answer?.missingScopes && { missingScopes: answer.missingScopes }),
    ...(kind === 'rate_limited' && retryAfterMs !== undefined && { connectionWaitMs: retryAfterMs }),
  }
}

/** Whether an ended wait looks like this: the network fails, and so does whatever waited for it. */
function isOfNetwork(error: unknown, kind: FailureKind): boolean {
  const { scope } = failureTable[kind]
  return !(error instanceof ProviderError) && (scope === 'provider' || scope === 'service')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Says what happened to the customer whose account it is: without the names of our classes.
 */
export function customerSentence({ kind, error, sentence }: ProviderFailure): string {
  if (kind === 'invalid_inputs') return 'The values of the connection make no usable address.'
  if (!(error instanceof ProviderError)) return sentence
  const { status, message, providerMessage } = error
  const answer =
    status === undefined || kind === 'unexpected_response' ? message : `The answer has the status ${status}.`
  return providerMessage === undefined ? answer : `${answer}${says}${ended(providerMessage)}`
}

const says = ' It says: '

/** Returns the provider's own words in such a sentence; undefined if it has none. */
export function providerWordsOf(sentence: string): string | undefined {
  const at = sentence.indexOf(says)
  return at < 0 ? undefined : sentence.slice(at + says.length)
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
