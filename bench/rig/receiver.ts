import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { servePart } from './part.ts'

/**
 * A receiver that takes a message, counts it once however often it comes, and answers 204. It looks for the number of
 * records at the beginning of the body, and parses nothing.
 */

export interface Received {
  records: number
  messages: number
  bytes: number
  /** Messages that had come before. */
  repeated: number
}

let seen = new Set<string>()
let received: Received = { records: 0, messages: 0, bytes: 0, repeated: 0 }
let waiting: { records: number; resolve: (received: Received) => void }[] = []

const server = createServer((request, response) => {
  let head: Buffer | undefined
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    head ??= chunk
    bytes += chunk.length
  })
  request.on('end', () => {
    response.writeHead(204)
    response.end()
    count(String(request.headers['webhook-id']), bytes, head)
  })
})
server.keepAliveTimeout = 60_000

function count(id: string, bytes: number, head: Buffer | undefined): void {
  if (seen.has(id)) {
    received.repeated++
    return
  }
  seen.add(id)
  received.messages++
  received.bytes += bytes
  received.records += Number(/"numRecords":(\d+)/.exec(head?.toString('latin1', 0, 2_000) ?? '')?.[1] ?? 0)
  const reached = waiting.filter(({ records }) => received.records >= records)
  waiting = waiting.filter(({ records }) => received.records < records)
  for (const { resolve } of reached) resolve({ ...received })
}

server.listen(0, '127.0.0.1')
await once(server, 'listening')

servePart({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  /** Begins to count anew. */
  clear: () => {
    seen = new Set()
    received = { records: 0, messages: 0, bytes: 0, repeated: 0 }
    waiting = []
  },
  received: () => received,
  /** Answers when so many records have come. */
  reached: (records: number) =>
    received.records >= records
      ? { ...received }
      : new Promise<Received>((resolve) => waiting.push({ records, resolve })),
})
