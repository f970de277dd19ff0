import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from './index.ts'
import { createOutboundPassThrough } from './pass-through.ts'

const megabyte = 2 ** 20

test('what streams through leaves little behind, however much it is', async () => {
  const chunk = Buffer.alloc(256 * 1024)
  const server = createServer((_, response) => {
    let left = 192 * megabyte
    const write = () => {
      while (left > 0) {
        left -= chunk.length
        if (!response.write(chunk)) return void response.once('drain', write)
      }
      response.end()
    }
    write()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const relay = createOutboundPassThrough({ guard: createAddressGuard({ allow: parseAllowedNetworks('loopback') }) })
  onTestFinished(() => relay.close())

  const before = process.memoryUsage().arrayBuffers
  let most = 0
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  relay.send(
    {
      origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      path: '/',
      method: 'GET',
      headers: [],
      body: null,
    },
    {
      head() {},
      data(part) {
        bytes += part.length
        most = Math.max(most, process.memoryUsage().arrayBuffers - before)
      },
      end: resolve,
      fail: reject,
    },
  )
  await promise
  expect(bytes).toBe(192 * megabyte)
  expect(most / megabyte).toBeLessThan(24)
})
