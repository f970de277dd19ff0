import { lookup } from 'node:dns/promises'
import type { ResolvedAddress } from './host-names.ts'
import { LookupSlots } from './lookup-slots.ts'
import { NameUnresolved } from './resolver-busy.ts'
import { textOf } from './search-names.ts'

/** Sources of names that we read ourselves. */
const ownSources = new Set(['files', 'dns', 'myhostname'])

/**
 * Whether the C library may know names that neither the hosts file nor DNS has: mDNS, a directory, a VPN. On Linux
 * nsswitch.conf lists its sources; without that file (musl, most containers) there are no others. Other systems keep
 * them elsewhere.
 */
export function hasOtherSources(nsswitch: string, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== 'linux') return true
  const line = nsswitch.split('\n').find((candidate) => candidate.trimStart().startsWith('hosts:')) ?? ''
  const sources = (line.split('#', 1)[0] ?? '')
    .replace(/\[[^[\]]*\]/g, ' ')
    .trim()
    .split(/\s+/)
  return sources.slice(1).some((source) => !ownSources.has(source))
}

/**
 * Asks the C library (`getaddrinfo`) for names that only it may know. Each call takes one of Node's four pool threads
 * for as long as it likes, so that two run at the same time at most, and one for each project.
 */
export function createSystemNames(): ((hostname: string, key: string) => Promise<ResolvedAddress[]>) | undefined {
  if (!hasOtherSources(textOf('/etc/nsswitch.conf'))) return undefined
  const slots = new LookupSlots({ perKey: 1, total: 2, waitMs: 2_000, waiting: 32, lateMs: 0, evicts: false })
  return (hostname, key) =>
    slots.run(
      key,
      () => ask(hostname),
      () => new NameUnresolved(hostname, 'ETIMEOUT'),
    )
}

async function ask(hostname: string): Promise<ResolvedAddress[]> {
  try {
    const found = await lookup(hostname, { all: true })
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
  } catch (error) {
    throw new NameUnresolved(hostname, (error as NodeJS.ErrnoException).code ?? 'ENOTFOUND')
  }
}
