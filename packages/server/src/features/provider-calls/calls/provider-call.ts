import { withoutSecrets } from '@mortise/providers'
import type { SentRequest } from './provider-http.ts'

/** A request that was sent to the provider, as its user may see it. */
export interface ProviderCall extends Omit<SentRequest, 'url'> {
  /** Returns the path without the credential, which some providers want in it. */
  path: () => string
}

const pathLengthMax = 500

/** @param secrets the credential that was sent, in every spelling */
export function providerCall({ url, ...request }: SentRequest, secrets: readonly string[]): ProviderCall {
  return { ...request, path: () => withoutSecrets(new URL(url).pathname, secrets).slice(0, pathLengthMax) }
}

/**
 * Returns the facts for a log line about requests. The last one stands for all; times and lengths are sums. The query
 * is left out: it may have secrets.
 */
export function callDetails(calls: readonly ProviderCall[]): Record<string, string> {
  const last = calls.at(-1)
  if (!last) return {}
  const sum = (of: 'ms' | 'bytes') => `${Math.round(calls.reduce((total, call) => total + call[of], 0))}`
  return {
    request: `${last.method} ${last.path()}`,
    ...(calls.length > 1 && { requests: `${calls.length}` }),
    ...(last.status !== undefined && { status: `${last.status}` }),
    ms: sum('ms'),
    bytes: sum('bytes'),
  }
}
