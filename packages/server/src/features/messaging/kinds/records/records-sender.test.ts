import { afterAll, beforeAll, expect, test } from 'vitest'
import { openForTest, type TestTarget } from '../conformance.testkit.ts'
import type { SenderServices } from '../kind.ts'
import { harness, recordBody } from './conformance.testkit.ts'
import { records } from './index.ts'

let target: TestTarget
let store: SenderServices['storeRecords']
beforeAll(async () => {
  target = await harness.start()
  if (!target.services) throw new Error('the target stores nothing')
  store = target.services.storeRecords
})
afterAll(() => target?.stop())

const installation = '0197b1c0-0000-7000-8000-00000000000f'
const messageBytes = 600_000

test('a large batch is stored in transactions one after the other, and the next is prepared meanwhile', async () => {
  const events: string[] = []
  let begun = 0
  const { send, close } = openForTest(records, target.settings, {
    async storeRecords(changes, options) {
      const number = ++begun
      events.push(`${number} begins with ${changes.length}`)
      const isStored = await store(changes, options)
      events.push(`${number} ends`)
      return isStored
    },
  })
  const body = (at: number) => recordBody(installation, String(at), { text: 'x'.repeat(messageBytes) })
  const batch = Array.from({ length: 5 }, (_, at) => ({
    id: `0197b1c0-0000-7000-8000-${String(at).padStart(12, '0')}`,
    kind: 'read' as const,
    eventType: undefined,
    body: Buffer.from(JSON.stringify(body(at))),
  }))
  expect(await send(batch)).toEqual(batch.map(() => ({ outcome: 'delivered' })))
  await close()
  expect(events).toEqual(['1 begins with 2', '2 begins with 2', '1 ends', '3 begins with 1', '2 ends', '3 ends'])
  expect((await target.received()).map(({ id }) => id)).toEqual(batch.map(({ id }) => id))
})
