import { NamesBusy, Problem, type ProblemClass } from '../../../kernel/http/index.ts'
import { classifyFailure, type FailureProxyProblem, ProviderAppIncomplete } from '../calls/index.ts'
import {
  ProviderTimeout,
  ProviderUnreachable,
  ProxyBodyStalled,
  ProxyBusy,
  ProxyCredentialUnavailable,
  ProxyCredentialUnusable,
  ProxyInstallationNotFound,
  ProxyTargetUnusable,
} from './problems.ts'

const declared: Record<FailureProxyProblem, ProblemClass> = {
  'names-busy': NamesBusy,
  'provider-app-incomplete': ProviderAppIncomplete,
  'provider-timeout': ProviderTimeout,
  'provider-unreachable': ProviderUnreachable,
  'proxy-busy': ProxyBusy,
  'proxy-credential-unavailable': ProxyCredentialUnavailable,
  'proxy-credential-unusable': ProxyCredentialUnusable,
  'proxy-installation-not-found': ProxyInstallationNotFound,
  'proxy-target-unusable': ProxyTargetUnusable,
}

/** Problems whose own sentence says more than the error does. */
const selfExplaining = new Set<FailureProxyProblem>([
  'proxy-busy',
  'proxy-credential-unavailable',
  'proxy-credential-unusable',
  'proxy-installation-not-found',
])

/** Returns the problem that a call ends with. @throws what is none of the proxy's */
export function asProxyProblem(error: unknown): Problem {
  if (error instanceof Error && error.cause instanceof ProxyBodyStalled) return error.cause
  const { proxy, sentence, remedy } = classifyFailure(error)
  if (proxy !== undefined)
    return new declared[proxy]({
      ...(!selfExplaining.has(proxy) && { detail: sentence, ...(remedy !== undefined && { remedy }) }),
      cause: error,
    })
  if (error instanceof Problem) return error
  throw error
}
