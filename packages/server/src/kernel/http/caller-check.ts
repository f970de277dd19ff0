import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { ProcessGroup } from '../processes/index.ts'
import { type Authenticate, type Caller, type Credential, credentialOf, type Identity } from './caller.ts'
import { clientNetwork } from './client-network.ts'
import type { HeaderSink } from './exchange.ts'
import { RateLimited, Unauthenticated } from './problems.ts'
import { GroupWindows, RequestWindows, type Standing, type Windows } from './request-windows.ts'

/** Failed authentications that one client address has a second. Further credentials are rejected unchecked. */
const failuresPerSecond = 10
/** Credentials that were valid recently stay usable, even while other callers behind the same address guess. */
const knownGood = { max: 10_000, ttl: 600_000 }

/** Authentication and rate limiting of every request that needs a credential. */
export interface CallerCheck {
  (request: FastifyRequest, reply: FastifyReply): Promise<Identity>
  /** Returns a cached identity without a lookup, and counts the request. Then call `applyRateLimit`. */
  known(credential: Credential): CheckedCaller | undefined
  /** Sets the rate limit headers. @throws RateLimited when nothing is left */
  applyRateLimit(caller: CheckedCaller, reply: HeaderSink): void
  /** Counts a request without a credential by the client's address. @throws RateLimited */
  anybody(request: FastifyRequest, reply: FastifyReply, scope?: RateScope): void
}

/**
 * Requests of one address that share a count. `shared`: all others without a credential. `endpoint`: requests to the
 * same endpoint. `url`: requests to the same URL, at the rate of a credential, because a signed URL replaces one.
 */
export type RateScope = 'shared' | 'endpoint' | 'url'

export interface CheckedCaller {
  identity: Identity
  /** Absent when there are no rate limits. */
  standing?: Standing
}

/**
 * Counts in the memory of this process, in windows of one second. Each node grants the full rate; the processes of a
 * node grant it together.
 *
 * @param rateLimit requests that one credential has a second; 0 for no limits at all
 * @param addressRateLimit requests without a credential that one client address has a second; 0 for any number
 */
export function createCallerCheck({
  authenticate,
  rateLimit,
  addressRateLimit,
  now,
  group,
}: {
  authenticate: Authenticate
  rateLimit: number
  addressRateLimit: number
  now: () => Date
  group?: ProcessGroup | undefined
}): CallerCheck {
  if (rateLimit === 0) return unlimited(authenticate)

  const windows = (rate: number, topic: string): Windows =>
    group ? new GroupWindows(rate, group, topic) : new RequestWindows(rate)
  const requests = windows(rateLimit, 'requests')
  const open = addressRateLimit === 0 ? undefined : windows(addressRateLimit, 'requests without a credential')
  const failures = windows(failuresPerSecond, 'failed authentications')
  const good = new LRUCache<string, true>(knownGood)
  const refuse = ({ msBeforeNext }: { msBeforeNext: number }, detail?: string) =>
    new RateLimited({ retryAfter: new Date(now().getTime() + msBeforeNext), ...(detail && { detail }) })
  const withStanding = (identity: Identity): Required<CheckedCaller> => {
    return { identity, standing: requests.count(credentialKey(identity.caller)) }
  }

  async function check(request: FastifyRequest, reply: FastifyReply): Promise<Identity> {
    const credential = credentialOf(request)
    if (!credential) throw new Unauthenticated()
    const { fingerprint } = credential
    const address = clientNetwork(request.ip)
    if (!good.has(fingerprint)) {
      const next = failures.look(address)
      if (next.isBeyond)
        throw refuse(next, 'Too many requests from this address carried credentials that are not known here.')
    }
    const identity = await authenticate(credential)
    if (!identity) {
      good.delete(fingerprint)
      failures.count(address)
      throw new Unauthenticated()
    }
    good.set(fingerprint, true)
    applyRateLimit(withStanding(identity), reply)
    return identity
  }

  function applyRateLimit({ standing }: CheckedCaller, reply: HeaderSink): void {
    if (!standing) return
    show(reply, 'credential', rateLimit, standing)
    if (standing.isBeyond) throw refuse(standing)
  }

  function anybody({ ip, url, routeOptions }: FastifyRequest, reply: FastifyReply, scope: RateScope = 'shared'): void {
    const network = clientNetwork(ip)
    const usage =
      scope === 'url'
        ? { standing: requests.count(`${network} ${url.split('?', 1)[0]}`), rate: rateLimit }
        : open && {
            standing: open.count(scope === 'shared' ? network : `${network} ${routeOptions.config.operationId}`),
            rate: addressRateLimit,
          }
    if (!usage) return
    show(reply, 'address', usage.rate, usage.standing)
    if (usage.standing.isBeyond)
      throw refuse(usage.standing, 'This address has sent as many requests without a credential as it may for now.')
  }

  return Object.assign(check, {
    known(credential: Credential) {
      const identity = authenticate.known?.(credential)
      return identity && withStanding(identity)
    },
    applyRateLimit,
    anybody,
  })
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers. */
function show(reply: HeaderSink, policy: string, rate: number, { remaining, msBeforeNext }: Standing): void {
  reply.header('ratelimit-policy', `"${policy}";q=${rate};w=1`)
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${Math.ceil(msBeforeNext / 1000)}`)
}

function unlimited(authenticate: Authenticate): CallerCheck {
  const check = async (request: Pick<FastifyRequest, 'headers' | 'socket'>) => {
    const credential = credentialOf(request)
    const identity = credential && (await authenticate(credential))
    if (!identity) throw new Unauthenticated()
    return identity
  }
  return Object.assign(check, {
    known(credential: Credential) {
      const identity = authenticate.known?.(credential)
      return identity && { identity }
    },
    applyRateLimit: () => undefined,
    anybody: () => undefined,
  })
}

function credentialKey(caller: Caller): string {
  if (caller.kind === 'apiKey') return caller.keyId
  if (caller.kind === 'builder') return caller.sessionId
  return JSON.stringify([caller.keyId, caller.groupRef, caller.consumerRef])
}
