import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'
import type { Access, FindAccess } from './sign-in/access.ts'
import { createTokenBucket } from './token-bucket.ts'

/** Decides which requests reach the API: credential, ordered failures and rate limit, in this order. */
export interface Admission {
  /** @throws ApiError for a request that must not pass */
  admit(request: IncomingMessage): Promise<void>
  /** The key that is valid now; undefined after `revokeKey`. */
  readonly apiKey: string | undefined
  revokeKey(): void
  /** Replaces the key; a key that is not passed is random. */
  createKey(key?: string): string
  setRateLimit(perSecond: number, burst?: number): void
  readonly rateLimit: number
  failNext(count: number, status: number): void
  /** Ordered failures that are left. */
  readonly failuresLeft: number
  readonly counters: { requests: number; unauthorized: number; rateLimited: number; failed: number }
}

export interface AdmissionOptions {
  readonly apiKey: string
  readonly rateLimit: number
  readonly rateBurst: number | undefined
  readonly clock: () => number
  /** Finds what a bearer token may do; undefined when the CRM takes keys only. */
  readonly findAccess: () => FindAccess | undefined
}

export function createAdmission({ apiKey, rateLimit, rateBurst, clock, findAccess }: AdmissionOptions): Admission {
  const counters = { requests: 0, unauthorized: 0, rateLimited: 0, failed: 0 }
  const newBucket = (perSecond: number, burst = perSecond * 2) => createTokenBucket(perSecond, burst, clock)
  let key: string | undefined = apiKey
  let limit = rateLimit
  let bucket = newBucket(rateLimit, rateBurst)
  let failures = { left: 0, status: 500 }

  async function authenticate({ headers }: IncomingMessage): Promise<Access | undefined> {
    const find = findAccess()
    const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
    if (find && token !== undefined) {
      const access = await find(token)
      if (access) return access
      throw new ApiError(401, 'invalid_token', 'the access token has expired, or its owner has revoked it')
    }
    if (key !== undefined && isSame(headers['x-api-key'], key)) return undefined
    const wasSent = headers['x-api-key'] !== undefined
    throw new ApiError(
      401,
      'unauthorized',
      wasSent
        ? 'this API key is not valid; its owner may have revoked it'
        : 'send the API key of the workspace in the header X-Api-Key',
    )
  }

  return {
    counters,
    /** Credential first: a caller without one learns nothing and takes no token of the bucket. */
    async admit(request) {
      counters.requests++
      const access = await authenticate(request).catch((error: unknown) => {
        counters.unauthorized++
        throw error
      })
      if (failures.left > 0) {
        failures.left--
        counters.failed++
        const headers = failures.status === 429 ? { 'retry-after': '1' } : {}
        throw new ApiError(failures.status, 'ordered_failure', 'this failure was ordered', { headers })
      }
      const waitSeconds = bucket.take()
      if (waitSeconds > 0) {
        counters.rateLimited++
        const headers = { 'retry-after': String(Math.ceil(waitSeconds)) }
        throw new ApiError(429, 'rate_limited', 'too many requests: wait as Retry-After says', { headers })
      }
      if (access) assertScope(access, request)
    },
    get apiKey() {
      return key
    },
    revokeKey() {
      key = undefined
    },
    createKey(next = `key_${randomBytes(9).toString('base64url')}`) {
      key = next
      return next
    },
    get rateLimit() {
      return limit
    },
    setRateLimit(perSecond, burst) {
      limit = perSecond
      bucket = newBucket(perSecond, burst)
    },
    get failuresLeft() {
      return failures.left
    },
    failNext(left, status) {
      if (!(status >= 400 && status <= 599)) throw new RangeError('status: 400 to 599')
      failures = { left, status }
    },
  }
}

/** Keys may do everything; a token does what its owner agreed to. */
function assertScope({ scopes }: Access, { method = 'GET', url = '' }: IncomingMessage): void {
  const [, collection = ''] = /^\/(?:schema\/)?([a-z]*)/.exec(url) ?? []
  if (collection !== 'contacts' && collection !== 'companies') return
  const needed = `${collection}.${method === 'GET' ? 'read' : 'write'}`
  if (!scopes.includes(needed))
    throw new ApiError(403, 'insufficient_scope', `the access token lacks the scope ${needed}`)
}

function isSame(given: string | string[] | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(String(given)), Buffer.from(expected)]
  return given !== undefined && a.length === b.length && timingSafeEqual(a, b)
}
