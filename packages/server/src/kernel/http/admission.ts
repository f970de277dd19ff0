import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { type Authenticate, type Caller, type Credential, credentialOf, type Identity } from './caller.ts'
import { RateLimited, Unauthenticated } from './problems.ts'
import { RequestWindows, type Standing } from './request-windows.ts'

/** Failed authentications that one client address has a second; guesses beyond are not even looked at. */
const failuresPerSecond = 10
/** Credentials that were good a while ago are no guesses, though others behind the same address make some. */
const knownGood = { max: 10_000, ttl: 600_000 }

/** Finds out who calls and whether it may call again already; every request that needs a credential begins here. */
export interface Admission {
  (request: FastifyRequest, reply: FastifyReply): Promise<Identity>
  /** Who calls, and counts the request, where that is remembered and takes no look-up. `tell` has to follow where it is answered here. */
  known(credential: Credential): Admitted | undefined
  /** Tells a caller what is left. @throws RateLimited when that is nothing */
  tell(admitted: Admitted, reply: FastifyReply): void
}

export interface Admitted {
  identity: Identity
  /** Absent where there are no limits. */
  standing?: Standing
}

/**
 * Counts in the memory of this process, in windows of one second: each node grants the whole rate.
 *
 * @param rateLimit requests that one credential has a second; 0 for no limits at all
 */
export function createAdmission({
  authenticate,
  rateLimit,
  now,
}: {
  authenticate: Authenticate
  rateLimit: number
  now: () => Date
}): Admission {
  if (rateLimit === 0) return unlimited(authenticate)

  const requests = new RequestWindows(rateLimit)
  const failures = new RateLimiterMemory({ keyPrefix: '', points: failuresPerSecond, duration: 1 })
  const good = new LRUCache<string, true>(knownGood)
  const policy = `"credential";q=${rateLimit};w=1`
  const refuse = ({ msBeforeNext }: { msBeforeNext: number }, detail?: string) =>
    new RateLimited({ retryAfter: new Date(now().getTime() + msBeforeNext), ...(detail && { detail }) })
  const counted = (identity: Identity): Required<Admitted> => {
    return { identity, standing: requests.count(credentialKey(identity.caller)) }
  }

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<Identity> {
    const credential = credentialOf(request)
    if (!credential) throw new Unauthenticated()
    const { fingerprint } = credential
    const address = addressRange(request.ip)
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

  function tell({ standing }: Admitted, reply: FastifyReply): void {
    if (!standing) return
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `"credential";r=${standing.remaining};t=${Math.ceil(standing.msBeforeNext / 1000)}`)
    if (standing.isBeyond) throw refuse(standing)
  }

  return Object.assign(admit, {
    known(credential: Credential) {
      const identity = authenticate.known?.(credential)
      return identity && counted(identity)
    },
    tell,
  })
}

function unlimited(authenticate: Authenticate): Admission {
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
  })
}

function credentialKey(caller: Caller): string {
  if (caller.kind === 'apiKey') return caller.keyId
  if (caller.kind === 'builder') return caller.sessionId
  return JSON.stringify([caller.keyId, caller.groupRef, caller.consumerRef])
}

/** An IPv4 address; of an IPv6 address its /64, all of which one client can send from. */
function addressRange(ip: string): string {
  if (!ip.includes(':') || ip.includes('.')) return ip
  const [head = '', tail] = ip.split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  if (tail !== undefined) groups.push(...Array.from({ length: 8 - groups.length - last.length }, () => '0'), ...last)
  return groups.slice(0, 4).join(':')
}
