import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { servePart } from './part.ts'

/** A provider that lists numbers of eleven digits, a thousand a page, as accounts at large providers have them. */

const perPage = 1_000

let count = 0
/** The second of every so many is left out; none for 0. */
let gap = 0

/** Numbers with gaps of up to a thousand, the same in every run. */
function idOf(index: number): number {
  return 10_000_000_000 + index * 1_000 + ((Math.imul(index, 2_654_435_761) >>> 0) % 1_000)
}

const server = createServer((request, response) => {
  const cursor = Number(new URL(request.url ?? '/', 'http://provider').searchParams.get('cursor') ?? 0)
  const records: string[] = []
  for (let index = cursor * perPage; index < Math.min(count, (cursor + 1) * perPage); index++)
    if (gap === 0 || index % gap !== 1) records.push(`{"id":${idOf(index)}}`)
  const next = (cursor + 1) * perPage < count ? `"${cursor + 1}"` : 'null'
  const body = `{"data":[${records.join(',')}],"next_cursor":${next}}`
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')

servePart({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  hold(ids: number) {
    count = ids
  },
  leaveOut(every: number) {
    gap = every
  },
})
