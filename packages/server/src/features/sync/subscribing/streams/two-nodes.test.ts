import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestNode, type TestApp } from '../../../../testkit/test-app.ts'
import { contacts, type StreamsKit, startStreamsKit } from './streams.testkit.ts'

/** Nodes that share the streams of an API that follows none. */

let kit: StreamsKit
let installed: { id: string; integration: string }
const nodes = new Set<TestApp>()

beforeAll(async () => {
  kit = await startStreamsKit({ MORTISE_ROLES: 'api' })
  await startNode()
  await startNode()
  installed = await kit.installStream([contacts])
})
afterAll(async () => {
  await Promise.all([...nodes].map((node) => node.stop()))
  await kit?.stop()
})

async function startNode(): Promise<void> {
  nodes.add(await startTestNode(kit.app, { MORTISE_PROVIDERS_DIR: kit.providersDir, MORTISE_ROLES: 'worker' }))
}

let published = 0
/** Publishes changes of new records. Returns their ids. */
function publish(count: number): string[] {
  const ids = Array.from({ length: count }, () => `${++published}`.padStart(3, '0'))
  kit.server.publish(kit.contactsTopic, ...ids.map((one) => ({ ids: [one], type: 'DELETE' })))
  return ids
}
const arrived = () => kit.entries(installed.id).map((entry) => String(entry['id']))

it('a node that stops hands its stream over, and no event is lost or repeated', async () => {
  const before = publish(40)
  await kit.until(() => arrived().length >= before.length)
  const begun = kit.server.begun.length
  // One of the two has the stream. Each stops in the middle of events, after another one has started.
  for (const node of [...nodes]) {
    publish(30)
    const stopping = node.stop()
    publish(30)
    await stopping
    nodes.delete(node)
    await startNode()
    publish(30)
  }
  await kit.until(() => arrived().length >= published)
  expect(arrived().toSorted()).toEqual(Array.from({ length: published }, (_, at) => `${at + 1}`.padStart(3, '0')))
  expect(kit.server.begun.length).toBeGreaterThan(begun)
  await kit.until(() => kit.server.calls.length === 1)
})

it('a node that loses its lease stores nothing more, and the other one continues without a gap', async () => {
  await kit.until(() => kit.server.calls.length === 1)
  const begun = kit.server.begun.length
  const former = publish(10)
  await kit.until(() => arrived().includes(former.at(-1) ?? ''))
  // As if another node had claimed the row and died since.
  await sql`update streams set fence = gen_random_uuid(), lease_until = now() - interval '1 second'
    where installation_id = ${installed.id}`.execute(kit.app.db.sql)
  publish(50)
  await kit.until(() => kit.server.begun.length > begun)
  publish(50)
  await kit.until(() => arrived().length >= published)
  expect(arrived().toSorted()).toEqual(Array.from({ length: published }, (_, at) => `${at + 1}`.padStart(3, '0')))
  await kit.until(() => kit.server.calls.length === 1)
})
