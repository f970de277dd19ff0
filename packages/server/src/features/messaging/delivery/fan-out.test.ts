import type { Answer } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { firstIdAt } from '../../../kernel/db/index.ts'
import { readEvents } from '../../../testkit/read-events.ts'
import { messagesTopic, postMessagesWith, replay } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'
import { receivingDestinations } from './testing/receiving-destinations.ts'
import { statementsOf } from './testing/statements-of.ts'

let rig: DeliveryRig
const receiving = receivingDestinations(() => rig)
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterEach(() => receiving.close())
afterAll(() => rig?.app.stop())

interface Problem {
  issues: { name: string; detail: string }[]
}

const path = '/projects/default/destinations'

/** A webhook. */
const member = receiving.create

let made = 0
async function fanOut(destinations: unknown, name = `all-${made++}`) {
  const { status, body } = await rig.app.call<{ id: string }>('POST', path, {
    name,
    type: 'fan-out',
    metadata: { destinations },
  })
  expect([status, body]).toEqual([201, expect.objectContaining({ metadata: { destinations: expect.any(Array) } })])
  return { id: body.id, name }
}
const refused = async (destinations: unknown, name = 'refused') => {
  const { status, body } = await rig.app.call<Problem>('POST', path, {
    name,
    type: 'fan-out',
    metadata: { destinations },
  })
  return [status, body.issues.map(({ name, detail }) => `${name}: ${detail}`)]
}
const update = (name: string, updateMask: string[], destination: object) =>
  rig.app.call<Problem>('PATCH', `${path}/${name}`, { updateMask, destination })
const send = (name: string, n: number) =>
  postMessagesWith(rig.app.db, rig.app.app.services, sql`select 1`, {
    destinationName: name,
    messages: [{ destinationName: name, kind: 'read', payload: Buffer.from(JSON.stringify({ n })) }],
  })
const pending = (name: string) =>
  rig.messages(name).then((rows) => rows.filter(({ state }) => state === 'pending').length)

describe('a message to a fan-out', () => {
  it('is stored once for each destination, under their names, in the order of posting', async () => {
    const [one, two] = [await member(), await member()]
    const { name } = await fanOut([one.name, two.name])
    await rig.post(name, { n: 1 }, { n: 2 })
    await send(name, 3)
    expect(await rig.messages(name)).toEqual([])
    for (const { id, name, receiver } of [one, two]) {
      expect(await rig.messages(name)).toMatchObject([
        { destinationId: id, state: 'pending' },
        { destinationId: id },
        { destinationId: id },
      ])
      await rig.deliver(id)
      expect(receiver.bodies).toHaveLength(3)
      expect(receiver.counters()).toMatchObject({ verified: 3 })
    }
    const ids = (await Promise.all([one, two].map(({ name }) => rig.messages(name)))).flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(6)
  })

  it('enqueues a delivery for each destination that is open', async () => {
    const [one, two, off] = [await member(), await member(), await member()]
    await rig.app.call('POST', `${path}/${off.name}:disable`)
    const { name } = await fanOut([one.name, two.name, off.name])
    await rig.post(name, { n: 1 })
    await send(name, 2)
    const { rows } = await sql<{ key: string; count: number }>`
      select singleton_key as key, count(*)::int from mortise_jobs.job
       where singleton_key = any(${[one.id, two.id, off.id]}) group by 1`.execute(rig.app.app.services.database.system)
    expect(rows.map(({ key }) => key).sort()).toEqual([one.id, two.id].sort())
    expect(await pending(off.name)).toBe(2)
  })

  it('waits for no destination that hangs or fails, and each has separate retries', async () => {
    const release = Promise.withResolvers<Answer>()
    const [hangs, fails, works] = [
      await member(() => release.promise),
      await member(() => ({ status: 500 })),
      await member(),
    ]
    const { name } = await fanOut([hangs.name, fails.name, works.name])
    await rig.post(name, { n: 1 })
    const hanging = rig.deliver(hangs.id)
    await vi.waitFor(() => expect(hangs.receiver.counters().requests).toBe(1))
    await rig.deliver(fails.id)
    await rig.deliver(works.id)
    expect(await rig.messages(works.name)).toMatchObject([{ state: 'delivered', attempt: 1 }])
    expect(await rig.messages(fails.name)).toMatchObject([{ state: 'pending', attempt: 1 }])
    expect(await rig.messages(hangs.name)).toMatchObject([{ state: 'pending', attempt: 0, leased: true }])
    release.resolve({ status: 204 })
    await hanging
    expect([
      (await rig.destination(fails.id)).failures,
      (await rig.destination(works.id)).failures,
      (await rig.destination(hangs.id)).failures,
    ]).toEqual([1, 0, 0])
  })

  it('has its large result at each destination', async () => {
    const [one, two] = [await member(), await member()]
    const { name } = await fanOut([one.name, two.name])
    const result = Buffer.from(JSON.stringify(['x'.repeat(400_000)]))
    await rig.post(name, { payload: Buffer.from('{"n":1}'), result })
    const ids = (await Promise.all([one, two].map(({ name }) => rig.messages(name)))).flat().map(({ id }) => id)
    const { rows } = await sql<{ bytes: number }>`
      select length(body)::int as bytes from message_results where id = any(${ids}::uuid[])`.execute(rig.app.db.sql)
    expect(rows).toEqual([{ bytes: result.length }, { bytes: result.length }])
  })

  it('appears in the stream of messages once for each destination', async () => {
    const [one, two] = [await member(), await member()]
    const { name } = await fanOut([one.name, two.name])
    const stream = await readEvents<{ id: string }>(`${rig.app.url}/v1/projects/default/messages:stream`, {
      'x-api-key': rig.app.apiKey,
    })
    const topic = messagesTopic(rig.app.projectId)
    await vi.waitFor(async () => {
      const { system } = rig.app.app.services.database
      const { rows } = await sql`select from watches where topic = ${topic.channel}`.execute(system)
      expect(rows).toHaveLength(1)
    }, 20_000)
    await rig.post(name, { n: 1 })
    await send(name, 2)
    await stream.until((events) => events.length === 4)
    const ids = (await Promise.all([one, two].map(({ name }) => rig.messages(name)))).flat().map(({ id }) => id)
    expect(stream.events.map(({ data }) => data.id).sort()).toEqual(ids.sort())
    await stream.close()
  })
})

describe('what waits', () => {
  it('for a name without a destination goes to each destination of a fan-out of that name', async () => {
    const [one, two] = [await member(), await member()]
    await rig.post('later', { n: 1 }, { n: 2 })
    const { id } = await fanOut([one.name, two.name], 'later')
    expect(await rig.poll()).toContain(id)
    expect(await rig.deliver(id)).toBe(false)
    expect(await rig.messages('later')).toEqual([])
    for (const { id, receiver } of [one, two]) {
      await rig.deliver(id)
      expect(receiver.bodies).toEqual([{ n: 1 }, { n: 2 }])
    }
  })

  it('at a disabled fan-out goes to the list that it has when it is enabled', async () => {
    const [one, two, three] = [await member(), await member(), await member()]
    const { id, name } = await fanOut([one.name, two.name])
    await rig.app.call('POST', `${path}/${name}:disable`)
    await rig.post(name, { n: 1 })
    await rig.deliver(id)
    expect(await rig.messages(name)).toMatchObject([{ destinationId: id, state: 'pending' }])
    const list = [one.name, three.name]
    expect(
      (await update(name, ['metadata.destinations'], { metadata: { destinations: list.join(', ') } })).status,
    ).toBe(200)
    await rig.deliver(id)
    expect(await Promise.all([one, two, three].map(({ name }) => pending(name)))).toEqual([1, 0, 1])
  })

  it('waits for the name of a destination that was deleted', async () => {
    const [one, two] = [await member(), await member()]
    const { name } = await fanOut([one.name, two.name])
    await rig.post(name, { n: 1 })
    await rig.app.call('DELETE', `${path}/${two.name}`)
    await rig.poll()
    await rig.post(name, { n: 2 })
    expect(await rig.messages(two.name)).toMatchObject([{ destinationId: null }, { destinationId: null }])
    const again = await rig.app.call<{ id: string }>('POST', path, {
      name: two.name,
      type: 'webhook',
      metadata: { url: two.receiver.url },
    })
    await rig.poll()
    const attached = { destinationId: again.body.id, state: 'pending' }
    expect(await rig.messages(two.name)).toMatchObject([attached, attached])
    expect(await pending(one.name)).toBe(2)
  })

  it('changes with the list for what is posted from then on', async () => {
    const [one, two] = [await member(), await member()]
    const { name } = await fanOut([one.name])
    await rig.post(name, { n: 1 })
    await update(name, ['metadata'], { metadata: { destinations: [two.name] } })
    await rig.post(name, { n: 2 })
    expect([await pending(one.name), await pending(two.name)]).toEqual([1, 1])
  })

  it('at a destination that becomes a fan-out goes to each destination, with its result, when it is due', async () => {
    const [was, one, two] = [await member(() => ({ status: 500 })), await member(), await member()]
    await rig.post(was.name, { payload: Buffer.from('{"n":1}'), result: Buffer.from('[1]') })
    await rig.deliver(was.id)
    const type = { type: 'fan-out', metadata: { destinations: [one.name, two.name] }, secrets: {} }
    expect((await update(was.name, ['type', 'metadata', 'secrets'], type)).status).toBe(200)
    await rig.deliver(was.id)
    expect(await pending(was.name)).toBe(1)
    await rig.pass(was.id, 60_000)
    await rig.deliver(was.id)
    expect(await rig.messages(was.name)).toEqual([])
    const [first] = await rig.messages(one.name)
    const [copy] = await rig.messages(two.name)
    expect([first?.attempt, copy?.attempt]).toEqual([1, 0])
    const { rows } = await sql<{ body: Buffer }>`
      select body from message_results where id = any(${[first?.id, copy?.id]}::uuid[])`.execute(rig.app.db.sql)
    expect(rows.map(({ body }) => body.toString())).toEqual(['[1]', '[1]'])
  })

  it('is replayed to the destination that it failed at alone', async () => {
    const [one, two] = [await member(() => ({ status: 500 })), await member()]
    const { name } = await fanOut([one.name, two.name])
    await rig.post(name, { n: 1 })
    const [failed] = await rig.messages(one.name)
    await sql`update messages set state = 'failed', end_time = now() where id = ${failed?.id}`.execute(rig.app.db.sql)
    await rig.deliver(two.id)
    const started = await rig.app.call<{ id: string }>('POST', '/projects/default/messages:replay', {
      failedOf: one.name,
    })
    await replay(rig.app.app.services, {
      projectId: rig.app.projectId,
      replayId: started.body.id,
      signal: new AbortController().signal,
    })
    expect([await pending(one.name), await pending(two.name)]).toEqual([1, 0])
  })
})

describe('a fan-out', () => {
  it('names 1 to 20 other destinations that exist and send, each once', async () => {
    const [one, two] = [await member(), await member()]
    const other = await fanOut(`${one.name}, ${two.name}`)
    const many = Array.from({ length: 21 }, (_, n) => `many-${n}`)
    expect(await refused(undefined)).toEqual([400, ['metadata.destinations: metadata.destinations is required.']])
    for (const wrong of [7, {}, [1], [[one.name]], true])
      expect(await refused(wrong)).toEqual([
        400,
        ['metadata.destinations: metadata.destinations must be a list of names.'],
      ])
    for (const [list, count] of [
      [[], 0],
      [' , ', 0],
      [many, 21],
    ] as const)
      expect(await refused(list)).toEqual([
        400,
        [`metadata.destinations: metadata.destinations must have 1 to 20 names, and has ${count}.`],
      ])
    expect(await refused([one.name, 'a b', one.name])).toEqual([
      400,
      [
        expect.stringContaining('destinations[1] must be the name'),
        expect.stringContaining(`names ${one.name} a second time`),
      ],
    ])
    expect(await refused([one.name, 'unknown', other.name, 'refused'])).toEqual([
      400,
      [
        expect.stringContaining('destinations[1] names no destination'),
        expect.stringContaining(`names ${other.name}, which is a destination of type fan-out`),
        expect.stringContaining('destinations[3] names the destination itself.'),
      ],
    ])
  })

  it('is not a destination of another, however it gets its name or its type', async () => {
    const [one, two] = [await member(), await member()]
    const { name } = await fanOut([one.name])
    const second = await fanOut([two.name])
    const type = { type: 'fan-out', metadata: { destinations: [two.name] }, secrets: {} }
    const changed = await update(one.name, ['type', 'metadata', 'secrets'], type)
    expect([changed.status, changed.body.issues]).toMatchObject([
      400,
      [{ detail: `${one.name} is a destination of ${name}, so it must have a type that sends.` }],
    ])
    await rig.app.call('DELETE', `${path}/${one.name}`)
    expect(await refused([two.name], one.name)).toEqual([
      400,
      [expect.stringContaining(`is a destination of ${name}, so`)],
    ])
    expect((await update(second.name, ['name'], { name: one.name })).status).toBe(400)
    // A deleted destination stays in the list, so the fan-out can still be renamed.
    expect((await update(name, ['name'], { name: `${name}-renamed` })).status).toBe(200)
  })

  it('of two that would name each other at the same time, one is refused', async () => {
    const [one, two, three] = [await member(), await member(), await member()]
    const type = (name: string) => ({ type: 'fan-out', metadata: { destinations: [name, three.name] }, secrets: {} })
    const mask = ['type', 'metadata', 'secrets']
    const answers = await Promise.all([update(one.name, mask, type(two.name)), update(two.name, mask, type(one.name))])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('tests each destination, and says how each test ended', async () => {
    const [one, two, gone] = [await member(), await member(() => ({ status: 500, body: 'broken' })), await member()]
    const { name } = await fanOut([one.name, two.name, gone.name])
    await rig.app.call('DELETE', `${path}/${gone.name}`)
    const tested = await rig.app.call('POST', `${path}/${name}:test`)
    expect([tested.status, tested.body]).toEqual([
      200,
      {
        messageId: expect.any(String),
        delivered: false,
        durationMs: expect.any(Number),
        error: `It was not delivered to ${two.name}, ${gone.name}.`,
        destinations: [
          { destinationName: one.name, delivered: true, status: 204, durationMs: expect.any(Number) },
          expect.objectContaining({ destinationName: two.name, delivered: false, status: 500, response: 'broken' }),
          expect.objectContaining({ destinationName: gone.name, delivered: false }),
        ],
      },
    ])
    expect(one.receiver.bodies).toMatchObject([{ data: { destinationName: one.name } }])
    expect(await rig.destination(two.id)).toMatchObject({ failures: 0 })
  })
})

describe('the cost of posting', () => {
  /** The fewest statements of three times: the first may read what later ones remember. */
  async function fewestOf(work: () => Promise<unknown>): Promise<string[]> {
    const times = [await statementsOf(work), await statementsOf(work), await statementsOf(work)].map((texts) =>
      texts.filter((text) => !/set_config|^(begin|commit|start)/i.test(text)),
    )
    return times.reduce((fewest, one) => (one.length < fewest.length ? one : fewest))
  }

  it('is one statement for the messages and one for the jobs, for a webhook, and one more for a fan-out', async () => {
    const [one, two] = [await member(), await member()]
    const { name } = await fanOut([one.name, two.name])
    const plain = await fewestOf(() => rig.post(one.name, { n: 1 }))
    expect(plain.filter((text) => text.includes('insert into messages'))).toHaveLength(1)
    const toBoth = await fewestOf(() => rig.post(name, { n: 1 }))
    expect(toBoth.length - plain.length).toBe(1)
    expect((await fewestOf(() => send(one.name, 1))).length).toBeLessThanOrEqual(plain.length)
  })
})

it('copies sort as their messages do, in the partition of their time', async () => {
  const [one, two] = [await member(), await member()]
  const { name } = await fanOut([one.name, two.name])
  const before = firstIdAt(new Date(Date.now() - 1_000))
  await rig.post(name, ...Array.from({ length: 50 }, (_, n) => ({ n })))
  const { rows } = await sql<{ n: number }>`
    select (convert_from(payload, 'UTF8')::json ->> 'n')::int as n from messages
     where destination_name = ${two.name} and id > ${before} order by id`.execute(rig.app.db.sql)
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, n) => n))
})
