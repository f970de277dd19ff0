import { promises } from 'node:dns'
import type { ResolvedAddress } from './host-names.ts'
import { NameUnresolved } from './resolver-busy.ts'

/** Addresses of a name in DNS. */
export interface FoundAddresses {
  addresses: ResolvedAddress[]
  /** Time to live in seconds, as DNS reports it. */
  ttl: number
}

type Records = { address: string; ttl: number }[]
/** Result of one family: records, or an error code. */
type Half = Records | string

export interface QueryOptions {
  /** Servers to query; empty for those of the system. */
  servers: readonly string[]
  /** For all attempts of all queries together. */
  deadlineMs: number
  signal?: AbortSignal
}

/** Timeout of the first attempt; later ones take longer, within the deadline. Then a lost datagram is sent again. */
const tryMs = 1_000
const tries = 3
/** Once one family has responded, the other gets this long. IPv4 gets longer: many hosts cannot use an IPv6 address. */
const ipv6GraceMs = 200
const ipv4GraceMs = 2_500
/** For a result that lacks a family because its query failed or was late. */
const partialTtl = 5
const addressesMax = 32

const nothingThere = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Resolves names with DNS servers, outside the thread pool, and returns the first name that exists. Each call creates a
 * separate resolver: it follows changes of resolv.conf, sends from a new port, and can be canceled alone. It costs 30
 * µs.
 *
 * @throws NameUnresolved
 */
export async function queryAddresses(names: readonly string[], options: QueryOptions): Promise<FoundAddresses> {
  return withResolver(options, async (resolver) => {
    let code = 'ENOTFOUND'
    for (const name of names) {
      const found = await bothFamilies(resolver, name)
      if (typeof found !== 'string') return found
      // A server that fails for one completion may know the next; a server that does not respond is not tried again.
      if (found === 'ETIMEOUT' || found === 'ECONNREFUSED') throw new NameUnresolved(name, found)
      if (!nothingThere.has(found)) code = found
    }
    throw new NameUnresolved(names[0] ?? '', code)
  })
}

async function withResolver<T>(options: QueryOptions, work: (resolver: promises.Resolver) => Promise<T>): Promise<T> {
  const { servers, deadlineMs, signal } = options
  const resolver = new promises.Resolver({ timeout: tryMs, tries })
  if (servers.length > 0) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  const timer = setTimeout(cancel, deadlineMs)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await work(resolver)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
    // Cancels pending queries.
    resolver.cancel()
  }
}

/** Returns the addresses of one absolute name, or the code that says why there are none. */
async function bothFamilies(resolver: promises.Resolver, name: string): Promise<FoundAddresses | string> {
  const known: { v4?: Half; v6?: Half } = {}
  const four = half(resolver.resolve4(name, { ttl: true })).then((records) => Object.assign(known, { v4: records }))
  const six = half(resolver.resolve6(name, { ttl: true })).then((records) => Object.assign(known, { v6: records }))
  await Promise.race([four, six])
  if (Array.isArray(known.v4)) await within(six, ipv6GraceMs)
  else if (Array.isArray(known.v6)) await within(four, ipv4GraceMs)
  else await Promise.all([four, six])
  const { v4 = 'ETIMEOUT', v6 = 'ETIMEOUT' } = known
  const addresses = [...addressesOf(v4, 4), ...addressesOf(v6, 6)].slice(0, addressesMax)
  const codes = [v4, v6].filter((records) => typeof records === 'string')
  const failure = codes.find((code) => !nothingThere.has(code))
  if (addresses.length === 0) return failure ?? 'ENOTFOUND'
  const ttl = Math.min(
    ...[v4, v6].flatMap((records) => (Array.isArray(records) ? records.map((each) => each.ttl) : [])),
  )
  return { addresses, ttl: failure === undefined ? ttl : Math.min(ttl, partialTtl) }
}

/** Returns the records, or the code of the failure. */
async function half(query: Promise<Records>): Promise<Half> {
  try {
    return await query
  } catch (error) {
    return codeOf(error)
  }
}

/** Waits for a family, up to this time. */
async function within(family: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([family, late.promise])
  clearTimeout(timer)
}

function addressesOf(records: Half, family: 4 | 6): ResolvedAddress[] {
  return Array.isArray(records) ? records.map(({ address }) => ({ address, family })) : []
}

/** Returns an error code. A query that we canceled has timed out. */
function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'ESERVFAIL'
  return code === 'ECANCELLED' ? 'ETIMEOUT' : code
}
