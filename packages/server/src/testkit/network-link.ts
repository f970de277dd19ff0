// biome-ignore-start lint/style/noRestrictedImports: stands in for a network; nothing goes out.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.

/** A network between a client and the PostgreSQL at a socket folder, which can fall silent. */
export interface NetworkLink {
  /** Where clients find it, at 127.0.0.1. */
  port: number
  /**
   * Carries nothing any more, and closes nothing: neither end is told. New connections are taken and left without an
   * answer, unless only those that are open now are `forgotten`, as a firewall does that lost its table.
   */
  silence(which?: 'everything' | 'forgotten'): void
  /**
   * Carries again, and first all that was held back: what was written into the silence arrives late, even from ends
   * that are gone.
   */
  resume(): void
  close(): Promise<void>
}

interface Pair {
  inbound: Socket
  outbound: Socket | undefined
  isSilent: boolean
  held: (() => void)[]
}

export async function startNetworkLink(to: { host: string; port: number }): Promise<NetworkLink> {
  const pairs = new Set<Pair>()
  let isSilent = false
  const server = createServer((inbound) => {
    const pair: Pair = { inbound, outbound: undefined, isSilent, held: [] }
    pairs.add(pair)
    const carry = (deed: () => void) => (pair.isSilent ? void pair.held.push(deed) : deed())
    carry(() => {
      const outbound = connect(`${to.host}/.s.PGSQL.${to.port}`)
      pair.outbound = outbound
      outbound.on('data', (chunk) => carry(() => inbound.write(chunk)))
      outbound.on('error', () => undefined)
      outbound.on('close', () => carry(() => inbound.destroy()))
    })
    inbound.on('data', (chunk) => carry(() => pair.outbound?.write(chunk)))
    inbound.on('error', () => undefined)
    inbound.on('close', () => carry(() => pair.outbound?.end()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    silence(which = 'everything') {
      isSilent = which === 'everything'
      for (const pair of pairs) pair.isSilent = true
    },
    resume() {
      isSilent = false
      for (const pair of pairs) {
        pair.isSilent = false
        for (const deed of pair.held.splice(0)) deed()
      }
    },
    async close() {
      for (const { inbound, outbound } of pairs) {
        inbound.destroy()
        outbound?.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
