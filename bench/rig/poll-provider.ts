import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { servePart } from './part.ts'

/** A provider in which hardly anything changes: every tenth request finds five records, the others none. */

/** One in so many requests finds records. */
let foundEvery = 10
const recordsFound = 5

let requests = 0
const nothing = Buffer.from('{"data":[],"next_cursor":null}')

function page(request: number): Buffer {
  const data = Array.from({ length: recordsFound }, (_, n) => ({
    id: `con_${request}_${n}`,
    email: `${request}-${n}@customer.example`,
    updated_at: new Date().toISOString(),
    notes: 'n'.repeat(150),
  }))
  return Buffer.from(JSON.stringify({ data, next_cursor: null }))
}

const server = createServer((_, response) => {
  requests++
  const body = requests % foundEvery === 0 ? page(requests) : nothing
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')

servePart({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  requests: () => requests,
  foundEvery(every: number) {
    foundEvery = every
  },
})
