import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createBundledPages } from './bundled-pages.ts'

test('a script is bundled once, also after a failure; without tools, the script says so', async () => {
  const outcomes: (() => string | undefined)[] = [
    () => {
      throw new Error('disk full')
    },
    () => 'bundled()',
    () => undefined,
  ]
  const bundled: string[] = []
  const pages = createBundledPages(async (entry) => {
    bundled.push(entry)
    return outcomes.shift()?.()
  })
  const server = createServer(async (request, response) => {
    const isSent = await pages.send(response, request.url ?? '').catch(() => undefined)
    if (!isSent) response.writeHead(isSent === false ? 404 : 500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
    return [answer.status, await answer.text()]
  }
  try {
    expect(await get('/react/page.js')).toEqual([500, ''])
    expect(await get('/react/page.js')).toEqual([200, 'bundled()'])
    expect(await get('/react/page.js')).toEqual([200, 'bundled()'])
    expect(await get('/vue/page.js')).toEqual([200, expect.stringContaining('npm ci')])
    expect(await get('/react/page.jsx')).toEqual([404, ''])
    expect(bundled).toEqual(['react/page.jsx', 'react/page.jsx', 'vue/page.js'])
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
})
