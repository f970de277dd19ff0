// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

export const secretKey = 'the-secret-key-of-the-account'

/** A request as the provider saw it. */
export interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown> | undefined
}

type Answer = (seen: Seen, response: ServerResponse) => unknown

/** A provider on loopback that keeps what is written, and notes what it is asked. */
export async function startLedger() {
  const seen: Seen[] = []
  const records = new Map<string, Record<string, unknown>>()
  const once: Answer[] = []
  let made = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const { method = '', url = '', headers } = request
    const asked: Seen = { method, path: url, headers, body: text === '' ? undefined : JSON.parse(text) }
    seen.push(asked)
    if (headers['x-api-key'] !== secretKey) return json(response, 401, { error: 'who are you?' })
    const answer = method === 'GET' ? undefined : once.shift()
    if (answer) answer(asked, response)
    else respond(asked, response)
  })
  function respond({ method, path, body }: Seen, response: ServerResponse): ServerResponse {
    const [, kind = '', id = ''] = path.split(/[/?]/)
    if (path === '/me') return json(response, 200, {})
    if (id === 'batch') {
      const items = body?.['items'] as { id?: string; record?: Record<string, unknown> }[]
      const bad = items.some(({ record }) => record?.['email'] === 'bad')
      if (body?.['allOrNone'] === true && bad) return json(response, 400, { error: 'One of them is bad.' })
      const results = items.map(({ id, record = {} }) =>
        record['email'] === 'bad'
          ? { ok: false, errors: [{ message: 'The email is bad.' }] }
          : { ok: true, record: store(id ?? `${kind}-${++made}`, record) },
      )
      return json(response, 200, { results })
    }
    if (method === 'POST') {
      const record = body?.['record'] as Record<string, unknown>
      if (record['email'] === 'bad') return json(response, 400, { error: 'The email is bad.' })
      return json(response, 201, store(`${kind}-${++made}`, record))
    }
    const found = records.get(decodeURIComponent(id))
    if (!found) return json(response, 404, { error: 'There is no such record.' })
    if (method === 'GET') return json(response, 200, found)
    if (method === 'DELETE') {
      records.delete(decodeURIComponent(id))
      return json(response, 204, undefined)
    }
    return json(response, 200, store(decodeURIComponent(id), { ...found, ...(body?.['record'] as object) }))
  }
  function store(id: string, record: Record<string, unknown>): Record<string, unknown> {
    const stored = { ...record, id }
    records.set(id, stored)
    return stored
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records,
    /** Requests that would change something, in their order. */
    writes: () => seen.filter(({ method }) => method !== 'GET'),
    seen,
    respond,
    /** How the next write is answered, one after the other. */
    once(...answers: Answer[]) {
      once.push(...answers)
    },
    reset() {
      seen.length = 0
      once.length = 0
      records.clear()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Ledger = Awaited<ReturnType<typeof startLedger>>

export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  return response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** Contacts take batches, headers, links and single reads; notes take a key that makes a repetition harmless. */
export const ledgerFile = `
name: ledger
displayName: Ledger
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
healthCheck: { path: /me }
errors: { message: [error] }
objects:
  contacts:
    read: { path: /contacts, records: data, paging: { kind: none } }
    get: { path: '/contacts/{{id}}' }
    write:
      callerHeaders: true
      body: { record: { $value: record }, links: { $value: associations } }
      create: { path: /contacts }
      update: { path: '/contacts/{{id}}' }
      delete: { path: '/contacts/{{id}}' }
      batch:
        create:
          path: /contacts/batch
          max: 3
          body: { allOrNone: { $value: allOrNone }, items: { $each: items, $item: { record: { $value: item.record }, links: { $value: item.associations } } } }
          answer: { results: results, data: record, id: record.id, success: { ok: true }, refusals: { list: errors } }
        update:
          path: /contacts/batch
          max: 3
          body: { items: { $each: items, $item: { id: '{{item.id}}', record: { $value: item.record } } } }
          answer: { results: results, data: record, id: record.id, success: { ok: true }, refusals: { list: errors } }
  notes:
    read: { path: /notes, records: data, paging: { kind: none } }
    write:
      headers: { Idempotency-Key: '{{idempotencyKey}}' }
      body: { record: { $value: record } }
      create: { path: /notes }
      update: { path: '/notes/{{id}}' }
  tickets:
    read: { path: /tickets, records: data, paging: { kind: none } }
    write:
      body: { record: { id: '{{id}}', subject: '{{record.subject}}', city: { $value: record.address.city } } }
      create: { path: /tickets }
      update: { path: '/tickets/{{id}}' }
      batch:
        create:
          path: /tickets/batch
          max: 3
          body: { items: { $each: items, $item: { record: { subject: '{{item.record.subject}}' } } } }
          answer: { results: results, data: record, id: record.id, success: { ok: true }, refusals: { list: errors } }
  cases:
    read: { path: /cases, records: data, paging: { kind: none } }
    write:
      body: { record: { $value: record } }
      answer: { refusals: { list: '', matches: "isn't a valid|permission denied" } }
      create: { path: /cases }
      update: { path: '/cases/{{id}}' }
      batch:
        create:
          path: /cases/batch
          max: 3
          body: { items: { $each: items, $item: { record: { $value: item.record } } } }
          answer: { results: results, success: { '': { matches: ^Case } }, refusals: { list: '', matches: "isn't a valid" } }
  memos:
    read: { path: /memos, records: data, paging: { kind: none } }
    write:
      body: { record: { $value: record } }
      create: { path: /memos }
      update: { path: '/memos/{{id}}' }
      batch:
        create:
          path: /memos/batch
          max: 3
          body: { items: { $each: items, $item: { record: { $value: item.record } } } }
          answer: { results: results }
`

export const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: ledger
    read:
      objects:
        - objectName: contacts
          mapToName: people
          destination: hook
          schedule: '0 0 29 2 *'
          requiredFields: [{ fieldName: phone, mapToName: telephone }]
          optionalFieldsAuto: all
    write:
      objects:
        - { objectName: contacts, inheritMapping: true }
        - { objectName: notes }
        - { objectName: tickets }
        - { objectName: cases }
        - { objectName: memos }
        - { objectName: uninstalled }
        - { objectName: strangers }
`

export interface WriteBody {
  operationId: string
  result?: { success: boolean; recordId?: string; data?: Record<string, unknown> }
  results?: { success: boolean; recordId?: string; errors?: { message: string }[] }[]
  successCount?: number
  failureCount?: number
  errors?: { message: string }[]
  warnings?: { message: string }[]
  rawResponse?: string
}

export interface OperationBody {
  id: string
  status: string
  result?: string
  actionType: string
  resource: string
  metadata: { successfulRecordIds?: string[]; objects: string[] }
}

/** The provider, its file in a folder, and a service with the integration deployed. */
export async function startWritingKit(env: Record<string, string> = {}) {
  const ledger = await startLedger()
  const providersDir = await mkdtemp(join(tmpdir(), 'mortise-ledger-'))
  await writeFile(join(providersDir, 'ledger.yaml'), ledgerFile)
  const app: TestApp = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providersDir, ...env } })
  const project = '/projects/default'
  const objects = `/write/v1${project}/integrations/crm/objects`
  let groups = 0
  const ok = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await app.call<T>(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  await ok('PUT', `${project}/integrations:batch`, { sourceYaml: manifest })
  return {
    app,
    ledger,
    providersDir,
    project,
    ok,
    /** Installs for a group of its own; answers the group and the installation. */
    async install(contacts: object = {}, read: object = {}) {
      const groupRef = `group-${++groups}`
      const connection = await ok<{ id: string }>('POST', `${project}/connections:generate?verify=true`, {
        groupRef,
        consumerRef: 'ada',
        provider: 'ledger',
        apiKey: secretKey,
        providerMetadata: { url: ledger.url },
      })
      const content = {
        provider: 'ledger',
        read: { objects: { contacts: { objectName: 'contacts', ...read } } },
        write: { objects: { contacts, notes: {}, tickets: {}, cases: {}, memos: {}, strangers: {} } },
      }
      const installed = await ok<{ id: string }>(
        'POST',
        `${project}/integrations/crm/installations?skipSampling=true`,
        { groupRef, connectionId: connection.id, config: { content } },
      )
      ledger.reset()
      return { groupRef, connectionId: connection.id, installationId: installed.id }
    },
    write: <T = WriteBody>(body: object, object = 'contacts', headers: Record<string, string> = {}, query = '') =>
      app.call<T>('POST', `/${objects}/${encodeURIComponent(object)}${query}`, body, { headers }),
    operation: (id: string) => ok<OperationBody>('GET', `${project}/operations/${id}`),
    logs: async (id: string) => JSON.stringify(await ok('GET', `${project}/operations/${id}/logs?severity=DEBUG`)),
    /** Rows that writes left: none, once all have ended. */
    async left(): Promise<{ runs: number; items: number }> {
      const { rows } = await sql<{ runs: number; items: number }>`
        select (select count(*)::int from write_runs) as runs, (select count(*)::int from write_items) as items`.execute(
        app.db.sql,
      )
      return rows[0]!
    },
    async stop() {
      await app.stop()
      await ledger.close()
      await rm(providersDir, { recursive: true, force: true })
    },
  }
}

export type WritingKit = Awaited<ReturnType<typeof startWritingKit>>
