import type { KeyObject } from 'node:crypto'
import {
  type CertifiedKey,
  type CertifiedVerification,
  certificateUrl,
  certifiedKey,
  type InboundRequest,
} from '@mortise/providers'
import { LRUCache } from 'lru-cache'
import { type Outbound, trustedAuthorities } from '../../../kernel/net/index.ts'
import { CertificateUnavailable } from './problems.ts'

/** A provider changes its certificate once in months. */
const certificatesMax = 100
const maxAgeMs = 24 * 3_600_000
/** URLs without a usable certificate, and those that failed: they are not fetched again for a while. */
const failuresMax = 1_000
const failureMaxAgeMs = 60_000
/** A chain of certificates has about 6 kB. */
const bytesMax = 64 * 1_024
const timeoutMs = 5_000
/**
 * Anybody can name URLs on the hosts of a provider. Certificates that are known need no fetch, so only new ones count:
 * those of one minute on this node.
 */
const fetchesMax = 20
const windowMs = 60_000

export interface Certificates {
  /**
   * Returns the key whose certificate a request names; undefined if the URL is not allowed, or has no valid
   * certificate.
   *
   * @throws CertificateUnavailable if the host does not respond, or too many new URLs were named
   */
  keyFor(verification: CertifiedVerification, request: InboundRequest): Promise<KeyObject | undefined>
}

/**
 * Fetches certificates that requests of providers name: through the address guard, with a deadline and a size limit,
 * without redirects, once for requests at the same time.
 *
 * @param authorities trusted authorities, as PEM; those that Node.js trusts unless defined
 */
export function createCertificates(
  { outbound, now }: { outbound: Pick<Outbound, 'request'>; now: () => Date },
  {
    authorities = trustedAuthorities,
    deadlineMs = timeoutMs,
  }: { authorities?: readonly string[]; deadlineMs?: number } = {},
): Certificates {
  const perf = { now: () => now().getTime() }
  const known = new LRUCache<string, CertifiedKey>({ max: certificatesMax, ttl: maxAgeMs, ttlResolution: 0, perf })
  const failed = new LRUCache<string, 'invalid' | 'unavailable'>({
    max: failuresMax,
    ttl: failureMaxAgeMs,
    ttlResolution: 0,
    perf,
  })
  const running = new Map<string, Promise<CertifiedKey | undefined>>()
  let fetches = { since: 0, count: 0 }

  function isFetchAllowed(): boolean {
    const time = now().getTime()
    if (time - fetches.since >= windowMs) fetches = { since: time, count: 0 }
    return ++fetches.count <= fetchesMax
  }

  async function fetch(verification: CertifiedVerification, url: string): Promise<CertifiedKey | undefined> {
    const answer = await outbound
      .request({ method: 'GET', url, timeoutMs: deadlineMs, maxBytes: bytesMax, tooLarge: 'truncate' })
      .catch((cause: unknown) => {
        throw new CertificateUnavailable({ cause })
      })
    if (answer.status >= 500) throw new CertificateUnavailable()
    if (answer.status !== 200 || answer.truncated) return undefined
    return certifiedKey(verification, answer.body.toString('latin1'), now().getTime(), authorities)
  }

  async function load(verification: CertifiedVerification, url: string, key: string) {
    try {
      const found = await fetch(verification, url)
      if (found) known.set(key, found)
      else failed.set(key, 'invalid')
      return found
    } catch (error) {
      failed.set(key, 'unavailable')
      throw error
    } finally {
      running.delete(key)
    }
  }

  return {
    async keyFor(verification, request) {
      const url = certificateUrl(verification, request)
      if (url === undefined) return undefined
      // Another provider file may trust other names on the same host.
      const key = JSON.stringify([url, verification.key.certificate])
      const cached = known.get(key)
      if (cached && now().getTime() < cached.until) return cached.key
      const failure = failed.get(key)
      if (failure === 'unavailable') throw new CertificateUnavailable()
      if (failure === 'invalid') return undefined
      let loading = running.get(key)
      if (loading === undefined) {
        if (!isFetchAllowed()) throw new CertificateUnavailable()
        loading = load(verification, url, key)
        running.set(key, loading)
      }
      return (await loading)?.key
    },
  }
}
