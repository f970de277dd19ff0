import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A provider that runs queries, and returns their results in two parts. */
export interface Warehouse {
  url: string
  /** Folder with its provider file. */
  folder: string
  /** Method and URL of each request, in order. */
  requests: string[]
  /** Whether the result of each query is there. */
  isDone: boolean
  /** How many requests for a second part find the result gone. */
  goneTimes: number
  /** Answers a request, as in `requests`, in place of the warehouse. */
  failing: { request: string; status: number; message?: string } | undefined
  close(): Promise<void>
}

const file = `name: warehouse
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Key }]
templates:
  table:
    read:
      method: POST
      path: /queries
      body: { text: 'SELECT * FROM {{table}}' }
      id: '{{idColumn}}'
      records: data
      rows: { columns: columns }
      paging:
        kind: result
        id: id
        pending: { status: 202 }
        parts: parts
        count: count
        request: { path: '/queries/{{result.id}}', query: { part: '{{result.part}}' } }
    fields: [{ source: static, fields: { id: string, title: string } }]
otherObjects:
  - { match: '(?<table>\\w+)\\?id=(?<idColumn>\\w+)', like: table }
`

export async function startWarehouse(): Promise<Warehouse> {
  const folder = await mkdtemp(join(tmpdir(), 'warehouse-'))
  await writeFile(join(folder, 'warehouse.yaml'), file)
  const requests: string[] = []
  const server = createServer((request, response) => {
    request.resume()
    requests.push(`${request.method} ${request.url}`)
    const send = (status: number, body: object, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    }
    const { failing } = warehouse
    if (failing !== undefined && failing.request === requests.at(-1)) {
      send(failing.status, { message: failing.message })
    } else if (request.method === 'POST' || !warehouse.isDone) {
      // A wait that no test waits for.
      send(202, { id: 'q1' }, { 'retry-after': '3600' })
    } else if (request.url === '/queries/q1') {
      const data = ['1', '2'].map((id) => [id, `Title ${id}`])
      send(200, { id: 'q1', columns: ['id', 'title'], parts: 2, count: 3, data })
    } else if (warehouse.goneTimes > 0) {
      warehouse.goneTimes--
      send(404, {})
    } else send(200, { data: [['3', 'Title 3']] })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const warehouse: Warehouse = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder,
    requests,
    isDone: true,
    goneTimes: 0,
    failing: undefined,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await rm(folder, { recursive: true })
    },
  }
  return warehouse
}
