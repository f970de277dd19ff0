import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { enqueueDueChecks } from './claim-due.ts'
import type { SchemaWatch } from './model.ts'

/**
 * A provider whose fields a test changes: one object that lists all of its fields, one whose custom fields may be
 * refused, a sampled one.
 */
const providerFile = `
name: shifty
displayName: Shifty
baseUrl: '{{url}}'
inputs:
  - { name: url, displayName: Address, kind: url }
authentication:
  - { scheme: apiKey, attach: header, name: X-Api-Key }
healthCheck: { path: /me }
objects:
  things:
    read: { path: /things, records: data }
    fields:
      - { source: live, path: /fields, records: fields, name: name, displayName: label, providerType: type, valueType: [{ when: { type: text }, is: string }] }
  notes:
    read: { path: /notes, records: data }
    fields:
      - { source: static, fields: { id: string, title: string } }
      - { source: live, optional: true, path: /custom, records: fields, name: name, displayName: label }
  rows:
    read: { path: /rows, records: data }
`

type Field = { name: string; label: string; type?: string }

export interface Provider {
  url: string
  fields: unknown
  custom: Field[]
  rows: object[]
  /** Status by path, of answers that are no 200. */
  failing: Map<string, { status: number; headers?: Record<string, string> }>
}

export interface WatchingKit {
  app: TestApp
  receiver: WebhookReceiver
  provider: Provider
  deploy(name: string, watchSchema: object | undefined, objects?: string[]): Promise<void>
  install(name: string, objects?: string[]): Promise<string>
  /** One more node on the same database, with the same clock and providers. */
  node(): Promise<TestApp>
  /** Has every watch of an installation looked at, and waits until that has ended. */
  look(installationId: string): Promise<void>
  /** Waits for the first look. */
  settled(installationId: string): Promise<void>
  watches(name: string, installationId: string): Promise<SchemaWatch[]>
  /** Messages about schemas of an installation, oldest first. */
  messages(installationId: string): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

async function startProvider(): Promise<Provider & { close(): void }> {
  const provider: Provider = { url: '', fields: [], custom: [], rows: [], failing: new Map() }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider')
    const failure = provider.failing.get(pathname)
    const bodies: Record<string, unknown> = {
      '/me': {},
      '/fields': { fields: provider.fields },
      '/custom': { fields: provider.custom },
      '/rows': { data: provider.rows },
      '/things': { data: [] },
      '/notes': { data: [] },
    }
    response.writeHead(failure?.status ?? 200, { 'content-type': 'application/json', ...failure?.headers })
    response.end(JSON.stringify(failure ? {} : bodies[pathname]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(provider, {
    close() {
      server.close()
      server.closeAllConnections()
    },
  })
}

const allFields = { selectedFieldsAuto: 'all' }

export async function startWatchingKit(): Promise<WatchingKit> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-shifty-'))
  await writeFile(join(folder, 'shifty.yaml'), providerFile)
  const app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: folder } })
  const receiver = await startWebhookReceiver({ storeBodies: true })
  const provider = await startProvider()
  const ok = async <T>(method: string, path: string, body: unknown): Promise<T> => {
    const answer = await app.call<T>(method, `/projects/default${path}`, body)
    if (answer.status > 299) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await ok('POST', '/destinations', { name: 'hook', type: 'webhook', metadata: { url: receiver.url } })
  let groups = 0
  const fences = async (installationId: string) => {
    const { rows } = await sql<{ open: number; seen: Date | null }>`
      select count(*) filter (where fence is not null or (check_time is null and last_error is null))::int as open
        from schema_watches where project_id = ${app.projectId} and installation_id = ${installationId}`.execute(
      app.db.sql,
    )
    return rows[0]?.open ?? 0
  }
  const kit: WatchingKit = {
    app,
    receiver,
    provider,
    async deploy(name, watchSchema, objects = ['things']) {
      const read = {
        objects: objects.map((objectName) => ({
          objectName,
          destination: 'hook',
          schedule: '0 0 29 2 *',
          optionalFieldsAuto: 'all',
          ...(objectName === 'things' && { mapToName: 'items' }),
        })),
      }
      const integration = { name, provider: 'shifty', read, ...(watchSchema && { watchSchema }) }
      const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations: [integration] })
      await ok('PUT', '/integrations:batch?destructive=true', { sourceYaml })
    },
    async install(name, objects = ['things']) {
      const groupRef = `group-${++groups}`
      await ok('POST', '/connections:generate?verify=true', {
        groupRef,
        consumerRef: 'person',
        provider: 'shifty',
        apiKey: 'a-key',
        providerMetadata: { url: provider.url },
      })
      const config = {
        content: {
          provider: 'shifty',
          read: { objects: Object.fromEntries(objects.map((object) => [object, allFields])) },
        },
      }
      const path = `/integrations/${name}/installations?skipSampling=true`
      const { id } = await ok<{ id: string }>('POST', path, { groupRef, config })
      return id
    },
    async node() {
      const node = await startTestNode(app, { MORTISE_PROVIDERS_DIR: folder })
      node.clock.set(app.clock.now())
      return node
    },
    async settled(installationId) {
      const givenUpAt = Date.now() + 60_000
      while ((await fences(installationId)) > 0) {
        if (Date.now() > givenUpAt) throw new Error('the look did not end in time')
        await enqueueDueChecks(app.app.services)
        await sql`select pg_sleep(0.02)`.execute(app.db.sql)
      }
    },
    async look(installationId) {
      await kit.settled(installationId)
      // What a provider said is kept for half a minute.
      app.clock.advance(60_000)
      await sql`update schema_watches set next_check_at = ${app.clock.now()}, check_time = null, last_error = null
                 where project_id = ${app.projectId} and installation_id = ${installationId}`.execute(app.db.sql)
      await kit.settled(installationId)
    },
    watches: (name, installationId) =>
      ok<SchemaWatch[]>('GET', `/integrations/${name}/installations/${installationId}/schema-watches`, undefined),
    async messages(installationId) {
      const { rows } = await sql<{ payload: Buffer }>`
        select payload from messages where project_id = ${app.projectId} and kind = 'schema.watch'
           and installation_id = ${installationId} order by id`.execute(app.db.sql)
      return rows.map(({ payload }) => JSON.parse(payload.toString()))
    },
    async stop() {
      await app.stop()
      provider.close()
      await Promise.all([receiver.close(), rm(folder, { recursive: true, force: true })])
    },
  }
  return kit
}

/** All kinds of change, hourly. */
export const watchAll = {
  destination: 'hook',
  schedule: '0 * * * *',
  allObjects: {
    fieldCreated: { enabled: 'always' },
    fieldDeleted: { enabled: 'always' },
    fieldChanged: { enabled: 'always' },
  },
}
