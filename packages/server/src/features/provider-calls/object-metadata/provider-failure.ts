import { InvalidInputs, NoConnector, ProviderError } from '@mortise/providers'
import { NamesBusy, type Problem } from '../../../kernel/http/index.ts'
import { isAddressWrong, OutboundError } from '../../../kernel/net/index.ts'
import { CapabilityNotImplemented } from '../../integrations/installations/index.ts'
import {
  ObjectNotFound,
  ProviderAddressUnusable,
  ProviderAnswerUnexpected,
  ProviderCredentialsRefused,
  ProviderRateLimited,
  ProviderRefused,
  ProviderUnavailable,
} from './problems.ts'

/** What a failure to describe an object means. */
export interface ProviderFailure {
  /**
   * `object`: of this object alone. `connection`: no object can be asked for. `provider`: others may fail the same way,
   * or not.
   */
  scope: 'object' | 'connection' | 'provider'
  problem: Problem
}

/**
 * The failure that an error of a connector stands for; undefined for an error that is ours.
 *
 * @param error what the connector threw; a `TimeoutError` is a provider that took too long
 */
export function providerFailure(error: unknown, now: Date): ProviderFailure | undefined {
  const cause = { cause: error }
  if (error instanceof NoConnector)
    return { scope: 'connection', problem: new CapabilityNotImplemented({ detail: error.message, ...cause }) }
  if (error instanceof InvalidInputs)
    return { scope: 'connection', problem: new ProviderRefused({ detail: error.message, ...cause }) }
  if (error instanceof ProviderError) return failureOf(error, now)
  if (error instanceof OutboundError && error.kind === 'busy')
    return { scope: 'provider', problem: new NamesBusy({ detail: error.message, ...cause }) }
  if (error instanceof OutboundError && isAddressWrong(error))
    return { scope: 'connection', problem: new ProviderAddressUnusable({ detail: error.message, ...cause }) }
  if (error instanceof OutboundError)
    return { scope: 'provider', problem: new ProviderUnavailable({ detail: error.message, ...cause }) }
  if (error instanceof Error && error.name === 'TimeoutError')
    return { scope: 'provider', problem: new ProviderUnavailable({ detail: 'The provider took too long.', ...cause }) }
  return undefined
}

function failureOf(error: ProviderError, now: Date): ProviderFailure {
  const occurrence = { detail: [error.message, error.providerMessage].filter(Boolean).join(' '), cause: error }
  switch (error.class) {
    case 'auth_invalidated':
      return { scope: 'connection', problem: new ProviderCredentialsRefused(occurrence) }
    case 'not_found':
    case 'unsupported_object':
      return { scope: 'object', problem: new ObjectNotFound(occurrence) }
    case 'forbidden':
    case 'bad_request':
      return { scope: 'object', problem: new ProviderRefused(occurrence) }
    case 'rate_limited': {
      const retryAfter = new Date(now.getTime() + (error.retryAfterMs ?? 60_000))
      return { scope: 'provider', problem: new ProviderRateLimited({ ...occurrence, retryAfter }) }
    }
    case 'provider_5xx':
      return { scope: 'provider', problem: new ProviderUnavailable(occurrence) }
    case 'cursor_gone':
    case 'unexpected_response':
    case 'endless_pages':
      return { scope: 'provider', problem: new ProviderAnswerUnexpected(occurrence) }
  }
}
