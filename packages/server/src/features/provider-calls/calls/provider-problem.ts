import { NamesBusy, type Problem, type ProblemClass } from '../../../kernel/http/index.ts'
import type { ProviderFailure } from './classify-failure.ts'
import type { FailureProblem } from './failure-table.ts'
import {
  CapabilityNotImplemented,
  ObjectNotFound,
  ProviderAddressUnusable,
  ProviderAnswerUnexpected,
  ProviderAppIncomplete,
  ProviderCredentialsRefused,
  ProviderRateLimited,
  ProviderRefused,
  ProviderUnavailable,
} from './problems.ts'

const declared: Record<Exclude<FailureProblem, 'connection-not-found'>, ProblemClass> = {
  'capability-not-implemented': CapabilityNotImplemented,
  'names-busy': NamesBusy,
  'object-not-found': ObjectNotFound,
  'provider-address-unusable': ProviderAddressUnusable,
  'provider-answer-unexpected': ProviderAnswerUnexpected,
  'provider-app-incomplete': ProviderAppIncomplete,
  'provider-credentials-refused': ProviderCredentialsRefused,
  'provider-rate-limited': ProviderRateLimited,
  'provider-refused': ProviderRefused,
  'provider-unavailable': ProviderUnavailable,
}

/** Wait after a rate limit without `Retry-After`. */
const defaultWaitMs = 60_000

/** Returns the problem of a request whose caller waits for the provider; undefined if the error itself is thrown. */
export function providerProblem(failure: ProviderFailure, now: Date): Problem | undefined {
  const { problem, error, sentence, retryAfterMs = defaultWaitMs } = failure
  if (problem === undefined || problem === 'connection-not-found') return undefined
  return new declared[problem]({
    detail: sentence,
    cause: error,
    ...(problem === 'provider-rate-limited' && { retryAfter: new Date(now.getTime() + retryAfterMs) }),
  })
}
