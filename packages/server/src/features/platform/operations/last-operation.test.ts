import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InstallationBody, type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import { untilLockWait } from '../../../testkit/lock-waits.ts'
import { type LastOperation, lastOperation } from './last-operation.ts'
import type { OperationStatus } from './model.ts'
import { insertOperations, updateLastOperation } from './store.ts'

let kit: InstallationKit
beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())

async function installed(groupRef: string): Promise<InstallationBody> {
  await kit.connect(groupRef)
  return (await kit.create(groupRef, { contacts: {} })).body
}

const statuses: OperationStatus[] = ['in_progress', 'success', 'failure']

/** Every order of some things. */
function orders<T>(things: T[]): T[][] {
  if (things.length === 0) return [[]]
  return things.flatMap((thing, at) => orders(things.toSpliced(at, 1)).map((rest) => [thing, ...rest]))
}

test('shows how the newest operation ended, in whatever order an installation hears of all of them', () => {
  const ends: OperationStatus[] = ['success', 'failure']
  for (const [a, b, c] of ends.flatMap((a) => ends.flatMap((b) => ends.map((c) => [a, b, c] as const)))) {
    const heard: LastOperation[] = [
      { id: '1', status: 'in_progress' },
      { id: '1', status: a },
      { id: '2', status: 'in_progress' },
      { id: '2', status: b },
      { id: '3', status: 'in_progress' },
      { id: '3', status: c },
    ]
    for (const order of orders(heard))
      expect(order.reduce<LastOperation | undefined>(lastOperation, undefined)).toEqual({ id: '3', status: c })
  }
})

test.each([
  ['nothing yet', undefined, { id: '1', status: 'in_progress' }, { id: '1', status: 'in_progress' }],
  ['its own end', { id: '1', status: 'in_progress' }, { id: '1', status: 'failure' }, { id: '1', status: 'failure' }],
  ['a second end', { id: '1', status: 'failure' }, { id: '1', status: 'success' }, { id: '1', status: 'failure' }],
  [
    'a late beginning',
    { id: '1', status: 'success' },
    { id: '1', status: 'in_progress' },
    { id: '1', status: 'success' },
  ],
  [
    'an older end',
    { id: '2', status: 'in_progress' },
    { id: '1', status: 'failure' },
    { id: '2', status: 'in_progress' },
  ],
  [
    'a newer one',
    { id: '1', status: 'failure' },
    { id: '2', status: 'in_progress' },
    { id: '2', status: 'in_progress' },
  ],
] as const)('%s', (_, shown, heard, expected) => {
  expect(lastOperation(shown, heard)).toEqual(expected)
})

test('the statement does what the rule says, whatever is shown and whatever is the newest', async () => {
  const { db } = kit.app
  const installation = await installed('rule')
  const { id: installationId, integrationId } = installation
  const configId = installation.config.id
  const ids = Array.from({ length: 2 }, () => kit.app.app.services.newId())
  const pairs = ids.flatMap((id) => statuses.map((status): LastOperation => ({ id, status })))
  for (const shown of [undefined, ...pairs])
    for (const heard of pairs) {
      await sql`delete from operations where installation_id = ${installationId}`.execute(db.sql)
      await insertOperations(db, [{ id: heard.id, integrationId, installationId, configId, actionType: 'read' }])
      await sql`update operations set status = ${heard.status} where id = ${heard.id}`.execute(db.sql)
      await sql`
        delete from last_operations where installation_id = ${installationId}`.execute(db.sql)
      if (shown)
        await sql`
          insert into last_operations (project_id, installation_id, operation_id, status)
          values (${db.projectId}, ${installationId}, ${shown.id}, ${shown.status})`.execute(db.sql)
      await updateLastOperation(db, { id: heard.id, installationId })
      const { rows } = await sql<LastOperation>`
        select operation_id as id, status from last_operations
         where installation_id = ${installationId}`.execute(db.sql)
      expect([shown, heard, rows[0]]).toEqual([shown, heard, lastOperation(shown, heard)])
    }
})

test('a call through the proxy is not shown, and hides nothing', async () => {
  const { db } = kit.app
  const { id: installationId, integrationId, config } = await installed('proxied')
  const [read, call] = [kit.app.app.services.newId(), kit.app.app.services.newId()] as [string, string]
  const operation = { integrationId, installationId, configId: config.id }
  await insertOperations(db, [{ ...operation, id: read, actionType: 'read' }])
  await insertOperations(db, [{ ...operation, id: call, actionType: 'proxy' }])
  await updateLastOperation(db, { id: read, installationId })
  const { rows } =
    await sql`select operation_id as id from last_operations where installation_id = ${installationId}`.execute(db.sql)
  expect(rows).toEqual([{ id: read }])
})

test('an older operation that ends while a newer one begins does not hide it', async () => {
  const { db } = kit.app
  const installation = await installed('race')
  const { id: installationId, integrationId } = installation
  const [older, newer] = [kit.app.app.services.newId(), kit.app.app.services.newId()] as [string, string]
  const operation = { integrationId, installationId, configId: installation.config.id, actionType: 'read' } as const
  await insertOperations(db, [{ ...operation, id: older }])
  await updateLastOperation(db, { id: older, installationId })
  let ending: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await insertOperations(tx, [{ ...operation, id: newer }])
    await updateLastOperation(tx, { id: newer, installationId })
    await sql`update operations set status = 'success' where id = ${older}`.execute(db.sql)
    // It cannot see the newer one yet, and waits for the row.
    ending = updateLastOperation(db, { id: older, installationId })
    await untilLockWait(db.sql)
  })
  await ending
  const { rows } = await sql`
    select operation_id as id, status from last_operations where installation_id = ${installationId}`.execute(db.sql)
  expect(rows).toEqual([{ id: newer, status: 'in_progress' }])
})
