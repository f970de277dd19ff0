import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { untilLockWait } from '../../../../testkit/lock-waits.ts'
import { lockInstallation } from '../../../integrations/installations/index.ts'
import { changeSchema, status } from './pub-sub-server.testkit.ts'
import { companiesTopic, contacts, type StreamsKit, startStreamsKit } from './streams.testkit.ts'

let kit: StreamsKit
beforeAll(async () => {
  kit = await startStreamsKit()
})
afterAll(async () => {
  await kit?.stop()
})
let installed: { id: string; integration: string } | undefined
afterEach(async () => {
  Object.assign(kit.server.state, { endedToken: undefined, silent: false, pushesMore: false })
  kit.server.state.refuse.clear()
  if (installed) await kit.uninstall(installed)
  installed = undefined
  kit.records.clear()
})

const topic = () => kit.contactsTopic
const idsOf = (id: string) => kit.entries(id).map((entry) => entry['id'])
/** Waits until it holds, while the delays after failures pass: a busy machine can make an attempt fail. */
const afterDelays = async (holds: () => boolean) => {
  let advanced = Date.now()
  await kit.until(() => {
    // A day in a second would make everything else due, too.
    if (Date.now() - advanced > 500) {
      advanced = Date.now()
      kit.app.clock.advance(10_000)
    }
    return holds()
  })
}
/** Begins again after the longest delay. */
const again = async (before: number) => {
  kit.app.clock.advance(10_000)
  await afterDelays(() => kit.server.begun.length > before)
  return kit.server.begun.at(-1)
}
const install = async (objects?: Record<string, unknown>[]) => {
  installed = await kit.installStream(objects)
  return installed
}

it('changes become the messages of a subscription, with their records', async () => {
  const { id } = await install()
  kit.records.set('001', { id: '001', email: 'a@x.test', Phone: '1', more: 'x' })
  kit.records.set('002', { id: '002', email: 'b@x.test' })
  kit.server.publish(
    topic(),
    { ids: ['001'], type: 'CREATE', fields: { email: 'a@x.test', Phone: '1' } },
    // The third field.
    { ids: ['001', '002'], type: 'UPDATE', changedFields: ['0x04'], fields: { email: 'a@x.test' } },
    // The fourth one, which is not watched.
    { ids: ['001'], type: 'UPDATE', changedFields: ['0x08'], fields: { Phone: '2' } },
    { ids: ['003'], type: 'DELETE' },
    { ids: ['002'], type: 'UNDELETE' },
  )
  await kit.until(() => kit.entries(id).length >= 5)
  const entries = kit.entries(id)
  expect(entries.map((entry) => [entry['subscribeEventType'], entry['providerEventType'], entry['id']])).toEqual([
    ['create', 'CREATE', '001'],
    ['update', 'UPDATE', '001'],
    ['update', 'UPDATE', '002'],
    ['delete', 'DELETE', '003'],
    ['create', 'UNDELETE', '002'],
  ])
  expect(entries[0]).toMatchObject({ fields: { email: 'a@x.test' }, mappedFields: { telephone: '1' } })
  expect(entries[1]).toMatchObject({ fieldsUpdated: ['email'], fields: { email: 'a@x.test' } })
  expect(entries[2]).toMatchObject({ fields: { email: 'b@x.test' } })
  expect(entries[1]?.['rawEvent']).toEqual({
    ChangeEventHeader: {
      entityName: 'Contact',
      recordIds: ['001'],
      changeType: 'UPDATE',
      commitTimestamp: 1_700_000_000_000,
      changedFields: ['email'],
    },
    email: 'a@x.test',
  })
  // What the provider sent is listed, too.
  await kit.until(async () => {
    const [log] = await kit.rows(sql<{ events: number; newEvents: number }>`
      select sum(events)::int as events, sum(new_events)::int as "newEvents" from provider_events
      where installation_id = ${id} and outcome = 'accepted'`)
    return log?.events === 5 && log.newEvents === 6
  })
})

it('a stream continues after the last event that is stored, and nothing arrives twice or is missing', async () => {
  const { id } = await install()
  kit.server.publish(topic(), { ids: ['001'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length === 1)
  const before = kit.server.begun.length
  const position = await kit.positionOf(id)
  kit.server.end(status.UNAVAILABLE)
  await kit.until(() => kit.server.calls.length === 0)
  kit.server.publish(topic(), { ids: ['002'], type: 'DELETE' }, { ids: ['003'], type: 'DELETE' })
  expect((await again(before))?.start).toBe(`${position}`)
  await kit.until(() => kit.entries(id).length >= 3)
  expect(idsOf(id)).toEqual(['001', '002', '003'])
})

it('a connection that breaks in the middle of many events loses none of them', async () => {
  const { id } = await install()
  const ids = Array.from({ length: 80 }, (_, at) => `${at}`.padStart(3, '0'))
  let before = kit.server.begun.length
  for (const some of [ids.slice(0, 30), ids.slice(30, 55), ids.slice(55)]) {
    kit.server.publish(topic(), ...some.map((one) => ({ ids: [one], type: 'DELETE' })))
    kit.server.end(status.INTERNAL)
    await again(before)
    before = kit.server.begun.length
  }
  await kit.until(() => kit.entries(id).length >= 80)
  expect(idsOf(id).toSorted()).toEqual(ids)
})

it('an answer without events moves the position', async () => {
  const { id } = await install()
  expect(await kit.positionOf(id)).toBe('')
  kit.server.keepAlive(topic())
  await kit.until(async () => Number(await kit.positionOf(id)) > 0)
  expect(kit.entries(id)).toEqual([])
})

it('a stream that ends before it had a position is followed by a read', async () => {
  const { id } = await install()
  const before = kit.server.begun.length
  expect(await kit.isReadSoon(id)).toBe(false)
  kit.server.end(status.UNAVAILABLE)
  expect((await again(before))?.start).toBe('LATEST')
  kit.server.keepAlive(topic())
  await kit.until(() => kit.isReadSoon(id))
})

it('a position that the provider does not keep any more is replaced by a read, and the stream goes on', async () => {
  const { id } = await install()
  kit.server.publish(topic(), { ids: ['001'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length === 1)
  // The read that followed the first response is over.
  await sql`update read_states set next_run_at = now() + interval '1 year', changed_time = null
    where installation_id = ${id}`.execute(kit.app.db.sql)
  kit.server.end(status.UNAVAILABLE)
  await kit.until(() => kit.server.calls.length === 0)
  kit.server.publish(topic(), { ids: ['002'], type: 'DELETE' })
  kit.server.expire(topic())
  const before = kit.server.begun.length
  expect((await again(before))?.start).toBe('LATEST')
  await kit.until(() => kit.isReadSoon(id))
  kit.server.publish(topic(), { ids: ['003'], type: 'DELETE' })
  await kit.until(() => idsOf(id).includes('003'))
  expect(idsOf(id)).toEqual(['001', '003'])
})

it('events without fields are completed by the record, and those without a record by a read', async () => {
  const { id } = await install()
  kit.records.set('001', { id: '001', email: 'a@x.test' })
  kit.server.publish(topic(), { ids: ['001'], type: 'GAP_CREATE' }, { ids: ['001'], type: 'GAP_UPDATE' })
  await kit.until(() => kit.entries(id).length === 2)
  expect(kit.entries(id)).toMatchObject([
    { subscribeEventType: 'create', fields: { email: 'a@x.test' } },
    { subscribeEventType: 'update', fields: { email: 'a@x.test' } },
  ])
  for (const change of [
    { ids: ['000000000000000AAA'], type: 'GAP_OVERFLOW' },
    { ids: ['001*'], type: 'UPDATE' },
  ]) {
    await sql`update read_states set next_run_at = now() + interval '1 year', changed_time = null
      where installation_id = ${id}`.execute(kit.app.db.sql)
    kit.server.publish(topic(), change)
    await kit.until(() => kit.isReadSoon(id))
  }
  expect(kit.entries(id)).toHaveLength(2)
})

it('a schema that changes is requested, each one once', async () => {
  const { id } = await install()
  const fields = changeSchema.fields.filter(({ name }) => name !== 'Phone')
  kit.server.schemas.set('s2', JSON.stringify({ ...changeSchema, fields }))
  kit.server.asked.length = 0
  kit.server.publish(topic(), { ids: ['001'], type: 'DELETE' }, { ids: ['002'], type: 'DELETE', schemaId: 's2' })
  kit.server.publish(topic(), { ids: ['003'], type: 'DELETE', schemaId: 's2' }, { ids: ['004'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length >= 4)
  expect(idsOf(id)).toEqual(['001', '002', '003', '004'])
  expect(kit.server.asked.toSorted()).toEqual(['s1', 's2'])
})

it.each([
  ['a payload that is not Avro', { payload: Buffer.from('<html>Sorry</html>') }],
  ['an empty payload', { payload: Buffer.alloc(0) }],
  ['a schema that the provider does not know', { schemaId: 'gone', payload: Buffer.from('x') }],
  ['a schema that is not one', { schemaId: 'broken', payload: Buffer.from('x') }],
])('%s makes a read, and the next events arrive', async (_, change) => {
  kit.server.schemas.set('broken', '<html>')
  const { id } = await install()
  kit.server.publish(topic(), { ids: ['000'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length === 1)
  await sql`update read_states set next_run_at = now() + interval '1 year', changed_time = null
    where installation_id = ${id}`.execute(kit.app.db.sql)
  kit.server.publish(topic(), { ids: ['001'], type: 'CREATE', ...change }, { ids: ['002'], type: 'DELETE' })
  await kit.until(() => idsOf(id).includes('002'))
  expect(await kit.isReadSoon(id)).toBe(true)
  expect(kit.server.calls).toHaveLength(1)
})

it('no more events are sent than were requested; all are, in the end', async () => {
  const { id } = await install()
  const [call] = kit.server.calls
  expect(call?.pending).toBe(25)
  const ids = Array.from({ length: 120 }, (_, at) => `${at}`.padStart(3, '0'))
  kit.server.publish(topic(), ...ids.map((one) => ({ ids: [one], type: 'DELETE' })))
  await kit.until(() => kit.entries(id).length >= 120)
  expect(idsOf(id)).toEqual(ids)
  expect(call?.pending).toBeLessThanOrEqual(25)
  expect(kit.server.calls).toEqual([call])
})

it('a provider that sends more than was requested is not believed', async () => {
  const { id } = await install()
  kit.server.state.pushesMore = true
  const before = kit.server.begun.length
  const ids = Array.from({ length: 40 }, (_, at) => `${at}`.padStart(3, '0'))
  kit.server.publish(topic(), ...ids.map((one) => ({ ids: [one], type: 'DELETE' })))
  await kit.until(() => kit.server.calls.length === 0)
  expect(kit.entries(id)).toEqual([])
  kit.server.state.pushesMore = false
  await again(before)
})

it('a refused access token is renewed, and the stream continues', async () => {
  const { id } = await install()
  kit.server.publish(topic(), { ids: ['001'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length === 1)
  const before = kit.server.begun.length
  kit.server.state.endedToken = 'token0'
  kit.server.end(status.UNAUTHENTICATED)
  const call = await again(before)
  expect(call?.token).toMatch(/^token[1-9]/)
  kit.server.publish(topic(), { ids: ['002'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length === 2)
  expect(kit.app.logs.join('')).not.toMatch(/"token[0-9]\b|accesstoken[^"]*token[0-9]/)
})

it('a refused object says what to do, and the others go on; it is followed after the next deploy', async () => {
  kit.server.state.refuse.set(companiesTopic, status.NOT_FOUND)
  const companies = { ...contacts, objectName: 'companies', inheritFieldsAndMapping: false }
  installed = await kit.install({
    objects: [contacts, companies],
    provider: 'streamCrm',
    credential: { oauth2AuthorizationCode: { accessToken: { token: 'token0' } } },
  })
  const { id, integration } = installed
  await afterDelays(() => kit.server.calls.length === 1)
  kit.server.keepAlive(topic())
  await kit.until(async () => (await kit.health(integration, id)) === 'unhealthy')
  const [subscription] = await kit.rows(sql<{ error: string }>`
    select error from subscriptions where installation_id = ${id}`)
  expect(subscription?.error).toMatch(/^companies: Select the object in Setup\./)
  expect(subscription?.error).not.toContain('token0')
  kit.server.publish(topic(), { ids: ['001'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length === 1)
  kit.server.state.refuse.clear()
  await kit.deploy(integration, [contacts, { ...companies, createEvent: undefined }], 'streamCrm')
  await afterDelays(() => kit.server.calls.length === 2)
  for (const name of [topic(), companiesTopic]) kit.server.keepAlive(name)
  await kit.until(async () => (await kit.health(integration, id)) === 'healthy')
})

it('a worker that has lost its stream stores nothing of it', async () => {
  const { id } = await install()
  kit.server.publish(topic(), { ids: ['001'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length === 1)
  const position = await kit.positionOf(id)
  // Another node, as far as the database knows.
  await sql`update streams set fence = gen_random_uuid(), lease_until = now() + interval '1 hour'
    where installation_id = ${id}`.execute(kit.app.db.sql)
  kit.server.publish(topic(), { ids: ['002'], type: 'DELETE' })
  await kit.until(() => kit.server.calls.length === 0)
  expect(await kit.positionOf(id)).toBe(position)
  expect(await kit.rows(sql`select from inbound_events where installation_id = ${id}`)).toEqual([])
  const before = kit.server.begun.length
  await sql`update streams set lease_until = now() where installation_id = ${id}`.execute(kit.app.db.sql)
  await again(before)
  await kit.until(() => kit.entries(id).length === 2)
})

it('an object that is no longer subscribed to is no longer followed', async () => {
  const { id, integration } = await install()
  await kit.deploy(integration, [], 'streamCrm')
  await kit.until(() => kit.server.calls.length === 0)
  await kit.until(async () => (await kit.rows(sql`select from streams where installation_id = ${id}`)).length === 0)
})

it('a stream that ends while its account is connected again is opened again', async () => {
  // Nothing renews this token.
  const credential = { oauth2AuthorizationCode: { accessToken: { token: 'token0' } } }
  const made = await kit.install({ objects: [contacts], provider: 'streamCrm', credential })
  installed = made
  const { id, connectionId } = made
  await kit.until(() => kit.server.calls.length === 1)
  const setStatus = (status: string) =>
    sql`update connections set status = ${status} where id = ${connectionId}`.execute(kit.app.db.sql)
  // Another call has reported that already.
  await setStatus('bad_credentials')
  const before = kit.server.begun.length
  await kit.app.db.transaction(async (tx) => {
    await lockInstallation(tx, id)
    kit.server.end(status.UNAUTHENTICATED)
    // The stream has reported the refusal, and waits here to store what follows from it.
    await untilLockWait(kit.app.db.sql)
    await setStatus('working')
    const change = { connectionId, from: 'created', to: 'working' } as const
    await kit.app.app.services.hooks.connectionStatusChanged(tx, change)
  })
  await again(before)
  kit.server.publish(topic(), { ids: ['001'], type: 'DELETE' })
  await kit.until(() => kit.entries(id).length === 1)
})
