import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
// biome-ignore lint/style/noRestrictedImports: the database that the tests of the kind use.
import { type PostgresTarget, startPostgresTarget } from '../kinds/postgres/conformance.testkit.ts'
import { cutDataMessages, type MessageReplay, replay } from '../messages/index.ts'
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
  const name = `removing-${count++}`
  const metadata = { url, deletes: 'hard' }
  const made = await call<{ id: string }>('POST', 'destinations', { name, type: 'postgres', metadata })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  destination = { id: made.body.id, name }
})
afterEach(() => target?.stop())

const call = <T>(method: string, path: string, body?: unknown) =>
  rig.app.call<T>(method, `/projects/default/${path}`, body)

async function delivered(...records: object[]) {
  const entries = records.map((record) => JSON.stringify(record))
  await rig.post(destination.name, ...cutDataMessages(readHeader, entries, { messageBytesMax: 300_000 }))
  await rig.deliver(destination.id)
}
const record = (id: string, size: unknown) => ({ id, fields: { size } })
const deletion = (id: string) => ({ id, fields: {}, deleted: true })
const rows = () =>
  target.query('select _mortise_id as id, size, _mortise_deleted_at is not null as gone from contacts order by 1')

async function replayed(method: string, body: object): Promise<void> {
  const started = await call<MessageReplay>('POST', method, body)
  expect(started.status, JSON.stringify(started.body)).toBe(202)
  const work = { projectId: rig.app.projectId, replayId: started.body.id, signal: new AbortController().signal }
  await replay(rig.app.app.services, work)
  await rig.deliver(destination.id)
}

it('a dead letter that is redriven and messages that are replayed bring no removed row back', async () => {
  await delivered(record('1', 1), record('2', 2))
  await target.query('alter table contacts alter column size type integer using size::integer')
  await delivered(record('1', 'large'), record('2', 3))
  const { body: letters } = await call<{ id: string }[]>('GET', `dead-letters?destination=${destination.name}`)
  expect(letters).toHaveLength(1)
  await delivered(deletion('1'))
  expect(await rows()).toEqual([{ id: '2', size: 3, gone: false }])

  await call('PATCH', `dead-letters/${letters[0]?.id}`, { records: [record('1', 5)] })
  await replayed('dead-letters:redrive', { deadLetterIds: [letters[0]?.id] })
  const messages = await rig.messages(destination.name)
  await replayed('messages:replay', { messageIds: messages.map(({ id }) => id) })
  const states = (await rig.messages(destination.name)).map(({ state }) => state)
  expect(new Set(states)).toEqual(new Set(['delivered']))
  expect(await rows()).toEqual([{ id: '2', size: 3, gone: false }])
})

it('the setting can be changed: later deletions mark rows, and rows that were removed stay removed', async () => {
  await delivered(record('1', 1), record('2', 2))
  await delivered(deletion('1'))
  const changed = await call<{ metadata: object }>('PATCH', `destinations/${destination.id}`, {
    destination: { metadata: { deletes: 'soft' } },
    updateMask: ['metadata.deletes'],
  })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  expect(changed.body.metadata).toMatchObject({ deletes: 'soft' })
  await delivered(deletion('2'))
  const messages = await rig.messages(destination.name)
  await replayed('messages:replay', { messageIds: messages.map(({ id }) => id) })
  expect(await rows()).toEqual([{ id: '2', size: '2', gone: true }])
  await delivered(record('1', 3))
  expect(await rows()).toHaveLength(2)
})

it('a removal is remembered while messages of its day are kept', async () => {
  const remembered = async () =>
    (await target.query<{ record: string }>('select record from _mortise_deleted order by 1')).map(
      ({ record }) => record,
    )
  await delivered(deletion('1'))
  const [today] = await remembered()
  const remember = (...days: string[]) =>
    target.query(`insert into _mortise_deleted select day, gen_random_uuid(), day::timestamptz + interval '12 hours'
      from unnest('{${days.join()}}'::text[]) as day`)
  await sql`select ensure_partitions('2020-01-02', '2020-01-02')`.execute(rig.app.app.services.database.system)
  await remember('2020-01-01', '2020-01-02')
  await delivered(record('2', 2))
  expect((await remembered()).toSorted()).toEqual(['2020-01-02', today].toSorted())
  // As retention does.
  await sql`select drop_expired_partitions('2020-01-03', now())`.execute(rig.app.app.services.database.system)
  await delivered(record('3', 3))
  expect(await remembered()).toEqual([today])
})

it('a wrong value is refused together with all else that is wrong', async () => {
  const metadata = { url: 'https://db.example.com/app', schema: 'a b', deletes: 'hard delete', caCertificate: 'x' }
  const { status, body } = await call<{ issues: { name: string; detail: string }[] }>('POST', 'destinations', {
    ...{ name: 'wrong', type: 'postgres', metadata },
  })
  expect(status).toBe(400)
  expect(body.issues.map(({ name }) => name)).toEqual(
    ['url', 'schema', 'deletes', 'caCertificate'].map((name) => `metadata.${name}`),
  )
  expect(body.issues[2]?.detail).toBe('metadata.deletes must be soft or hard.')
})
