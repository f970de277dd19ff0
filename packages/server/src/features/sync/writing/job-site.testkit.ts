// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { startTestApp } from '../../../testkit/test-app.ts'
import { json } from './writing.testkit.ts'

type Row = Record<string, string>

interface Job {
  operation: string
  state: 'waiting' | 'running' | 'done' | 'aborted'
  rows: Row[]
  polls: number
}

/** Steps of a job, by what the request to the provider does. */
export type JobStep =
  | 'submit'
  | 'upload'
  | 'state'
  | 'start'
  | 'written'
  | 'refused'
  | 'unprocessed'
  | 'abort'
  | 'batch'

/** What happens to a request: it is handled, and its response is lost or held back. */
type Mishap = (response: ServerResponse, handle: () => void) => unknown

/** Rows of CSV whose texts have neither commas nor line breaks. */
function rowsOf(csv: string): Row[] {
  const [names = [], ...lines] = csv.split('\n').map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')))
  return lines.slice(0, -1).map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])))
}

/** A provider that writes by jobs, and refuses whatever its documentation does not allow. */
export async function startJobProvider() {
  const jobs = new Map<string, Job>()
  /** Names that were written, in order: each of them once. */
  const created: string[] = []
  const steps: JobStep[] = []
  const mishaps = new Map<JobStep, Mishap>()
  let breaksAt: number | undefined
  let mode: 'ends' | 'fails' | 'runs on' = 'ends'

  function process(job: Job): void {
    const rows = mode === 'fails' ? job.rows.slice(0, breaksAt) : job.rows
    for (const row of rows) if (row['name'] !== 'bad') created.push(row['name'] ?? '')
    job.state = mode === 'fails' ? 'aborted' : 'done'
  }

  function stepOf(method: string, [, kind, id, part]: string[]): JobStep | undefined {
    if (kind === 'contacts') return method === 'POST' ? 'batch' : undefined
    if (kind !== 'jobs') return undefined
    if (id === undefined) return 'submit'
    if (part === undefined) return method === 'DELETE' ? 'abort' : 'state'
    return part === 'rows' ? 'upload' : (part as JobStep)
  }

  function respond(step: JobStep, id: string | undefined, body: string, response: ServerResponse): unknown {
    if (step === 'batch') {
      const { items } = JSON.parse(body) as { items: Row[] }
      created.push(...items.map(({ name = '' }) => name))
      return json(response, 200, { results: items.map((_, at) => ({ id: `b-${at}` })) })
    }
    if (step === 'submit') {
      const id = `job-${jobs.size + 1}`
      jobs.set(id, { operation: JSON.parse(body).operation, state: 'waiting', rows: [], polls: 0 })
      return json(response, 201, { id })
    }
    const job = jobs.get(id ?? '')
    if (job === undefined) return json(response, 404, { error: 'No such job.' })
    if (step === 'upload') {
      if (job.rows.length > 0 || job.state !== 'waiting') return json(response, 409, { error: 'It has its rows.' })
      job.rows = rowsOf(body)
      return json(response, 200, {})
    }
    if (step === 'start') {
      if (job.state !== 'waiting') return json(response, 409, { error: 'It was started.' })
      job.state = 'running'
      return json(response, 200, {})
    }
    if (step === 'abort') {
      if (job.state === 'done') return json(response, 409, { error: 'It has ended.' })
      job.state = 'aborted'
      return json(response, 200, {})
    }
    if (step === 'state') {
      if (job.state === 'running' && mode !== 'runs on' && ++job.polls > 1) process(job)
      return json(response, 200, { state: job.state, why: job.state === 'aborted' ? 'The quota is used up.' : null })
    }
    const isWritten = (row: Row, at: number) => row['name'] !== 'bad' && (breaksAt === undefined || at < breaksAt)
    const isLeft = (_: Row, at: number) => breaksAt !== undefined && at >= breaksAt
    const header = 'id,error,name\n'
    const lines = {
      written: () => job.rows.flatMap((row, at) => (isWritten(row, at) ? `id-${row['name']},,${row['name']}\n` : [])),
      refused: () =>
        job.rows.flatMap((row, at) =>
          isWritten(row, at) || isLeft(row, at) ? [] : `,The name is bad.,${row['name']}\n`,
        ),
      unprocessed: () => job.rows.flatMap((row, at) => (isLeft(row, at) ? `,,${row['name']}\n` : [])),
    }[step as 'written']()
    response.writeHead(200, { 'content-type': 'text/csv' })
    return response.end([header, ...lines.toReversed()].join(''))
  }

  const server = createServer(async (request: IncomingMessage, response) => {
    const { method = '', url = '' } = request
    const body = await text(request)
    const path = url.split('/')
    if (url === '/me') return json(response, 200, {})
    const step = stepOf(method, path)
    if (step === undefined) return json(response, 200, { data: [] })
    steps.push(step)
    const mishap = mishaps.get(step)
    mishaps.delete(step)
    const handle = () => respond(step, path[2], body, response)
    return mishap === undefined ? handle() : mishap(response, handle)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    jobs,
    created,
    steps,
    /** What happens to the next request of a step. */
    next: (step: JobStep, mishap: Mishap) => mishaps.set(step, mishap),
    /** Jobs end after these records. */
    failAfter(rows: number) {
      mode = 'fails'
      breaksAt = rows
    },
    neverEnd() {
      mode = 'runs on'
      breaksAt = 0
    },
    reset() {
      jobs.clear()
      created.length = 0
      steps.length = 0
      mishaps.clear()
      mode = 'ends'
      breaksAt = undefined
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const file = `
name: bulk
displayName: Bulk
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
healthCheck: { path: /me }
errors: { message: [error] }
objects:
  contacts:
    read: { path: /contacts, records: data, paging: { kind: none } }
    write:
      callerHeaders: true
      create: { path: /contacts }
      update: { path: '/contacts/{{id}}' }
      batch:
        create:
          path: /contacts/batch
          max: 200
          body: { items: { $each: items, $item: { $value: item.record } } }
          answer: { results: results }
      job:
        operations: { create: insert }
        above: 3
        max: 150
        bytesMax: 1000000
        submit: { method: POST, path: /jobs, body: { operation: '{{operation}}' }, id: id }
        upload: { path: '/jobs/{{job.id}}/rows' }
        start: { method: POST, path: '/jobs/{{job.id}}/start' }
        poll: { path: '/jobs/{{job.id}}', state: state, waiting: [waiting], done: [done], failed: [aborted], message: why, everySeconds: 1, maxHours: 1 }
        results:
          written: { path: '/jobs/{{job.id}}/written', id: id }
          refused: { path: '/jobs/{{job.id}}/refused', error: error }
          unprocessed: { path: '/jobs/{{job.id}}/unprocessed' }
        abort: { method: DELETE, path: '/jobs/{{job.id}}' }
`

const manifest = `
specVersion: 1.0.0
integrations:
  - { name: crm, provider: bulk, write: { objects: [{ objectName: contacts }] } }
`

/** A provider that writes by jobs, and a service with an installation. */
export async function startJobKit() {
  const provider = await startJobProvider()
  const dir = await mkdtemp(join(tmpdir(), 'mortise-bulk-'))
  await writeFile(join(dir, 'bulk.yaml'), file)
  const app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: dir }, tickSpeed: 10 })
  const project = '/projects/default'
  const ok = async <T>(method: string, path: string, body: unknown): Promise<T> => {
    const answer = await app.call<T>(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  await ok('PUT', `${project}/integrations:batch`, { sourceYaml: manifest })
  const connection = await ok<{ id: string }>('POST', `${project}/connections:generate?verify=true`, {
    groupRef: 'acme',
    consumerRef: 'ada',
    provider: 'bulk',
    apiKey: 'key',
    providerMetadata: { url: provider.url },
  })
  await ok('POST', `${project}/integrations/crm/installations?skipSampling=true`, {
    groupRef: 'acme',
    connectionId: connection.id,
    config: { content: { provider: 'bulk', write: { objects: { contacts: { objectName: 'contacts' } } } } },
  })
  return {
    app,
    provider,
    project,
    write: <T = { operationId: string; issues?: unknown }>(names: readonly unknown[], more: object = {}) =>
      app.call<T>('POST', `//write/v1${project}/integrations/crm/objects/contacts`, {
        groupRef: 'acme',
        type: 'create',
        mode: 'asynchronous',
        batch: names.map((name) => ({ record: { name } })),
        ...more,
      }),
    async stop() {
      await app.stop()
      await provider.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
