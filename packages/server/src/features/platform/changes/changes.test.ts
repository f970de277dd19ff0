import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { startInstallationKit } from '../../../testkit/installation-kit.ts'
import { type EventReader, readEvents } from '../../../testkit/read-events.ts'
import { createChangePublisher } from './change-publisher.ts'
import type { Change } from './model.ts'
import { PendingChanges } from './pending-changes.ts'
import { publishCounted } from './publish-counted.ts'
import { changesTopic } from './topic.ts'

/** Milliseconds, for a busy machine. */
const patience = 20_000
let kit: Awaited<ReturnType<typeof startInstallationKit>>
const open: EventReader<Change>[] = []
beforeAll(async () => {
  kit = await startInstallationKit()
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.close()))
})
afterAll(() => kit?.stop())

async function follow() {
  const stream = await readEvents<Change>(`${kit.app.url}/v1/projects/default/changes:stream`, {
    'x-api-key': kit.app.apiKey,
  })
  open.push(stream)
  expect(stream.status).toBe(200)
  await stream.until(({ length }) => length > 0)
  expect(stream.events[0]).toEqual({ id: expect.any(String), event: 'change', data: { kind: 'all' } })
  const topic = changesTopic(kit.app.projectId)
  await vi.waitFor(async () => {
    const { rows } = await sql`select from watches where topic = ${topic.channel} and until > now()`.execute(
      kit.app.app.services.database.system,
    )
    expect(rows.length).toBeGreaterThan(0)
  }, patience)
  return stream
}
const has = (stream: EventReader<Change>, wanted: Partial<Change>) =>
  stream.until((events) =>
    events.some(({ data }) => Object.entries(wanted).every(([name, value]) => data[name as keyof Change] === value)),
  )

describe('a stream of changes', () => {
  it('names what was created, changed and deleted, without its content', async () => {
    const stream = await follow()
    const groupRef = 'followed'
    const connectionId = await kit.connect(groupRef)
    await has(stream, { kind: 'connection', id: connectionId, groupRef })
    const objects = { contacts: { objectName: 'contacts', destination: 'hook' } }
    const { body } = await kit.create(groupRef, objects, { connectionId }, '?skipSampling=true')
    await has(stream, { kind: 'installation', id: body.id, groupRef })
    const destination = { name: 'hook', type: 'webhook', metadata: { url: 'https://secret.example/hook' } }
    const made = await kit.app.call<{ id: string }>('POST', `${kit.base}/destinations`, destination)
    await has(stream, { kind: 'destination', id: made.body.id })
    await kit.deploy(
      'specVersion: 1.0.0\nintegrations: [{ name: other, provider: sampleCrm, proxy: { enabled: true } }]',
    )
    await has(stream, { kind: 'integration' })
    const seen = stream.events.length
    await kit.app.call('DELETE', `${kit.path()}/${body.id}`)
    await stream.until((events) =>
      events.slice(seen).some(({ data }) => data.kind === 'installation' && data.id === body.id),
    )
    const names = new Set(stream.events.flatMap(({ data }) => Object.keys(data)))
    expect([...names].toSorted()).toEqual(['groupRef', 'id', 'kind'])
  })

  it('tells of operations and messages that any process counted', async () => {
    const stream = await follow()
    const { services } = kit.app.app
    const installationId = newId()
    // Of another process.
    const changes = createChangePublisher(services)
    const of = { projectId: kit.app.projectId, installationId, objectName: 'contacts' }
    publishCounted(changes, of, { reads: 1 })
    publishCounted(changes, of, { messagesPosted: 2 })
    await changes.stop()
    await has(stream, { kind: 'operation', installationId })
    await has(stream, { kind: 'message', installationId })
    // What is counted here is published here.
    services.counts.add({ ...of, installationId: 'counted-here' }, { deliveries: 1 })
    await has(stream, { kind: 'message', installationId: 'counted-here' })
  })

  it('sends one event for many changes of a kind', async () => {
    const stream = await follow()
    const changes = createChangePublisher(kit.app.app.services)
    for (let number = 0; number < 1_000; number++)
      changes.add(kit.app.projectId, { kind: 'operation', installationId: newId() })
    await changes.stop()
    await has(stream, { kind: 'operation' })
    expect(stream.events.filter(({ data }) => data.kind === 'operation').map(({ data }) => data)).toEqual([
      { kind: 'operation' },
    ])
  })

  it('is not published while nobody follows', async () => {
    const system = kit.app.app.services.database.system
    await sql`delete from watches`.execute(system)
    const received: string[] = []
    const topic = changesTopic(kit.app.projectId)
    const subscription = kit.app.app.services.pubsub.subscribe(
      { ...topic, isOnDemand: false },
      { receive: ({ kind }) => void received.push(kind), missed: () => {} },
    )
    await subscription.ready
    await kit.connect('not-followed')
    const changes = createChangePublisher(kit.app.app.services)
    changes.add(kit.app.projectId, { kind: 'operation' })
    await changes.stop()
    // Notifications arrive in order, so nothing came before this one.
    await sql`select pg_notify(${topic.channel}, '{"kind":"message"}')`.execute(system)
    await vi.waitFor(() => expect(received).toEqual(['message']), patience)
    subscription.end()
  })

  it('of which a project has many is refused', async () => {
    const topic = changesTopic(kit.app.projectId)
    const ends = Array.from({ length: 20 }, () =>
      kit.app.app.services.pubsub.subscribe(topic, { receive: () => {}, missed: () => {} }),
    )
    expect((await kit.app.call('GET', '/projects/default/changes:stream')).status).toBe(429)
    for (const subscription of ends) subscription.end()
  })
})

it('changes that wait are bounded', () => {
  const pending = new PendingChanges()
  for (let number = 0; number < 10; number++) pending.add({ kind: 'connection', id: `${number}` })
  pending.add({ kind: 'installation', id: 'one', groupRef: 'a' })
  pending.add({ kind: 'installation', id: 'one', groupRef: 'a' })
  expect(pending.take()).toEqual([{ kind: 'installation', id: 'one', groupRef: 'a' }, { kind: 'connection' }])
  expect(pending.isEmpty).toBe(true)
  pending.add({ kind: 'message' })
  pending.add({ kind: 'all' })
  pending.add({ kind: 'connection', id: 'x' })
  expect(pending.take()).toEqual([{ kind: 'all' }])
})
