import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
// biome-ignore lint/style/noRestrictedImports: the database that the tests of the kind use.
import { type PostgresTarget, startPostgresTarget } from '../kinds/postgres/conformance.testkit.ts'
import {
  claimMessages,
  cutDataMessages,
  lockLeased,
  type Message,
  type MessageReplay,
  replay,
} from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'
import { readHeader } from './testing/read-header.ts'

let rig: DeliveryRig
let target: PostgresTarget
let destination: { id: string; name: string }
let count = 0
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterAll(() => rig?.app.stop())
beforeEach(async () => {
  target = await startPostgresTarget()
  const { url } = target.settings as { url: string }
  const name = `tables-${count++}`
  const { caCertificate: _, ...metadata } = { ...target.settings, url } as { url: string; caCertificate?: string }
  const made = await call<{ id: string }>('POST', 'destinations', { name, type: 'postgres', metadata })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  destination = { id: made.body.id, name }
  await target.query(
    `create table contacts (_mortise_group text, _mortise_provider text, _mortise_workspace text, _mortise_id text,
       _mortise_installation uuid, _mortise_message uuid, _mortise_read_at timestamptz, _mortise_deleted_at timestamptz, _mortise_raw jsonb,
       size integer, primary key (_mortise_group, _mortise_provider, _mortise_workspace, _mortise_id))`,
  )
})
afterEach(() => target?.stop())

interface DeadLetter {
  id: string
  reason: string
  error: string
  splitFrom?: string
  correctedBy?: string
  records?: object[]
  originalRecords?: object[]
}
const call = <T>(method: string, path: string, body?: unknown) =>
  rig.app.call<T>(method, `/projects/default/${path}`, body)
const deadLetters = async (query = `destination=${destination.name}`) =>
  (await call<DeadLetter[]>('GET', `dead-letters?${query}`)).body
const sizes = () =>
  target.query<{ id: string; size: number }>('select _mortise_id as id, size from contacts order by 1')

const header = { ...readHeader, groupName: 'Says "resultInfo":{ and },"result":[' }

/** Posts a page of records, as a read does. */
async function posted(...records: object[]) {
  const entries = records.map((record) => JSON.stringify(record))
  await rig.post(destination.name, ...cutDataMessages(header, entries, { messageBytesMax: 300_000 }))
}
const record = (id: string, size: unknown) => ({ id, fields: { size } })
const deliver = () => rig.deliver(destination.id)

async function redriven(body: object): Promise<MessageReplay> {
  const started = await call<MessageReplay>('POST', 'dead-letters:redrive', body)
  expect(started.status, JSON.stringify(started.body)).toBe(202)
  const work = { projectId: rig.app.projectId, replayId: started.body.id, signal: new AbortController().signal }
  await replay(rig.app.app.services, work)
  return (await call<MessageReplay>('GET', `message-replays/${started.body.id}`)).body
}

describe('a record that the destination refuses', () => {
  it('becomes a dead letter, and the other records of its message arrive', async () => {
    await posted(record('1', 1), record('2', 'lar"ge],{'), record('3', 3))
    await deliver()
    expect(await sizes()).toEqual([
      { id: '1', size: 1 },
      { id: '3', size: 3 },
    ])
    const [found, ...others] = await deadLetters()
    expect(others).toEqual([])
    const [split, whole] = (await call<Message[]>('GET', `messages?destination=${destination.name}`)).body.toSorted(
      (a) => (a.splitFrom ? -1 : 1),
    )
    expect(whole).toMatchObject({ state: 'delivered', rejectedRecords: 1, attempts: 1 })
    expect(split).toMatchObject({ state: 'failed', failureReason: 'refused', splitFrom: whole?.id, attempts: 1 })
    expect(found).toMatchObject({ id: split?.id, reason: 'refused', error: expect.stringContaining('22P02') })
    const { body } = await call<DeadLetter & { payload: object }>('GET', `dead-letters/${found?.id}`)
    expect(body.records).toEqual([record('2', 'lar"ge],{')])
    expect(body.payload).toEqual({
      ...header,
      resultInfo: { type: 'inline', numRecords: 1 },
      result: [record('2', 'lar"ge],{')],
    })
    const shown = await call<{ deadLetterCount: number; status: string }>('GET', `destinations/${destination.id}`)
    expect(shown.body).toMatchObject({ deadLetterCount: 1, status: 'active' })
  })

  it('can be corrected and sent again, and the record before is kept', async () => {
    await posted(record('1', 1), record('2', 'large'))
    await deliver()
    const [found] = await deadLetters()
    const path = `dead-letters/${found?.id}`
    await call('PATCH', path, { records: [record('2', 'small')] })
    const corrected = await call<DeadLetter>('PATCH', path, { records: [record('2', 2)] })
    expect(corrected.status, JSON.stringify(corrected.body)).toBe(200)
    expect(corrected.body).toMatchObject({
      records: [record('2', 2)],
      originalRecords: [record('2', 'large')],
      correctedBy: expect.stringMatching(/^apiKey:/),
    })
    expect(await redriven({ deadLetterIds: [found?.id] })).toMatchObject({ matched: 1, requeued: 1 })
    await deliver()
    expect(await sizes()).toContainEqual({ id: '2', size: 2 })
    expect(await deadLetters()).toEqual([])
    expect((await call('GET', path)).status).toBe(404)
    const log = await call<object[]>('GET', `audit-log?resourceId=${found?.id}`)
    expect(log.body).toHaveLength(2)
    expect(log.body[0]).toMatchObject({ action: 'updateDeadLetter', resource: { kind: 'dead-letter' } })
    expect(JSON.stringify(log.body)).not.toContain('small')
  })

  it('does not overwrite a newer delivery of the record when it is sent again', async () => {
    await posted(record('1', 1), record('2', 'large'))
    await deliver()
    await posted(record('2', 22))
    await deliver()
    const [found] = await deadLetters()
    await call('PATCH', `dead-letters/${found?.id}`, { records: [record('2', 2)] })
    await redriven({ deadLetterIds: [found?.id] })
    await deliver()
    expect(await sizes()).toContainEqual({ id: '2', size: 22 })
  })

  it('is listed once, although its message is replayed', async () => {
    await posted(record('1', 1), record('2', 'large'))
    await deliver()
    const [message] = (await call<Message[]>('GET', `messages?destination=${destination.name}&state=delivered`)).body
    const again = await call<MessageReplay>('POST', 'messages:replay', { messageIds: [message?.id] })
    const signal = new AbortController().signal
    await replay(rig.app.app.services, { projectId: rig.app.projectId, replayId: again.body.id, signal })
    await deliver()
    expect(await deadLetters()).toHaveLength(1)
  })

  it('leaves the destination healthy, and does not stop the messages after it', async () => {
    for (let n = 0; n < 12; n++) await posted(record(`${n}`, 'large'))
    await posted(record('good', 1))
    await deliver()
    expect(await sizes()).toEqual([{ id: 'good', size: 1 }])
    expect(await rig.destination(destination.id)).toMatchObject({ failures: 0, probeInMs: null })
    expect(await deadLetters()).toHaveLength(12)
  })

  it('is tried again apart from the others if it may be accepted later', async () => {
    await target.query(`create function wait() returns trigger language plpgsql as $$
      begin if new.size = 13 then raise 'not yet'; end if; return new; end $$;
      create trigger wait before insert on contacts for each row execute function wait()`)
    await posted(record('1', 1), record('2', 13))
    await deliver()
    expect(await sizes()).toEqual([{ id: '1', size: 1 }])
    expect(await deadLetters()).toEqual([])
    await target.query('drop trigger wait on contacts')
    await rig.pass(destination.id, 60_000)
    await deliver()
    expect(await sizes()).toEqual([
      { id: '1', size: 1 },
      { id: '2', size: 13 },
    ])
  })

  it('becomes a dead letter when all attempts have failed', async () => {
    await target.query(`create function never() returns trigger language plpgsql as $$
      begin if new.size = 13 then raise 'never'; end if; return new; end $$;
      create trigger never before insert on contacts for each row execute function never()`)
    await posted(record('1', 1), record('2', 13))
    for (let n = 0; n < 8; n++) {
      await deliver()
      await rig.pass(destination.id, 11 * 3_600_000)
    }
    expect(await deadLetters()).toMatchObject([{ reason: 'exhausted', attempts: 8 }])
    expect(await deadLetters(`destination=${destination.name}&reason=refused`)).toEqual([])
  })
})

describe('a correction', () => {
  it('is refused with all that is wrong', async () => {
    await posted(record('1', 'large'))
    await deliver()
    const [found] = await deadLetters()
    const patch = async (body: unknown) => {
      const { status, body: answer } = await call<{ causes?: unknown; issues?: { name: string }[] }>(
        'PATCH',
        `dead-letters/${found?.id}`,
        body,
      )
      return [status, JSON.stringify(answer)] as const
    }
    const [status, text] = await patch({ records: [{ id: '2', fields: {}, nonsense: 1 }] })
    expect([status, text]).toEqual([400, expect.stringContaining('records[0].nonsense')])
    expect(text).toContain('records[0].id')
    for (const body of [
      { records: [] },
      { records: [1] },
      { records: [{ id: '1', fields: 'x' }] },
      {},
      '[',
      { records: [{}, {}] },
    ])
      expect((await patch(body))[0], JSON.stringify(body)).toBe(400)
    const big = { records: [{ id: '1', fields: { note: 'x'.repeat(9_000_000) } }] }
    expect((await patch(big))[0]).toBe(400)
    expect((await deadLetters())[0]).not.toHaveProperty('correctedBy')
  })

  it('that is too large for a message is fetched by a URL', async () => {
    await posted(record('1', 'large'))
    await deliver()
    const [found] = await deadLetters()
    const note = 'x'.repeat(400_000)
    const corrected = { id: '1', fields: { size: 1, note } }
    expect((await call('PATCH', `dead-letters/${found?.id}`, { records: [corrected] })).status).toBe(200)
    const { body } = await call<DeadLetter>('GET', `dead-letters/${found?.id}`)
    expect(body.records).toEqual([corrected])
    await redriven({ destination: destination.id })
    await deliver()
    expect(await target.query('select size, length(note) as length from contacts')).toEqual([
      { size: 1, length: 400_000 },
    ])
  })

  it('of a notification is refused', async () => {
    const id = newId()
    await sql`insert into messages (project_id, id, destination_id, destination_name, kind, payload, payload_bytes, state, end_time)
              values (${rig.app.projectId}, ${id}, ${destination.id}, ${destination.name}, 'notification', '{}', 2, 'failed', now())`.execute(
      rig.app.db.sql,
    )
    const answer = await call('PATCH', `dead-letters/${id}`, { records: [{ id: '1' }] })
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('has no records')])
  })
})

describe('a selection', () => {
  it('of a destination is sent again whole, and messages of another state are not', async () => {
    await posted(record('1', 1))
    await posted(record('2', 'large'))
    await posted(record('3', 'huge'))
    await deliver()
    await target.query('alter table contacts alter column size type text')
    expect(await redriven({ destination: destination.name })).toMatchObject({ matched: 2, requeued: 2 })
    await deliver()
    expect(await sizes()).toEqual([
      { id: '1', size: '1' },
      { id: '2', size: 'large' },
      { id: '3', size: 'huge' },
    ])
    const [delivered] = (await call<Message[]>('GET', `messages?destination=${destination.id}`)).body
    expect(await redriven({ deadLetterIds: [delivered?.id] })).toMatchObject({ matched: 0, missing: 1 })
  })

  it('is discarded, and stays a message', async () => {
    for (const id of ['1', '2', '3']) await posted(record(id, 'large'))
    await deliver()
    const [first] = await deadLetters()
    const [known, unknown] = [first?.id, newId()]
    const refused = await call('POST', 'dead-letters:discard', { deadLetterIds: [known, unknown] })
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ name: 'deadLetterIds[1]', value: unknown }] } })
    const one = await call('POST', 'dead-letters:discard', { deadLetterIds: [known] })
    expect(one.body).toEqual({ discarded: 1, more: false })
    const rest = await call('POST', 'dead-letters:discard', { destination: destination.name })
    expect(rest.body).toEqual({ discarded: 2, more: false })
    expect(await deadLetters()).toEqual([])
    expect((await call<object[]>('GET', `messages?destination=${destination.id}&state=discarded`)).body).toHaveLength(3)
  })

  it('must say exactly which', async () => {
    for (const action of ['redrive', 'discard'])
      for (const body of [
        {},
        { destination: 'nowhere' },
        { deadLetterIds: ['x'] },
        { deadLetterIds: [newId()], destination: 'x' },
      ])
        expect((await call('POST', `dead-letters:${action}`, body)).status, JSON.stringify(body)).toBe(400)
  })

  it('is listed in pages, newest first', async () => {
    for (const id of ['1', '2', '3']) await posted(record(id, 'large'))
    await deliver()
    const all = (await deadLetters()).map(({ id }) => id)
    expect(all).toEqual(all.toSorted().toReversed())
    const first = await call<DeadLetter[]>('GET', `dead-letters?destination=${destination.name}&pageSize=2`)
    expect(first.body.map(({ id }) => id)).toEqual(all.slice(0, 2))
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await rig.app.call<DeadLetter[]>(
      'GET',
      new URL(next, rig.app.url).pathname.replace('/v1', '') + new URL(next, rig.app.url).search,
    )
    expect(second.body.map(({ id }) => id)).toEqual(all.slice(2))
    expect(await deadLetters('destination=nowhere')).toEqual([])
  })
})

it('only a worker that still has the lease of a message splits it', async () => {
  await posted(record('1', 1), record('2', 'large'))
  const token = newId()
  const claim = { destinationId: destination.id, token, limit: 1, bytesMax: 1, leaseSeconds: 60 }
  const [claimed] = await claimMessages(rig.app.db, claim)
  const id = claimed?.id ?? ''
  const lock = (leased: string) => rig.app.db.transaction((tx) => lockLeased(tx, [{ id, token: leased }]))
  expect(await lock(newId())).toEqual(new Set())
  expect(await lock(token)).toEqual(new Set([id]))
})
