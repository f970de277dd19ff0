import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import { untilLockWait } from '../../../testkit/lock-waits.ts'
import { openProviderAccess } from '../../provider-calls/calls/index.ts'
import { healthStatus, refreshHealth } from './health.ts'
import { lockInstallation } from './store.ts'

let kit: InstallationKit
beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())

test.each([
  ['created', 0, 'healthy'],
  ['working', 0, 'healthy'],
  ['bad_credentials', 0, 'unhealthy'],
  ['working', 1, 'unhealthy'],
  ['bad_credentials', 2, 'unhealthy'],
] as const)(
  'with a connection that is %s and %i failing reads it is %s',
  (connectionStatus, failingReads, expected) => {
    expect(healthStatus({ connectionStatus, failingReads })).toBe(expected)
  },
)

test('health follows the connection and the reads, and comes back only when no cause is left', async () => {
  const { db, services } = { db: kit.app.db, services: kit.app.app.services }
  const connectionId = await kit.connect('health')
  const { id } = (await kit.create('health', { contacts: {} })).body
  const health = async () => (await kit.get(id)).body.healthStatus
  const pause = (reason: string | null) =>
    sql`update read_states set paused = ${reason} where installation_id = ${id}`.execute(db.sql)

  const report = async (outcome: 'success' | { scope: 'credential' }) => {
    const { connection } = await openProviderAccess(db, services, connectionId)
    await (outcome === 'success' ? connection.succeeded() : connection.failed(outcome))
  }

  expect(await health()).toBe('healthy')
  await report({ scope: 'credential' })
  expect(await health()).toBe('unhealthy')
  await pause('failures')
  await report('success')
  await pause('failures')
  await refreshHealth(db, { installationId: id })
  expect(await health()).toBe('unhealthy')
  await pause(null)
  await refreshHealth(db, { installationId: id })
  expect(await health()).toBe('healthy')
  await pause('request')
  await refreshHealth(db, { connectionId })
  expect(await health()).toBe('healthy')
})

test('an installation is unhealthy whose connection is refused while the pause of its reads ends', async () => {
  const { db, services } = { db: kit.app.db, services: kit.app.app.services }
  const connectionId = await kit.connect('both')
  const { id } = (await kit.create('both', { contacts: {} })).body
  await sql`update read_states set paused = 'failures' where installation_id = ${id}`.execute(db.sql)
  await refreshHealth(db, { installationId: id })
  const { connection } = await openProviderAccess(db, services, connectionId)
  let refused: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await lockInstallation(tx, id)
    await sql`update read_states set paused = null where installation_id = ${id}`.execute(tx.sql)
    await refreshHealth(tx, { installationId: id })
    refused = connection.failed({ scope: 'credential' })
    await Promise.race([refused, untilLockWait(db.sql).catch(() => undefined)])
  })
  await refused
  expect((await kit.get(id)).body.healthStatus).toBe('unhealthy')
})

test.each(['installed', 'moved'])(
  'an installation is unhealthy that is %s while its connection is refused',
  async (how) => {
    const { db } = kit.app
    const connectionId = await kit.connect(how)
    const other = how === 'moved' && (await kit.connect(how, { consumerRef: 'bob' }))
    const { id } = other ? (await kit.create(how, { contacts: {} }, { connectionId: other })).body : { id: '' }
    const change = () =>
      id === ''
        ? kit.create(how, { contacts: {} }, {}, '?skipSampling=true')
        : kit.update(id, ['connectionId'], { connectionId }, '?skipSampling=true')
    let changing: Promise<{ body: { id: string } }> | undefined
    await db.transaction(async (tx) => {
      await sql`update connections set status = 'bad_credentials' where id = ${connectionId}`.execute(tx.sql)
      await refreshHealth(tx, { connectionId })
      changing = change()
      await Promise.race([changing, untilLockWait(db.sql).catch(() => undefined)])
    })
    const { body } = await changing!
    expect((await kit.get(body.id)).body).toMatchObject({ healthStatus: 'unhealthy', connection: { id: connectionId } })
  },
)

test('an installation on refused credentials is unhealthy from the start', async () => {
  await kit.connect('born-ill', { apiKey: 'wrong' })
  expect((await kit.create('born-ill', { contacts: {} })).body.healthStatus).toBe('unhealthy')
})
