import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { servePart } from './part.ts'

/**
 * A provider with accounts and five contacts in each: `GET /accounts?of=N&page=P`, 100 at a time, and `GET
 * /accounts/ID/contacts`. It takes so many requests in any second, and answers 429 to more.
 */

const contactsEach = 5
const accountsPerPage = 100
const limit = Number(process.argv[2])

/** When the newest requests came, each in the place of the one that came so many before it. */
const arrived = new Float64Array(limit).fill(-1_000)
let requests = 0
let refused = 0

const server = createServer((request, response) => {
  const now = performance.now()
  const place = requests++ % limit
  const isTooMuch = now - (arrived[place] ?? 0) < 1_000
  arrived[place] = now
  if (isTooMuch) refused++
  const body = isTooMuch ? '{}' : answer(new URL(request.url ?? '/', 'http://provider'))
  response.writeHead(isTooMuch ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '1' }).end(body)
})

function answer({ pathname, searchParams }: URL): string {
  const [, , account] = pathname.split('/')
  if (account !== undefined) {
    const contacts = Array.from({ length: contactsEach }, (_, n) => ({ id: `${account}-${n}`, name: 'n'.repeat(200) }))
    return JSON.stringify({ contacts })
  }
  const from = (Number(searchParams.get('page')) - 1) * accountsPerPage
  const count = Math.max(0, Math.min(accountsPerPage, Number(searchParams.get('of')) - from))
  return JSON.stringify({
    accounts: Array.from({ length: count }, (_, n) => ({ id: from + n, name: 'n'.repeat(500) })),
  })
}

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')

servePart({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  counted: () => ({ requests, refused }),
})
