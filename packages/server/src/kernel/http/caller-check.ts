import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { type Authenticate, type Caller, type Credential, credentialOf, type Identity } from './caller.ts'
import { clientNetwork } from './client-network.ts'
import { RateLimited, Unauthenticated } from './problems.ts'
import { RequestWindows, type Standing } from './request-windows.ts'

/** Failed authentications that one client address has a second; guesses beyond are not even looked at. */
const failuresPerSecond = 10
/** Credentials that were good a while ago are no guesses, though others behind the same address make some. */
const knownGood = { max: 10_000, ttl: 600_000 }

/** Finds out who calls and whether it may call again already; every request that needs a credential begins here. */
export interface CallerCheck {
  (request: FastifyRequest, reply: FastifyReply): Promise<Identity>
  /**
   * Who calls, and counts the request, where that is remembered and takes no look-up. `tell` has to follow where it is
   * answered here.
   */
  known(credential: Credential): CheckedCaller | undefined
  /** Tells a caller what is left. @throws RateLimited when that is nothing */
  tell(admitted: CheckedCaller, reply: FastifyReply): void
  /** Counts a request that needs no credential, by the client's address. @throws RateLimited */
  anybody(request: FastifyRequest, reply: FastifyReply, scope?: RateScope): void
}

/**
 * What requests of one address are counted together with: `shared`, all others without a credential; `endpoint`, those
 * to the same endpoint; `url`, those to the same URL, at the rate of a credential: a URL that somebody was given
 * stands for one.
 */
export type RateScope = 'shared' | 'endpoint' | 'url'

export interface CheckedCaller {
  identity: Identity
  /** Absent where there are no limits. */
  standing?: Standing
}

/**
 * Counts in the memory of this process, in windows of one second: each node grants the whole rate.
 *
 * @param rateLimit requests that one credential has a second; 0 for no limits at all
 * @param addressRateLimit requests without a credential that one client address has a second; 0 for any number
 */
export function createCallerCheck({
  authenticate,
  rateLimit,
  addressRateLimit,
  now,
}: {
  authenticate: Authenticate
  rateLimit: number
  addressRateLimit: number
  now: () => Date
}): CallerCheck {
  if (rateLimit === 0) return unlimited(authenticate)

  const requests = new RequestWindows(rateLimit)
  const open = addressRateLimit === 0 ? undefined : new RequestWindows(addressRateLimit)
  const failures = new RateLimiterMemory({ keyPrefix: '', points: failuresPerSecond, duration: 1 })
  const good = new LRUCache<string, true>(knownGood)
  const refuse = ({ msBeforeNext }: { msBeforeNext: number }, detail?: string) =>
    new RateLimited({ retryAfter: new Date(now().getTime() + msBeforeNext), ...(detail && { detail }) })
  const counted = (identity: Identity): Required<CheckedCaller> => {
    return { identity, standing: requests.count(credentialKey(identity.caller)) }
  }

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<Identity> {
    const credential = credentialOf(request)
    if (!credential) throw new Unauthenticated()
    const { fingerprint } = credential
    const address = clientNetwork(request.ip)
    if (!good.has(fingerprint)) {
      const failed = await failures.get(address)
      if (failed && failed.msBeforeNext > 0 && failed.consumedPoints >= failuresPerSecond)
        throw refuse(failed, 'Too many requests from this address carried credentials that are not known here.')
    }
    const identity = await authenticate(credential)
    if (!identity) {
      good.delete(fingerprint)
      await failures.penalty(address)
      throw new Unauthenticated()
    }
    good.set(fingerprint, true)
    tell(counted(identity), reply)
    return identity
  }

  function tell({ standing }: CheckedCaller, reply: FastifyReply): void {
    if (!standing) return
    show(reply, 'credential', rateLimit, standing)
    if (standing.isBeyond) throw refuse(standing)
  }

  function anybody({ ip, url, routeOptions }: FastifyRequest, reply: FastifyReply, scope: RateScope = 'shared'): void {
    const network = clientNetwork(ip)
    const counted =
      scope === 'url'
        ? { standing: requests.count(`${network} ${url.split('?', 1)[0]}`), rate: rateLimit }
        : open && {
            standing: open.count(scope === 'shared' ? network : `${network} ${routeOptions.config.operationId}`),
            rate: addressRateLimit,
          }
    if (!counted) return
    show(reply, 'address', counted.rate, counted.standing)
    if (counted.standing.isBeyond)
      throw refuse(counted.standing, 'This address has sent as many requests without a credential as it may for now.')
  }

  return Object.assign(admit, {
    known(credential: Credential) {
      const identity = authenticate.known?.(credential)
      return identity && counted(identity)
    },
    tell,
    anybody,
  })
}

/** The headers of draft-ietf-httpapi-ratelimit-headers. */
function show(reply: FastifyReply, policy: string, rate: number, { remaining, msBeforeNext }: Standing): void {
  reply.header('ratelimit-policy', `"${policy}";q=${rate};w=1`)
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${Math.ceil(msBeforeNext / 1000)}`)
}

function unlimited(authenticate: Authenticate): CallerCheck {
  const admit = async (request: Pick<FastifyRequest, 'headers' | 'socket'>) => {
    const credential = credentialOf(request)
    const identity = credential && (await authenticate(credential))
    if (!identity) throw new Unauthenticated()
    return identity
  }
  return Object.assign(admit, {
    known(credential: Credential) {
      const identity = authenticate.known?.(credential)
      return identity && { identity }
    },
    tell: () => undefined,
    anybody: () => undefined,
  })
}

function credentialKey(caller: Caller): string {
  if (caller.kind === 'apiKey') return caller.keyId
  if (caller.kind === 'builder') return caller.sessionId
  return JSON.stringify([caller.keyId, caller.groupRef, caller.consumerRef])
}
