import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from './address-guard.ts'
import { createGuardedAgent } from './guarded-agent.ts'
import { createNameResolver } from './names/name-resolver.ts'
import { loopbackSpellings, privateAddresses } from './ssrf-vectors.ts'
import { UrlRefused } from './url-rules.ts'

/**
 * The agent is the wall; that URLs are judged before they reach it only makes better sentences. Here nothing judges
 * before.
 */
const agent = createGuardedAgent({
  guard: createAddressGuard({ allow: parseAllowedNetworks('') }),
  allowHttp: true,
  connections: 4,
  connectTimeoutMs: 2_000,
  headerBytesMax: 16_384,
  lookup: createNameResolver().lookup,
})
let canary: Server
let port: number
let connections = 0

beforeAll(async () => {
  canary = createServer((socket) => {
    connections++
    socket.destroy()
  })
  canary.listen(0, '0.0.0.0')
  await once(canary, 'listening')
  port = (canary.address() as AddressInfo).port
})
afterAll(async () => {
  await agent.destroy()
  canary.close()
})

const literals = privateAddresses.map((address) => (address.includes(':') ? `[${address}]` : address))
// A zone cannot be written in a URL.
const hosts = [...literals.filter((host) => !host.includes('%')), ...loopbackSpellings]

test.each(hosts)('%s is not dialled over http or https', async (host) => {
  for (const scheme of ['http', 'https']) {
    const attempt = request(`${scheme}://${host.replace('user@', '')}:${port}/`, { dispatcher: agent })
    await expect(attempt).rejects.toBeInstanceOf(UrlRefused)
  }
  expect(connections).toBe(0)
})
