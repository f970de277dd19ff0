import { afterEach, describe, expect, it } from 'vitest'
import type { OutgoingMessage } from '../kind.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { message0, outcomes, record, startRecords } from './kafka-records.testkit.ts'

/** What happens to the records of a message when some of them, a partition or a broker fail. */

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
const start = async (options: Parameters<typeof startRecords>[0] = {}) => {
  const started = await startRecords(options)
  closing.push(started.stop)
  return started
}

/** A record that fills half of what is sent together. */
const filler = (id: string) => record(id, { fields: { text: 'x'.repeat(2 ** 18) } })

describe('a record that is refused', () => {
  it('for its size or content leaves the others of its message', async () => {
    const { send, ids } = await start({ batchBytesMax: 60_000 })
    const message = recordMessages()
    const entries = Array.from({ length: 40 }, (_, at) => record(String(at), { fields: { text: 'x'.repeat(2_000) } }))
    const large = record('large', { fields: { text: 'x'.repeat(61_000) } })
    const invalid = record('invalid')
    const batch = [message([...entries, large, invalid]), message([record('1')])]
    const [first, second] = await send(batch)
    expect(first).toMatchObject({
      outcome: 'delivered',
      rejected: [
        { entries: [40], outcome: 'refused', error: expect.stringContaining('messages of this size (error 10)') },
        {
          entries: [41],
          outcome: 'refused',
          error: expect.stringContaining('does not accept this message (error 87)'),
        },
      ],
    })
    expect(first?.error).toBeUndefined()
    expect(second).not.toHaveProperty('rejected')
    expect(new Set(ids()).size).toBe(41)
    expect(ids()).toHaveLength(41)
  })

  it('by a policy is tried again apart from the others', async () => {
    const { send, ids } = await start()
    const [result] = await send([recordMessages()([record('1'), record('bad'), record('2')])])
    expect(result).toMatchObject({ outcome: 'delivered', rejected: [{ entries: [1], outcome: 'retry' }] })
    expect(ids()).toHaveLength(2)
  })

  it('with all others of its message is not separated from it', async () => {
    const { send } = await start()
    const message = recordMessages()
    const [refused, later] = await send([
      message([record('invalid', { n: 1 }), record('invalid', { n: 2 })]),
      message([record('invalid'), record('bad')]),
    ])
    expect(refused).toMatchObject({ outcome: 'refused', error: expect.stringContaining('error 87') })
    expect(later).toMatchObject({ outcome: 'retry' })
    for (const one of [refused, later]) expect(one).not.toHaveProperty('rejected')
  })

  it('costs few requests among a thousand', async () => {
    const { send, requests } = await start({ partitions: 1 })
    const entries = Array.from({ length: 1_000 }, (_, at) => record(at === 500 ? 'invalid' : String(at)))
    expect(await send([recordMessages()(entries)])).toMatchObject([
      { outcome: 'delivered', rejected: [{ entries: [500], outcome: 'refused' }] },
    ])
    expect(requests()).toBeLessThan(30)
  })
})

describe('a partition that fails', () => {
  it('fails the messages that have a record in it as a whole, and no others', async () => {
    const { send, behave, records } = await start({ partitions: 2 })
    const message = recordMessages()
    const of = await keysByPartition(2)
    behave('refuses a partition once')
    const batch = [
      message([record(of[1]?.[0] ?? ''), record(of[0]?.[0] ?? '')]),
      message([record(of[1]?.[1] ?? '')]),
      message([record(of[0]?.[1] ?? '')]),
    ]
    const results = await send(batch)
    expect(outcomes(results)).toEqual(['retry', 'delivered', 'retry'])
    expect(results[0]?.error).toContain('not permit this user to write to the topic')
    behave('accept')
    expect(outcomes(await send([batch[0], batch[2]] as OutgoingMessage[]))).toEqual(['delivered', 'delivered'])
    expect(new Set(records().map(({ headers }) => headers['id']))).toEqual(
      new Set([`${batch[0]?.id}:0`, `${batch[0]?.id}:1`, `${batch[1]?.id}:0`, `${batch[2]?.id}:0`]),
    )
  })

  it('gets nothing later in the same attempt, although it works again', async () => {
    const { send, behave, records } = await start({ partitions: 2 })
    const [zero = [], one = []] = await keysByPartition(2)
    const message = recordMessages()
    behave('refuses a partition once')
    const batch = [
      message([record(zero[0] ?? '')]),
      ...Array.from({ length: 20 }, () => message([filler(one[0] ?? '')])),
      message([record(zero[0] ?? ''), record(one[1] ?? '')]),
      message([record(one[1] ?? '')]),
      message([record(zero[1] ?? '')]),
    ]
    const results = outcomes(await send(batch))
    expect(results).toEqual(['retry', ...Array(20).fill('delivered'), 'retry', 'retry', 'retry'])
    // What is left of a message that is tried again waits with it.
    for (const id of [zero[0], zero[1], one[1]])
      expect(records().filter(({ key }) => key.endsWith(`:${id}`))).toEqual([])
  })
})

/** Ids of records in each partition. */
async function keysByPartition(partitions: number): Promise<string[][]> {
  const { send, records } = await start({ partitions })
  await send([recordMessages()(Array.from({ length: 40 }, (_, at) => record(`id-${at}`)))])
  const found: string[][] = Array.from({ length: partitions }, () => [])
  for (const { key, partition } of records()) found[partition]?.push(key.split(':').at(-1) ?? '')
  return found
}

describe('a broker', () => {
  it('that loses its answer stores each record once', async () => {
    const { send, behave, ids } = await start()
    behave('loses its first answer')
    const message = recordMessages()
    const batch = [0, 1, 2].map(() => message(Array.from({ length: 20 }, (_, at) => record(String(at)))))
    expect(outcomes(await send(batch))).toEqual(['delivered', 'delivered', 'delivered'])
    expect(ids()).toHaveLength(60)
    expect(new Set(ids()).size).toBe(60)
  })

  it('that stops in the middle leaves what it confirmed, and the rest is tried again', async () => {
    const { send, behave, ids } = await start()
    behave('hangs up after its first answer')
    const message = recordMessages()
    const batch = Array.from({ length: 30 }, (_, at) => message([filler(`${at}`)]))
    const results = outcomes(await send(batch))
    const delivered = results.filter((outcome) => outcome === 'delivered').length
    expect(delivered).toBeGreaterThan(0)
    expect(results.slice(delivered)).toEqual(Array(30 - delivered).fill('retry'))
    expect(ids()).toHaveLength(delivered)
    behave('accept')
    expect(outcomes(await send(batch.slice(delivered)))).toEqual(Array(30 - delivered).fill('delivered'))
    expect(new Set(ids())).toEqual(new Set(batch.map(({ id }) => `${id}:0`)))
  })

  it('that hangs in the middle leaves what it confirmed, and the rest is tried again', async () => {
    const { send, behave, ids } = await start()
    behave('hangs after its first answer')
    const message = recordMessages()
    const batch = Array.from({ length: 30 }, (_, at) => message([filler(`${at}`)]))
    const results = await send(batch, { timeoutMs: 2_000 })
    const delivered = ids().length
    expect(delivered).toBeGreaterThan(0)
    expect(outcomes(results)).toEqual([...Array(delivered).fill('delivered'), ...Array(30 - delivered).fill('retry')])
    expect(results.at(-1)?.error).toBe('The message was not sent in time.')
  })

  it('that stored what it did not confirm stores what comes next', async () => {
    const { send, behave, ids } = await start({ partitions: 1 })
    const [first, second] = [message0, { ...message0, id: message0.id.replace('abc', 'abd') }].map((of) => ({
      ...recordMessages()([record('1'), record('2')]),
      ...of,
    }))
    behave('loses answers')
    expect(outcomes(await send([first as OutgoingMessage]))).toEqual(['retry'])
    behave('accept')
    expect(outcomes(await send([second as OutgoingMessage]))).toEqual(['delivered'])
    expect(ids()).toEqual([first, second].flatMap((of) => [`${of?.id}:0`, `${of?.id}:1`]))
  })

  it('that hangs fails all messages at the deadline', async () => {
    const { send, behave } = await start()
    await send([recordMessages()([record('1')])])
    behave('hang')
    const results = await send([recordMessages()([record('1')])], { timeoutMs: 200 })
    expect(results).toMatchObject([{ outcome: 'retry', error: expect.stringContaining('did not answer in time') }])
  })
})
