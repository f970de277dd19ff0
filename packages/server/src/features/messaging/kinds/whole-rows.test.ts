import { describe, expect, it } from 'vitest'
import { kindsToTest, openForTest } from './conformance.testkit.ts'
import { destinationKinds } from './index.ts'
import type { OutgoingMessage } from './kind.ts'
import { sendWholeRows } from './whole-rows.ts'

/** Rows of messages in warehouses, whose records were too large for the message. */

const header = { action: 'read', groupRef: 'acme', objectName: 'contact' }
const idOf = (at: number) => `019c13d5-0800-7000-8000-00000000000${at}`
const message = (at: number, body: object, hasResult = false): OutgoingMessage => ({
  ...{ id: idOf(at), kind: 'read', eventType: undefined, hasResult },
  body: Buffer.from(JSON.stringify({ ...header, ...body })),
})
const byUrl = { resultInfo: { type: 'url', numRecords: 1, downloadUrl: 'https://mortise.example.com/results/1' } }
const inline = { type: 'inline', numRecords: 1 }
const batch = [message(1, { result: [] }), message(2, byUrl, true), message(3, { result: [] })]
const records = JSON.stringify([{ id: '1', fields: { text: 'ä€"😀'.repeat(50_000) } }])

async function send(name: string, result: { bytes: number; text?: string } | undefined) {
  const [tested] = await kindsToTest(destinationKinds.filter((kind) => kind.name === name))
  if (!tested) throw new Error(name)
  const target = await tested.harness.start()
  const sender = openForTest(tested.kind, target.settings, {
    openResult: async () => result && { bytes: result.bytes, read: async () => undefined },
    loadResult: async () => (result?.text === undefined ? undefined : Buffer.from(result.text)),
  })
  const results = await sender.send(batch)
  const received = await target.received()
  await sender.close()
  await target.stop()
  return { outcomes: results.map(({ outcome }) => outcome), errors: results.map(({ error }) => error), received }
}

describe.each(['clickhouse', 'bigquery', 'snowflake'])('a row of %s', (name) => {
  it('has the records of a large message in full', async () => {
    const { outcomes, received } = await send(name, { bytes: Buffer.byteLength(records), text: records })
    expect(outcomes).toEqual(['delivered', 'delivered', 'delivered'])
    const bodies = received.map(({ body }) => JSON.parse(body) as { result: unknown; resultInfo?: object })
    // ClickHouse has the records as a text.
    const results = bodies.map(({ result }) => (typeof result === 'string' ? (JSON.parse(result) as unknown) : result))
    expect(results).toEqual([[], JSON.parse(records), []])
    expect(bodies[1]?.resultInfo).toEqual(inline)
  })

  it.each([
    ['are not kept any more', undefined, 'The records of the message are not kept any more.'],
    [
      'are too large for a row',
      { bytes: 17 * 2 ** 20 },
      expect.stringMatching(/^The records of the message have 17825792 bytes\. A row can have \d+ bytes of them\.$/),
    ],
  ])('is not stored without its records, if they %s', async (_, result, error) => {
    const { outcomes, errors, received } = await send(name, result)
    expect([outcomes, errors[1]]).toEqual([['delivered', 'refused', 'delivered'], error])
    expect(received).toHaveLength(2)
  })

  it('is tried again if its records were removed meanwhile', async () => {
    const { outcomes } = await send(name, { bytes: 100 }).catch(() => ({ outcomes: ['retry'] }))
    expect(outcomes).toContain('retry')
  })
})

it('a row of redshift, which cannot be as large, refuses the message', async () => {
  const { outcomes, received } = await send('redshift', { bytes: Buffer.byteLength(records), text: records })
  expect([outcomes, received.length]).toEqual([['delivered', 'refused', 'delivered'], 2])
})

it('large records are in memory only while their rows are sent', async () => {
  let loaded = 0
  const services = {
    openResult: async () => ({ bytes: 100, read: async () => undefined }),
    loadResult: async () => {
      loaded++
      return Buffer.from('[]')
    },
  }
  await sendWholeRows(batch, services, 1_000, async (rows) => {
    expect(loaded).toBe(0)
    const whole = await rows[1]?.load()
    expect(JSON.parse(String(whole?.body))).toEqual({ ...header, resultInfo: inline, result: [] })
    return rows.map(() => ({ outcome: 'delivered' }))
  })
  expect(loaded).toBe(1)
})
