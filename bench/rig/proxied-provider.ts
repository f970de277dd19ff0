import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { servePart } from './part.ts'

const body = Buffer.from(JSON.stringify({ id: 1, name: 'x'.repeat(900) }))
const chunk = Buffer.alloc(256 * 1024, 7)

/** How long it takes to answer with 1 KB. */
let delayMs = 0

/** A provider that answers with 1 KB, or with as many bytes as `/bytes/N` says. */
const server = createServer((request, response) => {
  const bytes = Number(/^\/bytes\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0)
  if (bytes === 0) {
    const answer = () =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    if (delayMs === 0) answer()
    else setTimeout(answer, delayMs)
    return
  }
  response.writeHead(200, { 'content-length': bytes })
  let left = bytes
  const write = () => {
    while (left > 0) {
      const part = left < chunk.length ? chunk.subarray(0, left) : chunk
      left -= part.length
      if (!response.write(part)) return void response.once('drain', write)
    }
    response.end()
  }
  write()
})
server.keepAliveTimeout = 60_000
const listening = new Promise<string>((resolve) => {
  server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
})

servePart({
  url: () => listening,
  delay: (ms: number) => {
    delayMs = ms
  },
})
