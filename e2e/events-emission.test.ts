import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uninstall } from '../packages/server/src/features/integrations/installations/index.ts'
import { eventNames } from '../packages/server/src/features/messaging/notifications/index.ts'
import { deploy } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import type { ProjectDb } from '../packages/server/src/kernel/db/index.ts'
import { ok, type ReadingKit, route, startReadingKit } from './events.testkit.ts'

/** What is posted when something happens, and what that costs. Nothing runs in the background. */

let kit: ReadingKit
beforeAll(async () => {
  kit = await startReadingKit({}, { MORTISE_ROLES: 'api' })
})
afterAll(() => kit?.stop())

const project = '/projects/default'
const call = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  ok<T>(kit.app.call(method, path, body))

async function destination(name: string): Promise<{ id: string }> {
  const metadata = { url: 'https://203.0.114.5/hooks' }
  return call('POST', `${project}/destinations`, { name, type: 'webhook', metadata })
}

async function posted(destinationName: string) {
  const rows = await kit.app.db.sql
    .selectFrom('messages')
    .select(['event_type', 'kind', 'installation_id', 'payload'])
    .where('destination_name', '=', destinationName)
    .orderBy('id')
    .execute()
  return rows.map(({ payload, ...row }) => ({ ...row, ...JSON.parse(payload.toString()) }))
}

/** Runs `work` in a transaction; answers how many statements it sent, those before its commit included. */
async function statementsOf(work: (tx: ProjectDb) => Promise<void>): Promise<number> {
  let count = 0
  await kit.app.db.transaction(async (tx) => {
    const counting = tx.sql.withPlugin({
      transformQuery: ({ node }) => {
        count++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const last: (() => Promise<void>)[] = []
    await work({ ...tx, sql: counting, beforeCommit: (work) => void last.push(work) })
    for (const work of last) await work()
  })
  return count
}

const hooks = () => kit.app.app.services.hooks

describe('an event', () => {
  it('that is rolled back is told to nobody', async () => {
    const { connectionId } = await kit.install()
    await route(kit.app, 'rolled-back', ['connection.updated', 'connection.error'], [await destination('rolled-back')])
    const undone = kit.app.db.transaction(async (tx) => {
      await hooks().connectionCreated(tx, { connectionId, isNew: false })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await kit.app.db.transaction((tx) =>
      hooks().connectionStatusChanged(tx, { connectionId, from: 'working', to: 'bad_credentials', error: 'No.' }),
    )
    const messages = await posted('rolled-back')
    expect(messages.map(({ event_type: type, kind }) => [type, kind])).toEqual([['connection.error', 'notification']])
    expect(messages[0]?.data).toMatchObject({ connectionId, errors: ['No.'], error: ['No.'] })
  })

  it('is a triggered read whose object is no longer read', async () => {
    const installed = await kit.install()
    await route(kit.app, 'no-longer', ['read.triggered.error'], [await destination('no-longer')])
    await call('POST', `//read/v1/projects/default/integrations/${installed.name}/objects/contacts`, {
      groupRef: installed.groupRef,
      mode: 'async',
    })
    await deploy(kit.app, installed.name, { objectName: 'companies' }, true)
    // What the job after the deploy does too: brings the installation in line.
    const path = `//read/v1/projects/default/integrations/${installed.name}/installations/${installed.installationId}`
    await call('POST', `${path}:unpause`)
    expect(await posted('no-longer')).toMatchObject([
      {
        installation_id: installed.installationId,
        notificationType: 'read.triggered.error',
        data: { objectName: 'contacts', error: 'The object is no longer read by this installation.' },
      },
    ])
  })

  it('is the pause of each installation that a destructive deploy touches, once however many of its objects', async () => {
    const [first, second] = [await kit.install(), await kit.install()]
    await route(kit.app, 'paused', ['read.schedule.paused'], [await destination('paused')])
    await deploy(kit.app, first.name, { objectName: 'companies' }, false)
    expect(await posted('paused')).toEqual([])
    await deploy(kit.app, second.name, { objectName: 'companies' }, true)
    expect((await posted('paused')).map((message) => message.installation_id)).toEqual([second.installationId])
    await deploy(kit.app, second.name, { objectName: 'companies' }, true)
    expect(await posted('paused')).toHaveLength(1)
  })
})

const pausedReads = (installationId: string) => ({
  installationId,
  objectNames: ['contacts'],
  reason: 'request' as const,
})

describe('to tell of events', () => {
  it('costs one statement where nobody listens', async () => {
    await sql`delete from event_topic_routes`.execute(kit.app.db.sql)
    const { installationId, connectionId } = await kit.install()
    const ended = { installationId, objectName: 'contacts', kind: 'triggered', outcome: 'success' } as const
    const costs = [
      await statementsOf((tx) => hooks().connectionsDeleting(tx, { connectionIds: [connectionId] })),
      await statementsOf((tx) => hooks().installationsDeleting(tx, { installationIds: [installationId] })),
      await statementsOf((tx) => hooks().readsEnded(tx, [ended])),
      await statementsOf((tx) => hooks().readsPaused(tx, [pausedReads(installationId)])),
    ]
    // One more records the history. Uninstalling also ends what is being written, what providers have sent, what was
    // registered there, and which export jobs run there, and hides the records that are stored.
    expect(costs).toEqual([2, 7, 1, 2])
    expect(await statementsOf((tx) => hooks().readsEnded(tx, []))).toBe(0)
  })

  it('costs the same for one installation and for a thousand', async () => {
    const installed = await kit.install()
    await sql`delete from event_topic_routes`.execute(kit.app.db.sql)
    await route(kit.app, 'bulk', [...eventNames], [await destination('bulk')])
    const ids = await copies(installed.installationId, 1_000)
    const one = [installed.installationId]
    const deleting = (installationIds: string[]) =>
      statementsOf((tx) => hooks().installationsDeleting(tx, { installationIds }))
    const pausing = (installationIds: string[]) =>
      statementsOf((tx) =>
        hooks().readsPaused(
          tx,
          installationIds.map((installationId) => pausedReads(installationId)),
        ),
      )
    const ending = (installationIds: string[]) =>
      statementsOf((tx) =>
        hooks().readsEnded(
          tx,
          installationIds.map((installationId) => ({
            installationId,
            objectName: 'contacts',
            kind: 'backfill',
            outcome: 'success',
          })),
        ),
      )
    for (const [type, cost] of [
      ['installation.deleted', deleting],
      ['read.schedule.paused', pausing],
      ['read.backfill.done', ending],
    ] as const) {
      expect(await cost(ids)).toBe(await cost(one))
      const about = (await posted('bulk')).filter(({ event_type: event }) => event === type)
      expect(new Set(about.map((message) => message.installation_id))).toEqual(new Set([...ids, ...one]))
      expect(about).toHaveLength(1_001)
    }
  })

  it('tells of a backfill that could not end, with the reason', async () => {
    const { installationId } = await kit.install()
    await route(kit.app, 'unfinished', ['read.backfill.error'], [await destination('unfinished')])
    const read = { installationId, objectName: 'contacts', kind: 'backfill', outcome: 'failure' } as const
    await kit.app.db.transaction((tx) =>
      hooks().readsEnded(tx, [{ ...read, error: 'A page titled "Back soon" came.' }]),
    )
    expect(await posted('unfinished')).toEqual([
      expect.objectContaining({
        notificationType: 'read.backfill.error',
        data: expect.objectContaining({
          installationId,
          objectName: 'contacts',
          error: 'A page titled "Back soon" came.',
        }),
      }),
    ])
  })

  it('costs the same to delete an integration with one installation and with a thousand that are being read', async () => {
    await sql`delete from event_topic_routes`.execute(kit.app.db.sql)
    await route(kit.app, 'gone', ['installation.deleted', 'connection.deleted'], [await destination('gone')])
    const costs: number[] = []
    for (const count of [0, 999]) {
      const { installationId, name, groupRef } = await kit.install()
      const path = `//read/v1/projects/default/integrations/${name}/objects/contacts`
      await call('POST', path, { groupRef, mode: 'async' })
      const ids = [installationId, ...(await copies(installationId, count))]
      await read(installationId, ids.slice(1))
      const { rows } = await sql<{ id: string }>`
        select distinct integration_id as id from installations where id = any(${ids})`.execute(kit.app.db.sql)
      expect(rows).toHaveLength(1)
      costs.push(
        await statementsOf(async (tx) => {
          const deleted = await uninstall(tx, kit.app.app.services, { integrationId: rows[0]?.id ?? '' })
          expect(deleted.toSorted()).toEqual(ids.toSorted())
        }),
      )
      const left = await sql`
        select installation_id from read_runs where installation_id = any(${ids})
        union all select installation_id from read_states where installation_id = any(${ids})
        union all select installation_id from operations where installation_id = any(${ids}) and status = 'in_progress'
        union all select id from installations where id = any(${ids})`.execute(kit.app.db.sql)
      expect(left.rows).toEqual([])
    }
    expect(costs[1]).toBe(costs[0])
    const about = (await posted('gone')).map(({ event_type: type }) => type)
    expect(about.filter((type) => type === 'installation.deleted')).toHaveLength(1_001)
    expect(about.filter((type) => type === 'connection.deleted')).toHaveLength(1_001)
  })

  /** Gives installations the read states, operations and runs that another one has. */
  async function read(installationId: string, ids: string[]): Promise<void> {
    const system = kit.app.testDatabase.database.system
    for (const [table, fresh] of [
      ['read_states', []],
      ['operations', ['id']],
    ] as const) {
      const source = await system
        .selectFrom(table)
        .selectAll()
        .where('installation_id', '=', installationId)
        .executeTakeFirstOrThrow()
      const copies = ids.map((id) => ({
        ...source,
        installation_id: id,
        ...Object.fromEntries(fresh.map((key) => [key, kit.app.app.services.newId()])),
      }))
      if (copies.length > 0)
        await sql`insert into ${sql.table(table)}
          select * from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(copies)}::jsonb)`.execute(
          system,
        )
    }
    await sql`
      insert into read_runs (project_id, operation_id, installation_id, object_name, kind)
      select o.project_id, o.id, o.installation_id, 'contacts', 'scheduled' from operations o
       where o.installation_id = any(${ids})`.execute(system)
  }

  /** Installations like another one, each on a connection of its own. Answers their ids. */
  async function copies(installationId: string, count: number): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      with source as (select * from installations where id = ${installationId}),
      made as (
        select gen_random_uuid() as id, gen_random_uuid() as connection_id, gen_random_uuid() as config_id, n
          from generate_series(1, ${count}) n
      ), connection as (
        insert into connections (project_id, id, provider, group_ref, consumer_ref, auth_scheme, status, provider_workspace_ref)
        select c.project_id, made.connection_id, c.provider, c.group_ref, c.consumer_ref, c.auth_scheme, c.status, made.n::text
          from made, source join connections c on c.id = source.connection_id
      ), config as (
        insert into configs (project_id, id, installation_id, version, revision_id, content, created_by)
        select f.project_id, made.config_id, made.id, 1, f.revision_id, f.content, f.created_by
          from made, source join configs f on f.id = source.config_id
      )
      insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
      select source.project_id, made.id, source.integration_id, source.group_ref, made.connection_id, made.config_id, source.created_by
        from made, source
      returning id`.execute(kit.app.testDatabase.database.system)
    return rows.map(({ id }) => id)
  }
})

it('two transactions that tell the same destinations in opposite order do not meet in a circle', async () => {
  await route(kit.app, 'there', ['connection.created'], [await destination('there')])
  await route(kit.app, 'back', ['connection.updated'], [await destination('back')])
  const { connectionId } = await kit.install()
  const both: { arrived: number; go?: () => void } = { arrived: 0 }
  const all = new Promise<void>((resolve) => {
    both.go = resolve
  })
  const told = (isNew: boolean) =>
    kit.app.db.transaction(async (tx) => {
      await hooks().connectionCreated(tx, { connectionId, isNew })
      if (++both.arrived === 2) both.go?.()
      await all
      await hooks().connectionCreated(tx, { connectionId, isNew: !isNew })
    })
  await Promise.all([told(true), told(false)])
  expect(await posted('there')).toHaveLength(2 + 1)
  expect(await posted('back')).toHaveLength(2)
})
