import { Resolver } from 'node:dns/promises'

/** Returns the values of the TXT records of a name; none when the name does not exist. @throws TxtLookupFailed */
export type ResolveTxt = (name: string) => Promise<string[]>

/** The name servers gave no usable answer: nothing is known about the records. */
export class TxtLookupFailed extends Error {
  override name = 'TxtLookupFailed'
}

/** Wait of one attempt, number of attempts at each server, and the limit for all of them together. */
const attemptMs = 1_500
const attempts = 2
const deadlineMs = 5_000

/**
 * Looks up TXT records with c-ares, outside the thread pool that `dns.lookup` shares with files and passwords. A record
 * may be split into strings of 255 bytes; its value is all of them joined (RFC 7208, 3.3).
 *
 * @param servers addresses, with ports where they are not 53; those of the machine when absent
 */
export function createResolveTxt({
  servers,
  timeoutMs = deadlineMs,
}: {
  servers?: string[]
  timeoutMs?: number
} = {}): ResolveTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: attemptMs, tries: attempts })
    if (servers) resolver.setServers(servers)
    const deadline = setTimeout(() => resolver.cancel(), timeoutMs)
    try {
      return (await resolver.resolveTxt(name)).map((strings) => strings.join(''))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTFOUND' || code === 'ENODATA') return []
      const why =
        code === 'ETIMEOUT' || code === 'ECANCELLED'
          ? 'no answer in time'
          : `the name server answered ${code?.replace(/^E/, '') ?? 'something unreadable'}`
      throw new TxtLookupFailed(why, { cause: error })
    } finally {
      clearTimeout(deadline)
    }
  }
}
