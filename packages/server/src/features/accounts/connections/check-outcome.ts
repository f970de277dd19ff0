import { classifyFailure, customerSentence, type ProviderFailure } from '../../provider-calls/calls/index.ts'

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

/** Says what a check found that ended with an error; undefined for an error that is none of the provider's. */
export function failedCheck(
  error: unknown,
  signal: AbortSignal,
): (CheckResult & { failure: ProviderFailure }) | undefined {
  const failure = classifyFailure(error, { signal })
  if (failure.scope === 'service' || failure.kind === 'connection_deleted') return undefined
  return {
    outcome: failure.check === 'refused' ? 'refused' : 'unreachable',
    reason: customerSentence(failure),
    mayChange: failure.check === 'retry',
    failure,
  }
}
