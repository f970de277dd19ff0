import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// biome-ignore-end lint/style/noRestrictedImports: as above.

const file = `
name: exporter
displayName: Exporter
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
templates:
  exported:
    read:
      path: '/{{object}}'
      query: { page: '{{page}}', since: '{{since}}' }
      records: items
      total: total
      pageSizeMax: 100
      paging: { kind: page }
      job:
        above: 200
        submit: { method: POST, path: /jobs, body: { object: '{{object}}', since: '{{since}}' }, id: id }
        poll: { path: '/jobs/{{job.id}}', state: state, done: [done], failed: [failed], count: count, message: message, everySeconds: 1 }
        abort: { method: DELETE, path: '/jobs/{{job.id}}' }
        results: { path: '/jobs/{{job.id}}/rows', query: { from: '{{cursor}}' }, format: csv, nextHeader: X-Next, types: { int: number } }
    incremental: { format: rfc3339 }
    fields: [{ source: static, fields: { id: { valueType: int, providerType: int }, title: string } }]
objects:
  books: { like: exported }
  papers: { like: exported, read: { job: { results: { path: null, query: null, nextHeader: null, types: null, url: url, format: ndjson } } } }
`

export interface Order {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** A provider that exports what it has by jobs: books as CSV in parts of 1,000, papers as lines in one file. */
export interface Exporter {
  url: string
  folder: string
  /** Number of records of each object. */
  count: number
  /** Whether jobs are done. Otherwise they run for ever. */
  isDone: boolean
  /** Requests, as method, path and query. */
  requests: string[]
  /** Answers the next request that fits in place of the exporter. */
  order(fits: RegExp, answer: Order): void
  /** Holds the next request that fits. Returns when it has arrived; it is never answered. */
  hold(fits: RegExp): Promise<{ drop(): void }>
  close(): Promise<void>
}

export async function startExporter(): Promise<Exporter> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-exporter-'))
  await writeFile(join(folder, 'exporter.yaml'), file)
  const orders: { fits: RegExp; answer: Order }[] = []
  const holds: { fits: RegExp; arrived: (held: { drop(): void }) => void }[] = []
  const take = <T extends { fits: RegExp }>(list: T[], request: string) => {
    const at = list.findIndex(({ fits }) => fits.test(request))
    return at < 0 ? undefined : list.splice(at, 1)[0]
  }
  let jobs = 0
  const server = createServer((request, response) => {
    const text = `${request.method} ${request.url}`
    exporter.requests.push(text)
    request.resume()
    const ordered = take(orders, text)
    const held = take(holds, text)
    const respond = () => {
      if (!ordered) return answer(text, response)
      const { status = 200, headers = {}, body = '' } = ordered.answer
      return response.writeHead(status, headers).end(body)
    }
    if (held) held.arrived({ drop: () => response.destroy() })
    else respond()
  })
  const ids = (from: number, to: number) =>
    Array.from({ length: Math.max(0, Math.min(to, exporter.count) - from) }, (_, at) => from + at + 1)
  function answer(text: string, response: ServerResponse) {
    const [method, target = ''] = text.split(' ')
    const { pathname, searchParams } = new URL(target, exporter.url)
    const json = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (method === 'POST') return json({ id: `job${++jobs}` })
    if (method === 'DELETE') return response.writeHead(204).end()
    if (pathname.endsWith('/rows')) {
      const from = Number(searchParams.get('from') ?? 0)
      const next = from + 1_000 < exporter.count ? { 'x-next': String(from + 1_000) } : {}
      const rows = ids(from, from + 1_000).map((id) => `${id},Title ${id}\n`)
      return response.writeHead(200, { 'content-type': 'text/csv', ...next }).end(`id,title\n${rows.join('')}`)
    }
    if (pathname === '/file')
      return response.writeHead(200).end(
        ids(0, exporter.count)
          .map((id) => `{"id":${id},"title":"Title ${id}"}\n`)
          .join(''),
      )
    if (pathname.startsWith('/jobs/'))
      return json({ state: exporter.isDone ? 'done' : 'running', count: exporter.count, url: '/file' })
    const from = (Number(searchParams.get('page')) - 1) * 100
    return json({ total: exporter.count, items: ids(from, from + 100).map((id) => ({ id, title: `Title ${id}` })) })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const exporter: Exporter = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder,
    count: 2_500,
    isDone: true,
    requests: [],
    order: (fits, ordered) => orders.push({ fits, answer: ordered }),
    hold: (fits) => new Promise((arrived) => holds.push({ fits, arrived })),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await rm(folder, { recursive: true, force: true })
    },
  }
  return exporter
}
