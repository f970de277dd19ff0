import { answerTable, InvalidInputs, ProviderError } from '@mortise/providers'

/** What a check of a credential can find. `notChecked`: the provider has no health check, so nothing is known. */
export const checkOutcomes = ['works', 'refused', 'unreachable', 'notChecked'] as const
export type CheckOutcome = (typeof checkOutcomes)[number]

export interface CheckResult {
  outcome: CheckOutcome
  /** A public sentence or two, without secrets. */
  reason?: string
  /** Whether another check may find something else although nobody changes anything. */
  mayChange: boolean
}

/** Says what an error means that a check ended with; undefined for an error that is none of the provider's. */
export function failedCheck(error: unknown, signal: AbortSignal): CheckResult | undefined {
  if (error instanceof InvalidInputs)
    return { outcome: 'unreachable', reason: 'The values of the connection make no usable address.', mayChange: false }
  if (error instanceof ProviderError) return answered(error)
  if (error instanceof Error && error.name === 'OutboundError' && !signal.aborted)
    return { outcome: 'unreachable', reason: error.message, mayChange: true }
  if (signal.aborted)
    return { outcome: 'unreachable', reason: 'The provider did not respond in time.', mayChange: true }
  return undefined
}

function answered(error: ProviderError): CheckResult {
  const said = error.providerMessage === undefined ? '' : ` It says: ${sentence(error.providerMessage)}`
  // The error names its class, which is ours and says nothing to a customer.
  const answer = error.status === undefined ? error.message : `The answer has the status ${error.status}.`
  const shown = error.class === 'unexpected_response' ? error.message : answer
  const isRefused = error.class === 'auth_invalidated' || error.class === 'forbidden'
  return {
    outcome: isRefused ? 'refused' : 'unreachable',
    reason: `${shown}${said}`,
    mayChange: answerTable[error.class].passes,
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
