import type { WriteRefusal } from '@mortise/providers'
import { classifyFailure, type ProviderFailure } from '../../provider-calls/calls/index.ts'

/** What the failure of a write means for its records and for those after it (`failureTable`). */
export type WriteFailure = Pick<
  ProviderFailure,
  'kind' | 'scope' | 'write' | 'mayBeDone' | 'refusals' | 'retryAfterMs' | 'connectionWaitMs' | 'rawResponse'
> & { isPermit: boolean }

export function writeFailure(error: unknown): WriteFailure {
  const failure = classifyFailure(error)
  return { ...failure, isPermit: failure.read === 'yield' }
}

/** Returns the refusals for a provider that received a request and did not respond. */
export function unknownOutcome(type: string, refusals: readonly WriteRefusal[]): WriteRefusal[] {
  const done = { create: 'created', update: 'updated', delete: 'deleted' }[type] ?? 'written'
  const consequence = `Whether the record was ${done} is not known: look at the provider before it is sent again.`
  return [{ message: [...refusals.map(({ message }) => message), consequence].join(' ') }]
}
