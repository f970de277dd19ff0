import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createConnector } from '@mortise/providers'
import { plainHttp } from '../packages/providers/src/testing/http-server.testkit.ts'
import { thingsProvider } from '../packages/providers/src/testing/provider.testkit.ts'
import { type Benchmark, runAlone } from './benchmark.ts'
import { rounded } from './measure/statistics.ts'
import { fullOrShort } from './rig/short.ts'

const records = fullOrShort(1_000_000, 100_000)
const megabyte = 2 ** 20

const object = (results: string) => `read:
  path: /list
  records: items
  paging: { kind: cursor, next: next }
  query: { cursor: '{{cursor}}' }
  job:
    submit: { method: POST, path: /jobs, id: id }
    poll: { path: '/jobs/{{job.id}}', state: state, done: [done], failed: [failed], count: count, everySeconds: 1 }
    results: ${results}`
const formats = {
  csv: object("{ path: '/jobs/{{job.id}}/csv', format: csv }"),
  ndjson: object("{ path: '/jobs/{{job.id}}/ndjson', format: ndjson }"),
}

/** Reads the result of a job, one part of a million records, and keeps nothing. */
export const jobs: Benchmark = {
  name: 'jobs',
  measures: 'memory in use after 1,000,000 records of the result of a job − after a tenth of them; the worse format',
  goal: { most: 16 },
  unit: 'MB',
  async run(say) {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const inUse = () => {
      collect()
      const { heapUsed, external, arrayBuffers } = process.memoryUsage()
      return (heapUsed + external + arrayBuffers) / megabyte
    }
    const server = createServer((request, response) => void answer(request.url ?? '', response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const details: Record<string, unknown> = { records }
    let worst = 0
    try {
      for (const [format, declared] of Object.entries(formats)) {
        const connection = { metadata: { baseUrl: url }, credential: { scheme: 'apiKey', apiKey: 'key' } } as const
        const connector = createConnector(thingsProvider(declared), connection, plainHttp(fetch))
        const began = performance.now()
        let read = 0
        let early: number | undefined
        let page: string | undefined
        do {
          const request = { object: 'things', fields: ['id', 'name'], jobs: true }
          const found = await connector.readPage({ ...request, ...(page !== undefined && { page }) })
          read += found.records.length
          page = found.nextPage
          if (early === undefined && read >= records / 10) early = inUse()
        } while (page !== undefined)
        if (read !== records) throw new Error(`${read} records of ${format}`)
        const grown = rounded(inUse() - (early ?? 0), 1)
        const perSecond = Math.round((read / (performance.now() - began)) * 1000)
        say(`${format}: ${grown} MB more after all records than after a tenth, ${perSecond} records/s`)
        details[format] = { grown, perSecond }
        worst = Math.max(worst, grown)
      }
    } finally {
      server.closeAllConnections()
      server.close()
    }
    return { value: worst, details }
  },
}

/** A list of many pages, and jobs that are done at once. Results are made as they are read. */
async function answer(url: string, response: ServerResponse): Promise<void> {
  if (!/csv|ndjson/.test(url)) {
    const body = url.startsWith('/api/list')
      ? { items: [{ id: 1 }], next: 'more' }
      : { id: 'job', state: 'done', count: records }
    response.end(JSON.stringify(body))
    return
  }
  const isCsv = url.endsWith('csv')
  if (isCsv) response.write('id,name,email,note\n')
  for (let from = 0; from < records && !response.destroyed; from += 1000) {
    const lines = Array.from({ length: 1000 }, (_, at) => line(from + at, isCsv)).join('')
    if (!response.write(lines)) await once(response, 'drain')
  }
  response.end()
}

function line(id: number, isCsv: boolean): string {
  const [name, email, note] = [`Name ${id}`, `person${id}@example.com`, 'A note of a length that notes have.']
  return isCsv ? `${id},${name},${email},"${note}"\n` : `${JSON.stringify({ id, name, email, note })}\n`
}

if (import.meta.main) process.exitCode = (await runAlone(jobs)) ? 0 : 1
