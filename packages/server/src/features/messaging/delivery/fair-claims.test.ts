import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { claimMessages, postMessages } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

/** Which messages of a destination are claimed first when many wait. */

let rig: DeliveryRig
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterAll(() => rig?.app.stop())

const destination = () => rig.create('http://127.0.0.1:9999/')
const post = (destinationName: string, count: number, installationId: string, name: string) =>
  rig.app.db.transaction((tx) =>
    postMessages(
      tx,
      rig.app.app.services,
      Array.from({ length: count }, () => ({
        destinationName,
        kind: 'read' as const,
        payload: Buffer.from(JSON.stringify(name)),
        installationId,
      })),
    ),
  )
async function claim(destinationId: string, limit = 100, bytesMax = 2 ** 20): Promise<string[]> {
  const claimed = await claimMessages(rig.app.db, { destinationId, token: newId(), limit, bytesMax, leaseSeconds: 15 })
  return claimed.map(({ payload }) => JSON.parse(payload.toString()) as string)
}
const count = (names: readonly string[], wanted: string) => names.filter((name) => name === wanted).length

it('an installation with many messages does not delay those of others', async () => {
  const { id, name } = await destination()
  await post(name, 2_000, newId(), 'crowd')
  await post(name, 3, newId(), 'other')
  const first = await claim(id)
  expect([first.length, count(first, 'other')]).toEqual([100, 3])
})

it('two installations with many messages get equal shares', async () => {
  const { id, name } = await destination()
  await post(name, 1_000, newId(), 'one')
  await post(name, 1_000, newId(), 'two')
  const first = await claim(id)
  // The second one was posted a moment later.
  expect(count(first, 'two')).toBeGreaterThan(30)
  expect(first).toHaveLength(100)
})

it('messages above the rate of an installation are not delayed while nothing else waits', async () => {
  const { id, name } = await destination()
  await post(name, 150, newId(), 'crowd')
  expect([await claim(id), await claim(id), await claim(id)].map(({ length }) => length)).toEqual([100, 50, 0])
})

it('new messages and those that are tried again get half of a claim each', async () => {
  const { id, name } = await destination()
  await post(name, 300, newId(), 'again')
  await sql`update messages set attempt = 1, next_attempt_at = now() - interval '1 hour' where destination_id = ${id}`.execute(
    rig.app.db.sql,
  )
  await post(name, 60, newId(), 'new')
  const first = await claim(id)
  expect([count(first, 'again'), count(first, 'new')]).toEqual([50, 50])
  const second = await claim(id)
  expect([count(second, 'again'), count(second, 'new')]).toEqual([90, 10])
})

it('a claim ends after the message that exceeds its bytes', async () => {
  const { id, name } = await destination()
  await post(name, 20, newId(), 'x'.repeat(98))
  expect(await claim(id, 100, 450)).toHaveLength(5)
  expect(await claim(id, 3)).toHaveLength(3)
})

it('messages that a node of the release before inserted are ordered by the time of their creation', async () => {
  const { id, name } = await destination()
  await post(name, 200, newId(), 'crowd')
  await sql`insert into messages (project_id, id, destination_id, destination_name, kind, payload, payload_bytes, has_result)
    values (${rig.app.projectId}, ${newId()}, ${id}, ${name}, 'read', ${Buffer.from('"before"')}, 8, false)`.execute(
    rig.app.db.sql,
  )
  expect(count(await claim(id), 'before')).toBe(1)
})

it('a claim reads as much of the database with 20,000 waiting messages as with 1,000', async () => {
  const { id, name } = await destination()
  const other = await destination()
  const buffers = async () => {
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
      explain (analyze, buffers, format json)
      select from claim_due_messages(${rig.app.projectId}, ${id}, ${newId()}, 100, ${2 ** 20}, interval '15 s')`.execute(
      rig.app.db.sql,
    )
    const { Plan: plan } = rows[0]?.['QUERY PLAN'][0] ?? { Plan: {} }
    return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
  }
  await post(name, 1_000, newId(), 'few')
  const few = await buffers()
  for (let part = 0; part < 4; part++) {
    await post(name, 5_000, newId(), 'many')
    await post(other.name, 1_000, newId(), 'elsewhere')
  }
  const many = await buffers()
  expect(few).toBeGreaterThan(100)
  // 100 messages stay leased at the head of the index: the second claim steps over them.
  expect(many).toBeLessThan(2 * few)
})
