import type { IntegrationContent } from '@mortise/manifest'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProjectDb } from '../../kernel/db/index.ts'
import { startTestApp, type TestApp } from '../../testkit/test-app.ts'

let app: TestApp
beforeAll(async () => {
  // No worker: the first jobs wait.
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(async () => {
  await app?.stop()
})

/** Returns the waiting resyncs that a worker could start now. */
async function startable(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from mortise_jobs.job where name like '%.resync' and state = 'created' order by name
    for update skip locked`.execute(app.testDatabase.database.system)
  return rows.map(({ name }) => name)
}

/** Makes a change, and the next one. Returns what could start in the middle of the second, and after it. */
async function twice(change: (tx: ProjectDb) => Promise<void>) {
  await app.db.transaction(change)
  const first = await startable()
  const second = await app.db.transaction(async (tx) => {
    await change(tx)
    return startable()
  })
  return { first, second, afterwards: await startable() }
}

const content: IntegrationContent = { name: 'crm', provider: 'hubspot', displayName: 'CRM' }
const object = { objectName: 'contacts', destination: 'events', schedule: '0 * * * *' }

test('resyncs that a deploy finds waiting start after it, with what it changed', async () => {
  const after: IntegrationContent = {
    ...content,
    read: { objects: [object] },
    subscribe: { objects: [{ objectName: 'contacts', destination: 'events' }] },
    watchSchema: { destination: 'events', allObjects: {} },
  }
  const changes = [{ integrationId: '0198c0de-0000-7000-8000-0000000000aa', before: content, after }]
  const { hooks } = app.app.services
  const { first, second, afterwards } = await twice((tx) =>
    hooks.integrationsDeployed(tx, changes, { destructive: false, unchanged: [] }),
  )
  expect(first).toEqual(['reading.resync', 'schema-watching.resync', 'subscribing.resync'])
  expect(second).toEqual([])
  expect(afterwards).toEqual(first)
  await sql`delete from mortise_jobs.job where state = 'created'`.execute(app.testDatabase.database.system)
})

test('a resync that waits when a connection works again starts after that change', async () => {
  const body = { groupRef: 'acme', consumerRef: 'ada', provider: 'hubspot', apiKey: 'key' }
  const answer = await app.call<{ id: string }>('POST', '/projects/default/connections:generate', body)
  const change = { connectionId: answer.body.id, from: 'bad_credentials', to: 'working' } as const
  const { hooks } = app.app.services
  const { first, second, afterwards } = await twice((tx) => hooks.connectionStatusChanged(tx, change))
  expect(first).toEqual(['reading.resync'])
  expect(second).toEqual([])
  expect(afterwards).toEqual(first)
})
