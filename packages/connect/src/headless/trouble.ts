import { MortiseProblem, MortiseUnreachable } from '@mortise/client'

/** Why something did not work, in terms of what the customer can do. */
export interface Trouble {
  kind: /** The token is not valid any more. */
    | 'expired'
    | 'notAllowed'
    | 'notFound'
    /** The service cannot be reached. */
    | 'offline'
    /** Too many requests. */
    | 'limited'
    /** The provider refuses the credential or the request. */
    | 'refused'
    /** The provider or its address cannot be reached. */
    | 'unreachable'
    /** Input that the service refuses. */
    | 'invalid'
    | 'failed'
  /** In the words of the service or of the provider. */
  detail?: string
  /** Each invalid input, in the words of the service. */
  issues?: string[]
  requestId?: string
  canRetry: boolean
}

const kindsByCode: Record<string, Trouble['kind']> = {
  'credential-refused': 'refused',
  'provider-credentials-refused': 'refused',
  'provider-refused': 'refused',
  'provider-unreachable': 'unreachable',
  'provider-unavailable': 'unreachable',
  'provider-address-unusable': 'unreachable',
  'provider-answer-unexpected': 'unreachable',
  'provider-rate-limited': 'limited',
}
const kindsByStatus: Record<number, Trouble['kind']> = {
  400: 'invalid',
  422: 'invalid',
  401: 'expired',
  403: 'notAllowed',
  404: 'notFound',
  429: 'limited',
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof MortiseUnreachable) return { kind: 'offline', canRetry: true }
  if (!(error instanceof MortiseProblem)) return { kind: 'failed', canRetry: true }
  const kind = kindsByCode[error.code] ?? kindsByStatus[error.status] ?? 'failed'
  const { detail } = error.document
  const issues = error.issues.flatMap((issue) => (issue.detail ? [issue.detail] : []))
  return {
    kind,
    ...(detail && { detail }),
    ...(issues.length > 0 && { issues }),
    ...(error.requestId !== undefined && { requestId: error.requestId }),
    canRetry: kind !== 'expired' && kind !== 'notAllowed' && kind !== 'notFound',
  }
}
