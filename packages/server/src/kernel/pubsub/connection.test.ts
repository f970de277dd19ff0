import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectAlone } from '../db/connection-config.ts'
import { NotificationConnection } from './connection.ts'

const message = (type: string, body: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
const int = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
/**
 * What a server sends that takes a connection and ends it at once (PostgreSQL 18, 54.7): in one packet where it must.
 */
const openedAndEnded = Buffer.concat([
  message('R', int(0)),
  message('K', Buffer.concat([int(1), int(1)])),
  message('Z', Buffer.from('I')),
  message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')),
])

let server: Server
let connections: Socket[]

beforeEach(async () => {
  connections = []
  server = createServer((socket) => {
    connections.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(openedAndEnded))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const socket of connections) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

const connect = () =>
  connectAlone({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    user: 'mortise',
    database: 'mortise',
  })

test('a connection that breaks in the packet that opens it ends nothing, and tells the first statement', async () => {
  const client = await connect()
  await expect(client.query('select 1')).rejects.toThrow('not queryable')
})

test('a connection that breaks while it is being prepared is followed by another one', async () => {
  const connection = new NotificationConnection({
    connect,
    prepare: async (client) => void (await client.query('listen nothing')),
    received: () => undefined,
    disconnected: () => undefined,
    log: pino({ enabled: false }),
  })
  await connection.open()
  await expect.poll(() => connections.length, { timeout: 10_000 }).toBeGreaterThan(1)
  await connection.close()
})
