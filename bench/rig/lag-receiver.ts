import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { servePart } from './part.ts'

/** A receiver that stores when the first message of each installation arrived, and answers 204. */

let arrivals = new Map<string, number>()
let messages = 0

const server = createServer((request, response) => {
  let head: Buffer | undefined
  request.on('data', (chunk: Buffer) => {
    head ??= chunk
  })
  request.on('end', () => {
    response.writeHead(204)
    response.end()
    messages++
    const installation = /"installationId":"([^"]+)"/.exec(head?.toString('latin1', 0, 2_000) ?? '')?.[1]
    if (installation !== undefined && !arrivals.has(installation)) arrivals.set(installation, Date.now())
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')

servePart({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  clear: () => {
    arrivals = new Map()
    messages = 0
  },
  arrivals: () => arrivals,
  messages: () => messages,
})
