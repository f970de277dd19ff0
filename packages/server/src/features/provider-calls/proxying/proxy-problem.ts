import { NoConnector } from '@mortise/providers'
import { NamesBusy, Problem } from '../../../kernel/http/index.ts'
import { isAddressWrong, OutboundError } from '../../../kernel/net/index.ts'
import { ConnectionNotFound, CredentialRefused, CredentialUnavailable } from '../../accounts/connections/index.ts'
import {
  ProviderTimeout,
  ProviderUnreachable,
  ProxyBodyStalled,
  ProxyCredentialUnavailable,
  ProxyCredentialUnusable,
  ProxyInstallationNotFound,
  ProxyTargetUnusable,
} from './problems.ts'

/** The problem that a call ends with; what is none of the proxy's is thrown on. */
export function asProxyProblem(error: unknown): Problem {
  if (error instanceof Problem && !(error instanceof ConnectionNotFound)) return error
  if (error instanceof ConnectionNotFound) return new ProxyInstallationNotFound({ cause: error })
  if (error instanceof CredentialRefused) return new ProxyCredentialUnusable({ cause: error })
  if (error instanceof CredentialUnavailable) return new ProxyCredentialUnavailable({ cause: error })
  if (error instanceof NoConnector) return new ProxyTargetUnusable({ detail: error.message, cause: error })
  if (error instanceof OutboundError) return outboundProblem(error)
  throw error
}

function outboundProblem(error: OutboundError): Problem {
  if (error.cause instanceof ProxyBodyStalled) return error.cause
  const { kind, message, remedy } = error
  const occurrence = { detail: message, ...(remedy !== undefined && { remedy }), cause: error }
  if (kind === 'timeout') return new ProviderTimeout(occurrence)
  if (kind === 'busy') return new NamesBusy(occurrence)
  if (isAddressWrong(error)) return new ProxyTargetUnusable(occurrence)
  return new ProviderUnreachable(occurrence)
}
