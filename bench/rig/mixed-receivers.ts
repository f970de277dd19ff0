import { once } from 'node:events'
import { createServer } from 'node:http'
// biome-ignore-start lint/style/noRestrictedImports: stands in for servers that never answer.
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { servePart } from './part.ts'

/**
 * Receivers of many destinations: webhooks, a store of objects, and incoming webhooks of Slack. The second part of a
 * path is the number of the destination. A second port takes connections and never answers.
 */

let arrivals = new Map<string, number[]>()

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const [, kind = '', number = ''] = (request.url ?? '').split(/[/?]/)
    const times = arrivals.get(number) ?? []
    times.push(Date.now())
    arrivals.set(number, times)
    response.writeHead(200, kind === 'objects' ? { etag: '"0"' } : {})
    response.end(kind === 'slack' ? 'ok' : '')
  })
})
server.keepAliveTimeout = 60_000
const silent = createTcpServer((socket) => {
  socket.on('error', () => undefined)
  socket.resume()
})
for (const one of [server, silent]) one.listen(0, '127.0.0.1')
await Promise.all([once(server, 'listening'), once(silent, 'listening')])
const portOf = (one: { address(): unknown }) => (one.address() as AddressInfo).port

servePart({
  ports: () => ({ answering: portOf(server), hanging: portOf(silent) }),
  clear: () => {
    arrivals = new Map()
  },
  arrivals: () => arrivals,
})
