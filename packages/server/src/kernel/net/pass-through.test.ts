import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from './address-guard.ts'
import { createOutboundPassThrough } from './pass-through.ts'

const connectTimeoutMs = 50

/** A server, and a pass-through with one connection to it. */
async function start(listener: RequestListener) {
  let connections = 0
  const server = createServer(listener).on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
  const outbound = createOutboundPassThrough({ guard, connections: 1, connectTimeoutMs })
  onTestFinished(async () => {
    await outbound.close()
    server.close()
  })
  const get = (path: string) =>
    new Promise<string>((resolve, reject) => {
      let text = ''
      const head = () => undefined
      const data = (chunk: Buffer) => {
        text += chunk
      }
      const wire = { origin, path, method: 'GET', headers: [], body: null }
      outbound.send(wire, { head, data, end: () => resolve(text), fail: reject })
    })
  return { get, connections: () => connections }
}

test('a request that gets no connection in time fails, and the one that has it does not', async () => {
  const release = Promise.withResolvers<void>()
  const { get } = await start(async (_, response) => {
    await release.promise
    response.end('slow')
  })
  const first = get('/1')
  const message = expect.stringContaining('did not accept a connection in time')
  await expect(get('/2')).rejects.toMatchObject({ kind: 'timeout', message })
  release.resolve()
  expect(await first).toBe('slow')
})

test('a request on a kept connection may take longer than a connection', async () => {
  const { get, connections } = await start(({ url }, response) => {
    if (url === '/fast') response.end('fast')
    else setTimeout(() => response.end('slow'), 4 * connectTimeoutMs)
  })
  expect(await get('/fast')).toBe('fast')
  // The connection is free a turn of the event loop later.
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  expect(await get('/slow')).toBe('slow')
  expect(connections()).toBe(1)
})
