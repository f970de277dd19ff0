// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the provider takes, from all accounts together. */
export interface Rate {
  requests: number
  perSeconds: number
  /** Counts reads or writes alone. */
  for?: 'read' | 'write'
}

const fileOf = (rates: readonly Rate[]) => `
name: rated
displayName: Rated
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
rateLimit: ${JSON.stringify(rates.map((rate) => ({ ...rate, per: 'app' })))}
objects:
  things:
    read:
      each: { path: /owners, records: owners, pageSizeMax: 10, query: { page: '{{page}}' }, paging: { kind: page } }
      path: /things
      query: { owner: '{{parent.id}}' }
      records: things
      paging: { kind: none }
    fields: [{ source: static, fields: { id: string } }]
    write: { body: { $value: record }, create: { path: /things } }
`

/** A provider with lists of parents and one thing for each, that answers 429 to whatever is too much in any period. */
export async function startRatedProvider({ owners, rates }: { owners: number; rates: readonly Rate[] }) {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-rated-'))
  await writeFile(join(folder, 'rated.yaml'), fileOf(rates))
  const arrived: { at: number; kind: 'read' | 'write' }[] = []
  const isTooMuch = (now: number) =>
    rates.some((rate) => {
      const counted = arrived.filter(({ kind }) => (rate.for ?? kind) === kind)
      return counted.filter(({ at }) => at > now - rate.perSeconds * 1000).length > rate.requests
    })
  const counted = { refused: 0, proxied: 0, written: 0 }
  const server = createServer((request, response) => {
    const now = performance.now()
    const url = new URL(request.url ?? '', 'http://rated')
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify(body))
    request.resume()
    arrived.push({ at: now, kind: request.method === 'GET' ? 'read' : 'write' })
    if (isTooMuch(now)) {
      counted.refused++
      answer(429, {})
    } else if (url.pathname === '/owners') {
      const from = (Number(url.searchParams.get('page')) - 1) * 10
      answer(200, {
        owners: Array.from({ length: Math.max(0, Math.min(10, owners - from)) }, (_, at) => ({ id: from + at })),
      })
    } else if (request.method === 'POST') {
      counted.written++
      answer(201, { id: `made-${counted.written}` })
    } else if (url.pathname === '/proxied') {
      counted.proxied++
      answer(200, {})
    } else answer(200, { things: [{ id: url.searchParams.get('owner') }] })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder,
    counted,
    arrived,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
