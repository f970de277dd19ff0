import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type Client, Pool } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { agingClient } from './aging-client.ts'

const ageMaxMs = 20

/** A server, a pool of aging clients, and the server's side of each connection. */
async function start(listener: RequestListener) {
  const sockets: Socket[] = []
  const server = createServer(listener).on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const pool = new Pool(`http://127.0.0.1:${port}`, {
    connections: 1,
    allowH2: false,
    factory: (origin, options) =>
      agingClient(
        origin,
        options as Client.Options,
        (_, callback) => {
          const socket = connect(port, '127.0.0.1')
          socket.once('connect', () => callback(null, socket)).once('error', (error) => callback(error, null))
        },
        ageMaxMs,
      ),
  })
  onTestFinished(async () => {
    await pool.destroy()
    server.close()
  })
  const get = async (path = '/') => (await pool.request({ path, method: 'GET' })).body.text()
  return { sockets, get }
}

test('an idle connection closes at its age, and the next request opens another one', async () => {
  const { sockets, get } = await start((_, response) => response.end('x'))
  expect(await get()).toBe('x')
  await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true))
  expect(await get()).toBe('x')
  expect(sockets).toHaveLength(2)
})

test('a connection that is always in use is replaced between two requests, and none fails', async () => {
  const { sockets, get } = await start((_, response) => response.end('x'))
  const ask = async () => {
    while (sockets.length < 4) expect(await get()).toBe('x')
  }
  // There are always requests that wait for the connection.
  await Promise.all([ask(), ask(), ask()])
  await vi.waitFor(() => expect(sockets.slice(0, 3).every(({ destroyed }) => destroyed)).toBe(true))
})

test('a request that is under way at that age ends as usual', async () => {
  const { sockets, get } = await start((_, response) => {
    response.write('be')
    setTimeout(() => response.end('gun'), 5 * ageMaxMs)
  })
  expect(await get()).toBe('begun')
  await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true))
  expect(await get()).toBe('begun')
  expect(sockets).toHaveLength(2)
})
