import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  deploy,
  type ReadingKit,
  startReadingKit,
} from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { openStoredRows, type StoredRows } from './stored-rows.testkit.ts'

/**
 * A group or consumer that is deleted is nowhere afterwards: not in what was delivered, what waits, or what was done
 * for it.
 */

interface Stored {
  id: string
}

const groupRef = 'erase-me/№1 "50%"\\:x'
const consumerRef = 'person <to@forget.example> "&"'
const kept = 'keep-me'

let kit: ReadingKit
let rows: StoredRows

beforeAll(async () => {
  kit = await startReadingKit({ contacts: 120 })
  rows = await openStoredRows(kit.app.testDatabase.url)
  const backfill = { defaultPeriod: { fullHistory: true } }
  await deploy(kit.app, 'delivered', { backfill })
  await deploy(kit.app, 'waiting', { backfill, destination: 'nobody-made-this-one' })
  await deploy(kit.app, 'earlier', { backfill })
})
afterAll(async () => {
  await rows?.close()
  await kit?.stop()
})

const call = <T = Stored>(method: string, path: string, body?: unknown) =>
  kit.app.call<T>(method, `/projects/default${path}`, body)

async function created<T = Stored>(path: string, body: unknown): Promise<T> {
  const answer = await call<T>('POST', path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

async function install(group: string, consumer: string, name: string): Promise<Stored> {
  const connection = await created('/connections:generate?verify=true', {
    groupRef: group,
    groupName: `Name of ${group}`,
    consumerRef: consumer,
    provider: 'sampleCrm',
    apiKey: kit.crm.apiKey,
    providerMetadata: { url: kit.crm.url },
  })
  const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: { objectName: 'contacts' } } } } }
  const installation = await created(`/integrations/${name}/installations`, {
    groupRef: group,
    connectionId: connection.id,
    config,
  })
  await kit.until(async () => {
    const { body } = await call<{ results: { status: string }[] }>(
      'GET',
      `/integrations/${name}/installations/${installation.id}/operations`,
    )
    return body.results.length > 0 && body.results.every(({ status }) => status === 'success')
  })
  return installation
}

const count = async (table: string) => {
  const { rows: found } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)}`.execute(kit.app.testDatabase.database.system)
  return found[0]?.count ?? 0
}
const erased = () => kit.until(async () => (await count('erasures')) === 0)

/** Where a text stands in the database, in any spelling. */
async function placesOf(text: string): Promise<string[]> {
  const json = JSON.stringify(text).slice(1, -1)
  const spellings = [text, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(text)]
  const bytes = spellings.map((spelling) => Buffer.from(spelling).toString('latin1'))
  const found = (await rows.dump()).filter((value) => [...spellings, ...bytes].some((one) => value.text.includes(one)))
  return [...new Set(found.map(({ table, column }) => `${table}.${column}`))].toSorted()
}

it('a group is erased with all that was read, delivered and done for it', async () => {
  const earlier = await install(groupRef, consumerRef, 'earlier')
  expect((await call('DELETE', `/integrations/earlier/installations/${earlier.id}`)).status).toBe(204)
  await install(groupRef, consumerRef, 'delivered')
  await install(groupRef, consumerRef, 'waiting')
  await install(kept, kept, 'delivered')
  await kit.until(async () => {
    const { rows: found } = await sql`
      select from messages where state = 'pending' and destination_name = 'hook' limit 1`.execute(
      kit.app.testDatabase.database.system,
    )
    return found.length === 0
  })
  const before = await placesOf(groupRef)
  expect(before).toContain('mortise.messages.payload')
  expect(before).toContain('mortise.groups.group_ref')
  const keptBefore = (await rows.dump()).filter(({ text }) => text.includes(kept)).length

  expect((await call('DELETE', `/groups/${encodeURIComponent(groupRef)}`)).status).toBe(204)
  await erased()
  expect(await placesOf(groupRef)).toEqual([])
  expect((await rows.dump()).filter(({ text }) => text.includes(kept))).toHaveLength(keptBefore)
  // Attempts and operations hold no ref: those that are left are of what is left.
  const orphans = await sql`
    select from attempts a where not exists (select from messages m where m.id = a.message_id)
    union all select from operation_logs l where not exists (select from operations o where o.id = l.operation_id)
    union all select from operations o where not exists (select from installations i where i.id = o.installation_id)
      and o.integration_id <> (select id from integrations where name = 'earlier')`.execute(
    kit.app.testDatabase.database.system,
  )
  expect(orphans.rows).toHaveLength(0)
})

it('a consumer is erased in whatever group, and what tells of it is delivered', async () => {
  await install('a-group', consumerRef, 'delivered')
  const topic = await created('/topics', { name: 'deletions' })
  const { body: destinations } = await call<Stored[]>('GET', '/destinations')
  await created('/topic-destination-routes', { topicId: topic.id, destinationId: destinations[0]?.id })
  for (const eventType of ['installation.deleted', 'connection.deleted'])
    await created('/notification-event-topic-routes', { topicId: topic.id, eventType })

  // As when the person changed an installation of somebody else in a group that they share.
  const { system } = kit.app.testDatabase.database
  await sql`update configs c set created_by = ${`consumer:${consumerRef}`} from installations i
    where i.config_id = c.id and i.group_ref = ${kept}`.execute(system)

  expect((await call('DELETE', `/consumers/${encodeURIComponent(consumerRef)}`)).status).toBe(204)
  await erased()
  const told = await kit.until(async () => {
    const bodies = kit.receiver.bodies as { notificationType?: string }[]
    const types = bodies.flatMap(({ notificationType }) => notificationType ?? [])
    return types.length >= 2 && types
  })
  expect(told.toSorted()).toEqual(['connection.deleted', 'installation.deleted'])
  // These two stay with the messages, as long as messages are kept.
  expect(await placesOf(consumerRef)).toEqual(['mortise.messages.payload'])
  expect(await count('messages')).toBeGreaterThan(2)
  const authors = await sql`select distinct created_by from configs`.execute(system)
  expect(authors.rows).toEqual([{ created_by: 'consumer:deleted' }])
})
