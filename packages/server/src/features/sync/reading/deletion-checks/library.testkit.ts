import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// biome-ignore-end lint/style/noRestrictedImports: as above.

const pageSize = 10

/** Books can be read by their ids. Papers cannot. Maps are papers with a list of deletions of the last day: none. */
const file = `
name: library
displayName: Library
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
rateLimit: { requests: 1000, perSeconds: 1, per: app }
templates:
  shelf:
    read:
      path: '/{{object}}'
      query: { page: '{{page}}', details: 'true' }
      records: items
      pageSizeMax: ${pageSize}
      paging: { kind: page }
    listIds: { query: { details: 'false' } }
    fields: [{ source: static, fields: { id: string, title: string } }]
objects:
  books: { like: shelf, get: { path: '/books/{{id}}' } }
  papers: { like: shelf }
  maps:
    like: shelf
    get: { path: '/maps/{{id}}' }
    incremental: { read: { query: { since: '{{since}}' } } }
    deletions: { reach: 1, list: { path: /removed, query: { since: '{{since}}' } } }
`

export interface Order {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** A provider that reports no deletions, and the requests that it got. */
export interface Library {
  url: string
  folder: string
  /** Ids of what it has, in the order in which it is listed. */
  books: string[]
  papers: string[]
  /** Ids that it has but does not list. */
  hidden: Set<string>
  /** Requests, as path and query. */
  requests: string[]
  /** Answers the next requests whose path and query begin like this in place of the library. */
  order(start: string, answer: Order, times?: number): void
  /** Holds the next request whose path and query begin like this. Returns when it has arrived. */
  hold(start: string): Promise<{ release(): void }>
  close(): Promise<void>
}

export async function startLibrary(): Promise<Library> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-library-'))
  await writeFile(join(folder, 'library.yaml'), file)
  const orders: { start: string; answer: Order; times: number }[] = []
  const holds: { start: string; arrived: (held: { release(): void }) => void }[] = []
  const server = createServer((request, response) => {
    const url = request.url ?? ''
    library.requests.push(url)
    const ordered = orders.find(({ start, times }) => times > 0 && url.startsWith(start))
    const held = holds.findIndex(({ start }) => url.startsWith(start))
    if (held >= 0) return holds.splice(held, 1)[0]?.arrived({ release: () => answer(url, response) })
    if (!ordered) return answer(url, response)
    ordered.times--
    const { status = 200, headers = { 'content-type': 'application/json' }, body = '' } = ordered.answer
    return response.writeHead(status, headers).end(body)
  })
  const answer = (url: string, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(url, 'http://library')
    const [, object = '', id] = pathname.split('/')
    const all = object === 'books' ? library.books : library.papers
    const listed = object === 'removed' ? [] : all
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const item = (of: string) => ({ id: of, ...(searchParams.get('details') !== 'false' && { title: `Title ${of}` }) })
    if (id !== undefined) {
      const known = all.includes(decodeURIComponent(id))
      return known ? json(200, item(decodeURIComponent(id))) : json(404, { error: 'none' })
    }
    const from = (Number(searchParams.get('page')) - 1) * pageSize
    const shown = listed.filter((one) => !library.hidden.has(one))
    return json(200, { items: shown.slice(from, from + pageSize).map(item) })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const library: Library = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder,
    books: [],
    papers: [],
    hidden: new Set(),
    requests: [],
    order: (start, answer, times = 1) => orders.push({ start, answer, times }),
    hold: (start) => new Promise((arrived) => holds.push({ start, arrived })),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await rm(folder, { recursive: true, force: true })
    },
  }
  return library
}
