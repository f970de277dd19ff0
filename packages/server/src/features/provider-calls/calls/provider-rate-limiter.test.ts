import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RateLimit } from '@mortise/providers'
import { expect, it } from 'vitest'
import { createAddressGuard, createOutbound, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import { type SharedLimits, SharedRateLimiter } from '../../../kernel/rate-limits/index.ts'
import { createProviderHttp } from './provider-http.ts'
import { providerRateLimiter } from './provider-rate-limiter.ts'

const rateLimits: RateLimit[] = [
  { requests: 100, perSeconds: 10, per: 'connection' },
  { requests: 9, perSeconds: 1, per: 'connection', for: 'write' },
  { requests: 5, perSeconds: 1, per: 'connection', path: '/search$' },
]

/** The names of the limits that a request takes a permit of, without that of the connection. */
function limitsOf(...[request]: Parameters<ReturnType<typeof providerRateLimiter>>): string[] {
  const names = new Set<string>()
  const limits: Pick<SharedLimits, 'rateLimiter'> = {
    rateLimiter(_, name, capacity, perSeconds) {
      names.add(name.replace('pace:c1:', ''))
      return new SharedRateLimiter(capacity, { perSeconds, renewSoon() {}, knownSince: 0 })
    },
  }
  const entry = { name: 'test', rateLimits }
  providerRateLimiter({ limits }, { projectId: 'p', connectionId: 'c1', entry })(request)?.waitMs()
  return [...names]
}

it('a limit on some paths counts the requests to them only', () => {
  const url = 'https://api.example.com/objects/contacts'
  expect(limitsOf({ method: 'GET', url })).toEqual(['all:10'])
  expect(limitsOf({ method: 'GET', url: `${url}/search?q=1` })).toEqual(['all:1:/search$', 'all:10'])
  // The proxy knows the path only.
  expect(limitsOf({ method: 'GET', url: '/objects/contacts/search' })).toEqual(['all:1:/search$', 'all:10'])
  expect(limitsOf({ method: 'GET' })).toEqual(['all:10'])
})

it('a search by POST counts as a read, a POST through the proxy as a write', () => {
  const url = 'https://api.example.com/objects/contacts/search'
  expect(limitsOf({ method: 'POST', url, isRead: true })).toEqual(['all:1:/search$', 'all:10'])
  expect(limitsOf({ method: 'POST', url })).toEqual(['write:1', 'all:1:/search$', 'all:10'])
})

it('a list by POST is sent under the limits of reads, and a write under those of writes', async () => {
  await using server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/objects/contacts/search`
  const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
  const outbound = createOutbound({ guard, userAgent: 'test' })
  const applied: string[][] = []
  const rateLimiter = (request: Parameters<typeof limitsOf>[0]) => {
    applied.push(limitsOf(request))
    return undefined
  }
  const http = createProviderHttp({ outbound, now: () => new Date(), project: 'p', rateLimiter })
  try {
    await http({ method: 'POST', url, headers: {}, isRead: true })
    await http({ method: 'POST', url, headers: {} })
  } finally {
    await outbound.close()
  }
  expect(applied).toEqual([
    ['all:1:/search$', 'all:10'],
    ['write:1', 'all:1:/search$', 'all:10'],
  ])
})
