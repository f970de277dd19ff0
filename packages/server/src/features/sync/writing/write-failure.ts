import { answerTable, InvalidInputs, NoConnector, ProviderError, type WriteRefusal } from '@mortise/providers'
import { OutboundError } from '../../../kernel/net/index.ts'
import { askedToWaitMs, TurnNotInTime } from '../../accounts/connections/index.ts'

/** What a write that threw means: for what was to be written, and for what comes after it. */
export interface WriteFailure {
  /** Fit for callers, events and logs. */
  refusals: WriteRefusal[]
  /** Whether the provider may have done it: it was asked, and no answer tells. */
  unknown: boolean
  /** The same request may succeed later: the provider's limit, its failure, or the way to it. */
  retryable: boolean
  /** How long to wait before that. */
  retryAfterMs?: number
  /** How long the provider asks all requests of the connection to wait. */
  connectionWaitMs?: number
  /** Nothing was sent: the provider's rate limit is used up, by us. */
  isTurn?: boolean
  /** The provider's answer, for the caller alone. */
  rawResponse?: string
  /** No other write of this connection would fare better now. */
  stops: boolean
  /** Ours: the log has to say more. */
  unexpected: boolean
}

/** Codes of errors before anything of a request was sent. */
const neverSent = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/

/**
 * The rule for errors (contract 6.5 and 6.10): limits and failures of the provider are tried again, its refusals are
 * not.
 */
export function writeFailure(error: unknown): WriteFailure {
  if (error instanceof ProviderError) return providerFailure(error)
  if (error instanceof OutboundError) return outboundFailure(error)
  const known = error instanceof NoConnector || error instanceof InvalidInputs
  const message = known ? error.message : 'An unexpected error; the log of the service says more.'
  return { refusals: [{ message }], unknown: !known, retryable: false, stops: true, unexpected: !known }
}

function providerFailure(error: ProviderError): WriteFailure {
  const told = error.errors ?? []
  const connectionWaitMs = askedToWaitMs(error)
  const said = { message: [error.message, error.providerMessage].filter(Boolean).join(' ') }
  return {
    refusals: told.length > 0 ? told.map(({ message }) => ({ message })) : [said],
    unknown: false,
    retryable: answerTable[error.class].writesAgain,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(connectionWaitMs !== undefined && { connectionWaitMs }),
    isTurn: error instanceof TurnNotInTime,
    ...(error.rawResponse !== undefined && { rawResponse: error.rawResponse }),
    stops: !['bad_request', 'not_found', 'unexpected_response'].includes(error.class),
    unexpected: false,
  }
}

function outboundFailure(error: OutboundError): WriteFailure {
  const { kind, message } = error
  const before = ['refused_address', 'busy', 'dns', 'tls'].includes(kind) || neverSent.test(codeOf(error.cause))
  // An answer that is too large or no HTTP comes after the provider has done what it was asked.
  return {
    refusals: [{ message }],
    unknown: !before,
    retryable: kind !== 'refused_address' && kind !== 'too_large' && kind !== 'protocol',
    stops: true,
    unexpected: false,
  }
}

function codeOf(cause: unknown): string {
  if (cause instanceof AggregateError) return codeOf(cause.errors[0])
  const { code, cause: inner } = (cause ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string') return code
  return inner === undefined || inner === cause ? '' : codeOf(inner)
}

/** Said where a provider was asked and did not answer. */
export function unknownOutcome(type: string, refusals: readonly WriteRefusal[]): WriteRefusal[] {
  const done = { create: 'created', update: 'updated', delete: 'deleted' }[type] ?? 'written'
  const consequence = `Whether the record was ${done} is not known: look at the provider before it is sent again.`
  return [{ message: [...refusals.map(({ message }) => message), consequence].join(' ') }]
}
