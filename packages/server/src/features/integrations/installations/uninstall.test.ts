import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import { untilLockWait } from '../../../testkit/lock-waits.ts'
import { uninstall } from './uninstall.ts'

let kit: InstallationKit
let groups = 0

beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())

const names = Array.from({ length: 4 }, (_, index) => `removal-${index}`)
const deployRemovals = () =>
  kit.deploy(`specVersion: 1.0.0
integrations:
${names
  .map(
    (name) =>
      `  - { name: ${name}, provider: sampleCrm, read: { objects: [{ objectName: contacts, destination: hook, schedule: "0 * * * *", backfill: { defaultPeriod: { days: 1 } } }] } }\n`,
  )
  .join('')}`)

async function installed(integration = 'crm') {
  const groupRef = `gone-${++groups}`
  const connectionId = await kit.connect(groupRef)
  const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: {} } } } }
  const answer = await kit.app.call<{ id: string }>('POST', `${kit.path(integration)}?skipSampling=true`, {
    groupRef,
    config,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return { groupRef, connectionId, id: answer.body.id }
}

/** How many rows of each table that hangs on an installation are left. */
async function left(ids: string[]) {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from installations where id = any(${ids})) as installations,
           (select count(*)::int from configs where installation_id = any(${ids})) as configs,
           (select count(*)::int from read_states where installation_id = any(${ids})) as states,
           (select count(*)::int from read_runs where installation_id = any(${ids})) as runs,
           (select count(*)::int from backfills where installation_id = any(${ids})) as backfills,
           (select count(*)::int from operations where installation_id = any(${ids}) and status = 'in_progress') as running`.execute(
    kit.app.db.sql,
  )
  return rows[0]
}
const nothing = { installations: 0, configs: 0, states: 0, runs: 0, backfills: 0, running: 0 }
const connections = async (ids: string[]) =>
  (
    await sql`select id from connections where id = any(${ids})
      union all select connection_id from connection_credentials where connection_id = any(${ids})`.execute(
      kit.app.db.sql,
    )
  ).rows.length

/** Notes what the hooks are told while `work` runs, and what was still there when they were told. */
async function toldDuring(work: () => Promise<unknown>) {
  const { hooks } = kit.app.app.services
  const told: { hook: string; ids: string[]; there: number }[] = []
  const before = { installations: hooks.installationsDeleting, connections: hooks.connectionsDeleting }
  const count = async (tx: ProjectDb, table: string, ids: string[]) =>
    (await sql`select from ${sql.table(table)} where id = any(${ids})`.execute(tx.sql)).rows.length
  hooks.installationsDeleting = async (tx, { installationIds: ids }) => {
    told.push({ hook: 'installations', ids, there: await count(tx, 'installations', ids) })
  }
  hooks.connectionsDeleting = async (tx, { connectionIds: ids }) => {
    told.push({ hook: 'connections', ids, there: await count(tx, 'connections', ids) })
  }
  try {
    await work()
  } finally {
    hooks.installationsDeleting = before.installations
    hooks.connectionsDeleting = before.connections
  }
  return told
}

describe('deleting an installation', () => {
  test('everything that hangs on it goes, its operations end, and who listens is told before', async () => {
    const { id, connectionId } = await installed()
    expect(await left([id])).toMatchObject({ runs: 1, backfills: 1, running: 1 })
    const told = await toldDuring(async () =>
      expect((await kit.app.call('DELETE', `${kit.path()}/${id}`)).status).toBe(204),
    )
    expect(told).toEqual([
      { hook: 'installations', ids: [id], there: 1 },
      { hook: 'connections', ids: [connectionId], there: 1 },
    ])
    expect(await left([id])).toEqual(nothing)
    expect(await connections([connectionId])).toBe(0)
    const { rows } = await sql`select status, result from operations where installation_id = ${id}`.execute(
      kit.app.db.sql,
    )
    expect(rows).toEqual([{ status: 'failure', result: '[contacts] The installation was deleted.' }])
  })

  test('a connection that another installation uses stays, and nobody is told that it goes', async () => {
    await deployRemovals()
    const { id, connectionId, groupRef } = await installed()
    const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: {} } } } }
    expect((await kit.app.call('POST', kit.path('removal-0'), { groupRef, config })).status).toBe(201)
    const told = await toldDuring(() => kit.app.call('DELETE', `${kit.path()}/${id}`))
    expect(told.map(({ hook }) => hook)).toEqual(['installations'])
    expect(await connections([connectionId])).toBe(2)
  })

  test('twice at the same moment: one deletes, the other finds nothing', async () => {
    const { id } = await installed()
    const answers = await Promise.all([1, 2].map(() => kit.app.call('DELETE', `${kit.path()}/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
  })

  test('a failure keeps all of it', async () => {
    const { id } = await installed()
    await expect(
      kit.app.db.transaction(async (tx) => {
        await uninstall(tx, kit.app.app.services, { installationId: id })
        throw new Error('later')
      }),
    ).rejects.toThrow('later')
    expect(await left([id])).toMatchObject({ installations: 1, states: 1, running: 1 })
  })
})

describe('deleting an integration', () => {
  test('its installations go with it, told of once, in a number of statements that does not grow', async () => {
    await deployRemovals()
    const statements: number[] = []
    for (const [name, count] of [
      ['removal-1', 1],
      ['removal-2', 6],
    ] as const) {
      const all = []
      for (let at = 0; at < count; at++) all.push(await installed(name))
      const ids = all.map(({ id }) => id).sort()
      const queries = countQueries()
      const told = await toldDuring(async () =>
        expect((await kit.app.call('DELETE', `${kit.base}/integrations/${name}`)).status).toBe(204),
      )
      statements.push(queries.stop())
      expect(told).toEqual([
        { hook: 'installations', ids, there: count },
        { hook: 'connections', ids: all.map(({ connectionId }) => connectionId).sort(), there: count },
      ])
      expect(await left(ids)).toEqual(nothing)
      expect(await connections(all.map(({ connectionId }) => connectionId))).toBe(0)
    }
    expect(statements[0]).toBeGreaterThan(5)
    expect(statements[1]).toBe(statements[0])
  })

  test('an installation that comes at the same moment is either deleted too or refused', async () => {
    await deployRemovals()
    const groupRef = `late-${++groups}`
    await kit.connect(groupRef)
    const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: {} } } } }
    const [created, deleted] = await Promise.all([
      kit.app.call('POST', `${kit.path('removal-3')}?skipSampling=true`, { groupRef, config }),
      kit.app.call('DELETE', `${kit.base}/integrations/removal-3`),
    ])
    expect(deleted.status).toBe(204)
    expect([201, 400, 404]).toContain(created.status)
    expect((await kit.app.call('GET', `${kit.base}/installations?groupRef=${groupRef}`)).body).toEqual([])
  })
})

describe('others who are at the same installation do not stand in a circle', () => {
  /** Begins a deletion while `hold` holds locks, and goes on with `then` once the deletion waits for them. */
  async function meets(
    id: string,
    hold: (tx: ProjectDb) => Promise<unknown>,
    then: (tx: ProjectDb) => Promise<unknown>,
  ) {
    let deletion: Promise<{ status: number }> | undefined
    await kit.app.db.transaction(async (tx) => {
      await hold(tx)
      deletion = kit.app.call('DELETE', `${kit.path()}/${id}`)
      await untilLockWait(kit.app.db.sql)
      await then(tx)
    })
    return (await deletion)?.status
  }
  const state = (id: string) => (tx: ProjectDb) =>
    sql`select from read_states where installation_id = ${id} for no key update skip locked`.execute(tx.sql)

  test('a claim of its reads, which holds their states and adds runs', async () => {
    const { id } = await installed()
    const status = await meets(id, state(id), async (tx) => {
      await sql`insert into read_runs (project_id, operation_id, installation_id, object_name, kind)
        values (${tx.projectId}, ${kit.app.app.services.newId()}, ${id}, 'contacts', 'scheduled')`.execute(tx.sql)
      await sql`update read_states set next_run_at = now() where installation_id = ${id}`.execute(tx.sql)
    })
    expect(status).toBe(204)
    expect(await left([id])).toEqual(nothing)
  })

  test('a run that commits pages, and shows how far it has come', async () => {
    const { id } = await installed()
    const status = await meets(
      id,
      (tx) => sql`update read_runs set pages = pages + 1 where installation_id = ${id}`.execute(tx.sql),
      (tx) => sql`update operations set metadata = '{}' where installation_id = ${id}`.execute(tx.sql),
    )
    expect(status).toBe(204)
    expect(await left([id])).toEqual(nothing)
  })

  test('a run that ends, or a change of the config, which hold the installation', async () => {
    const { id } = await installed()
    const status = await meets(
      id,
      (tx) => sql`select from installations where id = ${id} for no key update`.execute(tx.sql),
      async (tx) => {
        await sql`update backfills set done_time = now() where installation_id = ${id}`.execute(tx.sql)
        await sql`update operations set status = 'success' where installation_id = ${id}`.execute(tx.sql)
        await sql`update read_states set failure_count = 0 where installation_id = ${id}`.execute(tx.sql)
        await sql`delete from read_runs where installation_id = ${id}`.execute(tx.sql)
      },
    )
    expect(status).toBe(204)
  })

  test('a change of the connection’s status, which goes on to installations and states', async () => {
    const { id, connectionId } = await installed()
    const status = await meets(
      id,
      (tx) => sql`select from connections where id = ${connectionId} for no key update`.execute(tx.sql),
      async (tx) => {
        await sql`update installations set health_status = 'unhealthy' where id = ${id}`.execute(tx.sql)
        await sql`update read_states set paused = 'credentials' where installation_id = ${id}`.execute(tx.sql)
      },
    )
    expect(status).toBe(204)
  })
})

test('a read that is asked for while its installation goes is refused, and leaves nothing behind', async () => {
  const { id, groupRef } = await installed()
  let asked: Promise<{ status: number; body: unknown }> | undefined
  await kit.app.db.transaction(async (tx) => {
    await uninstall(tx, kit.app.app.services, { installationId: id })
    asked = kit.app.call('POST', `/${`/read/v1${kit.base}`}/integrations/crm/objects/contacts`, {
      groupRef,
      mode: 'async',
    })
    await untilLockWait(kit.app.db.sql)
  })
  expect(await asked).toMatchObject({ status: 400, body: { issues: [{ in: 'body', name: 'groupRef' }] } })
  expect(await left([id])).toEqual(nothing)
})

/** Counts the statements that the service sends until it is stopped. */
function countQueries() {
  const { database } = kit.app.app.services
  const counter = { count: 0 }
  const { forProject } = database
  database.forProject = (projectId) => {
    const db = forProject.call(database, projectId)
    return { ...db, transaction: (work) => db.transaction((tx) => work(counted(tx))) }
  }
  const counted = (tx: ProjectDb): ProjectDb => {
    const plugin = {
      transformQuery: ({ node }: { node: never }) => {
        counter.count++
        return node
      },
      transformResult: async ({ result }: { result: never }) => result,
    }
    const self: ProjectDb = { ...tx, sql: tx.sql.withPlugin(plugin as never), transaction: (work) => work(self) }
    return self
  }
  return {
    stop() {
      database.forProject = forProject
      return counter.count
    },
  }
}
