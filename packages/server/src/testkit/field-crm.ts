// biome-ignore-start lint/style/noRestrictedImports: a provider of the test's own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestApp, type TestApp } from './test-app.ts'

/**
 * A provider whose records can be searched and filtered, and whose fields can be made; `notes` can do none of it.
 * `companies` and `places` are searched by any field, and ignore those that they do not have.
 */
const file = `name: fieldCrm
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects:
  contacts:
    read:
      path: /contacts
      queryEach: [{ each: filters, name: 'where.{{item.field}}', value: '{{item.value}}' }]
      records: data
    incremental:
      read: { query: { since: '{{since}}' } }
    searchBy: { email: email, stage: stage, phone: phone }
    search:
      method: POST
      path: /contacts/search
      queryEach: null
      body: { where: { $each: filters, $item: { name: '{{item.field}}', is: { $value: item.value } } } }
    fields: [{ source: live, path: /fields, name: name, displayName: label, valueType: [{ is: string }] }]
    makeFields:
      types: { string: { name: text }, int: { name: number } }
      create: { path: /fields, body: { name: '{{field.name}}', label: '{{field.label}}', type: '{{type.name}}' } }
      update: { path: '/fields/{{field.name}}', body: { label: '{{field.label}}' } }
  notes:
    read: { path: /notes, records: data }
  companies:
    read: { path: /companies, records: data }
    search: { queryEach: [{ each: filters, name: '{{item.field}}', value: '{{item.value}}' }], paging: { kind: none } }
    searchFinds: similar
    fields: [{ source: live, path: /companies/fields, name: name, displayName: label, valueType: [{ is: string }] }]
  places:
    read: { path: /companies, records: data }
    search: { queryEach: [{ each: filters, name: '{{item.field}}', value: '{{item.value}}' }], paging: { kind: none } }
    searchFinds: similar
`

export interface SeenRequest {
  method: string
  path: string
  query: Record<string, string>
  body: unknown
}

export interface FieldCrm {
  app: TestApp
  base: string
  /** Requests in their order, without the tries of credentials. */
  seen: SeenRequest[]
  contacts: Record<string, unknown>[]
  fields: Map<string, string>
  /** Answers the next request with this status, or the next one to a path. */
  failNext(status: number, headers?: Record<string, string>, path?: string): void
  connect(groupRef: string): Promise<string>
  /** Deploys an integration that reads contacts and notes; the keys are the contacts object's. */
  deploy(name: string, contacts?: Record<string, unknown>): Promise<void>
  install<T = { id: string }>(
    name: string,
    groupRef: string,
    contacts?: Record<string, unknown>,
  ): Promise<{ status: number; body: T }>
  stop(): Promise<void>
}

export async function startFieldCrm(env: Record<string, string> = {}): Promise<FieldCrm> {
  const providersDir = await mkdtemp(join(tmpdir(), 'field-crm-'))
  await writeFile(join(providersDir, 'fieldCrm.yaml'), file)
  const seen: SeenRequest[] = []
  const contacts: Record<string, unknown>[] = [
    { id: '1', email: 'ada@example.com', stage: 'won', phone: '1' },
    { id: '2', email: 'bob@example.com', stage: 'lead', phone: '2' },
    { id: '3', email: 'cyd@example.com', stage: 'won', phone: '3' },
  ]
  const fields = new Map([['email', 'Email']])
  let failing: { status: number; headers: Record<string, string>; path: string | undefined } | undefined
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://crm')
      const body = await bodyOf(request)
      const asked = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        body,
      }
      seen.push(asked)
      const failure = failing?.path === undefined || failing.path === url.pathname ? failing : undefined
      if (failure) failing = undefined
      const answer = failure ? { message: 'ordered by the test' } : answerTo(asked)
      response.writeHead(failure?.status ?? 200, { 'content-type': 'application/json', ...failure?.headers })
      response.end(JSON.stringify(answer))
    })()
  })
  const having = (wanted: [string, unknown][]) =>
    contacts.filter((contact) => wanted.every(([name, value]) => String(contact[name]) === String(value)))

  function answerTo({ method, path, query, body }: SeenRequest): unknown {
    if (path === '/contacts/search') {
      const { where } = body as { where: { name: string; is: unknown }[] }
      return { data: having(where.map(({ name, is }) => [name, is])) }
    }
    if (path === '/contacts')
      return {
        data: having(
          Object.entries(query).flatMap(([name, value]): [string, unknown][] =>
            name.startsWith('where.') ? [[name.slice(6), value]] : [],
          ),
        ),
      }
    if (path.startsWith('/fields') && method !== 'GET') {
      const { name = path.slice('/fields/'.length), label } = body as { name?: string; label: string }
      fields.set(name, label)
      return { name, label }
    }
    if (path === '/companies') return { data: [{ id: '1', name: 'Acme', address: { city: 'Rome' } }] }
    if (path === '/companies/fields') return ['name', 'phone', 'address'].map((name) => ({ name, label: name }))
    if (path === '/fields') return [...fields].map(([name, label]) => ({ name, label }))
    return { data: [] }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providersDir, ...env } })
  const base = `/projects/${app.projectId}`
  return {
    app,
    base,
    seen,
    contacts,
    fields,
    failNext(status, headers = {}, path) {
      failing = { status, headers, path }
    },
    async connect(groupRef) {
      const account = { provider: 'fieldCrm', apiKey: 'a-key', providerMetadata: { url } }
      const { status, body } = await app.call<{ id: string }>('POST', `${base}/connections:generate`, {
        groupRef,
        consumerRef: 'ada',
        ...account,
      })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.id
    },
    async deploy(name, object = {}) {
      const common = { destination: 'hook', schedule: '0 0 29 2 *' }
      const requiredFields = [{ fieldName: 'email' }, { fieldName: 'phone', mapToName: 'telephone' }]
      const read = {
        objects: [
          {
            objectName: 'contacts',
            mapToName: 'people',
            requiredFields,
            optionalFieldsAuto: 'all',
            ...common,
            ...object,
          },
          { objectName: 'notes', ...common, optionalFieldsAuto: 'all' },
        ],
      }
      const manifest = { specVersion: '1.0.0', integrations: [{ name, provider: 'fieldCrm', read }] }
      const answer = await app.call('PUT', `${base}/integrations:batch`, { sourceYaml: JSON.stringify(manifest) })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    },
    install(name, groupRef, config = {}) {
      const content = { provider: 'fieldCrm', read: { objects: { contacts: config } } }
      return app.call('POST', `${base}/integrations/${name}/installations?skipSampling=true`, {
        groupRef,
        config: { content },
      })
    },
    async stop() {
      await app.stop()
      await new Promise((resolve) => server.close(resolve))
      await rm(providersDir, { recursive: true })
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}
