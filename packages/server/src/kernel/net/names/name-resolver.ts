import { isIP, type LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import { entriesAtMost } from '../../entries-max.ts'
import { createHostNames, type ResolvedAddress } from './host-names.ts'
import { LookupSlots } from './lookup-slots.ts'
import { queryAddresses } from './query-addresses.ts'
import { NameUnresolved } from './resolver-busy.ts'
import { searchNames, systemSearchRule } from './search-names.ts'
import { createSystemNames } from './system-names.ts'

/**
 * Resolves names for every outbound connection, outside Node's thread pool. It does not decide which addresses are
 * allowed.
 */
export interface NameResolver {
  /** Returns cached addresses, without a query; throws for a name whose failure is cached. */
  known(hostname: string): ResolvedAddress[] | undefined
  /**
   * Resolves a name, from the cache or with DNS.
   *
   * @param project whose limit of simultaneous lookups counts; without one, that of the name's domain
   * @throws NameUnresolved, ResolverBusy
   */
  resolve(hostname: string, project?: string): Promise<ResolvedAddress[]>
  /** Returns whether `resolve` would fail as `ResolverBusy` now, because the project has too many slow names. */
  isBusy(hostname: string, project: string): boolean
  /** `resolve` with the signature of `dns.lookup`, for sockets. */
  lookup: LookupFunction
}

/** The part of a resolver that connections need. */
export type Names = Pick<NameResolver, 'known' | 'resolve' | 'lookup'>

export interface NameResolverOptions {
  /** DNS servers, `address` or `address:port`. When empty, those of the system, and its other sources of names. */
  servers?: readonly string[]
  /** For all attempts of one name, in milliseconds. Default 5,000. */
  deadlineMs?: number
  /** The deadline while other names of the project wait, in milliseconds. Default 2,000. */
  lateMs?: number
  /**
   * Maximum number of simultaneous lookups: of one project (default 48), of all (default 160). Deliveries that wait for
   * lookups must leave slots for others.
   */
  perProject?: number
  total?: number
}

/** A cached name. Without addresses it has a `failure`. */
interface Known {
  addresses: ResolvedAddress[]
  failure?: NameUnresolved
  /** By `performance.now()`. */
  until: number
  /** When the addresses were last confirmed. */
  confirmedAt: number
}

const ttlLeastMs = 1_000
const ttlMostMs = 300_000
const failureMs = 5_000
/** The C library reports no time to live. */
const systemTtl = 30
/** How long the last addresses of a name are used while DNS fails or no slot is free (RFC 8767). */
const staleMs = 3_600_000
const namesMax = 10_000
const slotWaitMs = 100

export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  const { servers = [], deadlineMs = 5_000, lateMs = 2_000, perProject = 48, total = 160 } = options
  const slots = new LookupSlots({ perKey: perProject, total, waitMs: slotWaitMs, waiting: 1_000, lateMs })
  const hostNames = createHostNames()
  const systemNames = servers.length === 0 ? createSystemNames() : undefined
  const cache = new LRUCache<string, Known>(entriesAtMost(namesMax))
  const underWay = new Map<string, Promise<ResolvedAddress[]>>()

  function known(hostname: string): ResolvedAddress[] | undefined {
    const family = isIP(hostname)
    if (family !== 0) return [{ address: hostname, family: family === 6 ? 6 : 4 }]
    const listed = hostNames(hostname)
    if (listed) return listed
    const entry = cache.get(hostname.toLowerCase())
    if (entry === undefined || entry.until <= performance.now()) return undefined
    if (entry.failure) throw entry.failure
    return entry.addresses
  }

  async function resolve(hostname: string, project?: string): Promise<ResolvedAddress[]> {
    const before = known(hostname)
    if (before) return before
    const name = hostname.toLowerCase()
    let query = underWay.get(name)
    if (!query) {
      query = find(name, project ?? domainOf(name)).finally(() => underWay.delete(name))
      underWay.set(name, query)
    }
    return query
  }

  function isBusy(hostname: string, project: string): boolean {
    try {
      const name = hostname.toLowerCase()
      return known(name) === undefined && !underWay.has(name) && !hasStale(name) && slots.isBusy(project)
    } catch {
      return false
    }
  }

  /** Returns whether the last addresses of a name may be used while it cannot be resolved. */
  function hasStale(name: string): boolean {
    const last = cache.get(name)
    return last !== undefined && !last.failure && performance.now() - last.confirmedAt < staleMs
  }

  async function find(name: string, key: string): Promise<ResolvedAddress[]> {
    try {
      const { addresses, ttl } = await slots.run(
        key,
        (signal) => ask(name, key, signal),
        () => new NameUnresolved(name, 'ETIMEOUT'),
      )
      const now = performance.now()
      const keptMs = Math.min(Math.max(ttl * 1_000, ttlLeastMs), ttlMostMs)
      cache.set(name, { addresses, until: now + keptMs, confirmedAt: now })
      return addresses
    } catch (error) {
      const now = performance.now()
      const last = cache.get(name)
      const isNotFound = error instanceof NameUnresolved && error.code === 'ENOTFOUND'
      if (last && !isNotFound && hasStale(name)) {
        cache.set(name, { ...last, until: now + failureMs })
        return last.addresses
      }
      if (!(error instanceof NameUnresolved)) throw error
      cache.set(name, { addresses: [], failure: error, until: now + failureMs, confirmedAt: now })
      throw error
    }
  }

  async function ask(name: string, key: string, signal: AbortSignal) {
    try {
      return await queryAddresses(searchNames(name, systemSearchRule()), { servers, deadlineMs, signal })
    } catch (error) {
      // DNS reported that the name does not exist, or there is no DNS: another source of the system may know it.
      const mayBeElsewhere =
        error instanceof NameUnresolved && (error.code === 'ENOTFOUND' || error.code === 'ECONNREFUSED')
      if (!mayBeElsewhere || !systemNames) throw error
      return { addresses: await atMost(systemNames(name, key), deadlineMs, name), ttl: systemTtl }
    }
  }

  return {
    known,
    resolve,
    isBusy,
    lookup: (hostname, { all }, callback) => {
      const answer = (addresses: ResolvedAddress[]) => {
        const [first] = addresses
        if (all === true) callback(null, addresses)
        else if (first) callback(null, first.address, first.family)
        else callback(new NameUnresolved(hostname, 'ENOTFOUND'), [])
      }
      resolve(hostname).then(answer, (error: Error) => callback(error, []))
    },
  }
}

/** Returns the last two labels: lookups without a project are limited by domain. */
function domainOf(name: string): string {
  return name.split('.').slice(-2).join('.')
}

async function atMost<T>(work: Promise<T>, ms: number, name: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new NameUnresolved(name, 'ETIMEOUT')), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
