import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createAddressGuard, createOutbound, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import { createProviderHttp } from './provider-http.ts'

it('a URL that no server takes is not sent, by a health check or a download either', async () => {
  const seen: number[] = []
  await using server = createServer((request, response) => {
    seen.push(request.url?.length ?? 0)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
  const outbound = createOutbound({ guard, userAgent: 'test' })
  const http = createProviderHttp({ outbound, now: () => new Date(), project: 'p' })
  try {
    const send = (length: number, streams = false) =>
      http({ method: 'GET', url: `${origin}/`.padEnd(length, 'x'), headers: {}, streams })
    for (const streams of [false, true]) {
      await expect(send(16_385, streams)).rejects.toMatchObject({
        class: 'bad_request',
        message: expect.stringContaining('16385 bytes'),
      })
    }
    expect(seen).toEqual([])
    await send(10_000)
    expect(seen).toHaveLength(1)
  } finally {
    await outbound.close()
  }
})
