import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { createCountBuffer } from './count-buffer.ts'
import { countsTicks, eraseCounts } from './index.ts'
import type { CountSeries, Counts, TopInstallation } from './model.ts'
import { dropRankings, rankInstallations } from './rankings.ts'

const integrationId = newId()
const hourMs = 3_600_000
/** The clock of the nodes; each test has a day of its own. */
let time = new Date('2026-03-01T10:20:00Z')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())
beforeEach(() => {
  time = new Date(Math.ceil(time.getTime() / (24 * hourMs)) * 24 * hourMs + 10.3 * hourMs)
})

/** A node that counts; the tests store what it counted. */
function startNode(countsRetentionDays = 365) {
  const { database, log } = app.app.services
  return createCountBuffer({ config: { countsRetentionDays }, database, log, now: () => time })
}

/** Inserts an installation; what it consists of does not matter here. */
async function install(groupRef: string, integration = integrationId): Promise<string> {
  const [id, connection, config] = [newId(), newId(), newId()]
  const project = app.projectId
  await app.db.transaction(async (tx) => {
    for (const statement of [
      sql`insert into integrations (project_id, id, name, provider, latest_revision_id) values (${project}, ${integration}, ${`i-${integration}`}, 'sampleCrm', ${config}) on conflict do nothing`,
      sql`insert into revisions (project_id, id, integration_id, spec_version, content, content_hash) values (${project}, ${config}, ${integration}, '1.0.0', '{}', '')`,
      sql`update integrations set latest_revision_id = ${config} where project_id = ${project} and id = ${integration}`,
      sql`insert into groups (project_id, group_ref, group_name) values (${project}, ${groupRef}, 'G') on conflict do nothing`,
      sql`insert into consumers (project_id, consumer_ref, consumer_name) values (${project}, ${id}, 'C')`,
      sql`insert into connections (project_id, id, provider, group_ref, consumer_ref, auth_scheme, status) values (${project}, ${connection}, 'sampleCrm', ${groupRef}, ${id}, 'none', 'created')`,
      sql`insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by) values (${project}, ${id}, ${integration}, ${groupRef}, ${connection}, ${config}, 'consumer:c')`,
      sql`insert into configs (project_id, id, installation_id, version, revision_id, content, created_by) values (${project}, ${config}, ${id}, 1, ${config}, '{}', 'consumer:c')`,
    ])
      await statement.execute(tx.sql)
  })
  return id
}

const counted = (installationId: string, objectName = 'contacts') => ({
  projectId: app.projectId,
  installationId,
  objectName,
})
const at = (ms = 0) => new Date(time.getTime() + ms).toISOString()
const series = async (query: Record<string, string>) => {
  const { body } = await app.call<CountSeries>('GET', `/projects/default/counts?${new URLSearchParams(query)}`)
  return body
}
const day = () => ({ startTime: at(-2 * hourMs), endTime: at(hourMs) })
const totalOf = async (query: Record<string, string>): Promise<Partial<Counts>> => {
  const { total } = await series({ ...day(), ...query })
  return Object.fromEntries(Object.entries(total).filter(([, count]) => count > 0))
}

describe('counts over time', () => {
  it('add up what all nodes counted, and have zeros where nothing happened', async () => {
    const id = await install('acme')
    const nodes = [startNode(), startNode()]
    for (const node of nodes) node.add(counted(id), { reads: 1, recordsRead: 20 })
    await Promise.all(nodes.map((node) => node.flush()))
    nodes[0]?.add(counted(id), { reads: 2, failedReads: 1 })
    time = new Date(time.getTime() + 2 * hourMs)
    nodes[0]?.add(counted(id), { deliveries: 3, failedDeliveries: 1 })
    await Promise.all(nodes.map((node) => node.stop()))
    const { interval, results, total } = await series(day())
    expect(interval).toBe('hour')
    expect(
      results.map(({ counts }) => [counts.reads, counts.failedReads, counts.recordsRead, counts.deliveries]),
    ).toEqual([
      [4, 1, 40, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 3],
      [0, 0, 0, 0],
    ])
    expect([total.reads, total.failedDeliveries]).toEqual([4, 1])
    const byDay = await series({ ...day(), interval: 'day' })
    expect(byDay.results.map(({ counts }) => counts.reads)).toEqual([4])
  })

  it('are those of the project, or of the group, integration, installation and object that you select', async () => {
    const [one, other] = [await install('beta'), await install('gamma', newId())]
    const node = startNode()
    node.add(counted(one), { reads: 1 })
    node.add(counted(one, 'companies'), { reads: 10 })
    node.add(counted(other), { reads: 100 })
    await node.stop()
    expect(await totalOf({})).toEqual({ reads: 111 })
    expect(await totalOf({ groupRef: 'beta' })).toEqual({ reads: 11 })
    expect(await totalOf({ groupRef: 'beta', objectName: 'companies' })).toEqual({ reads: 10 })
    expect(await totalOf({ integrationId })).toEqual({ reads: 11 })
    expect(await totalOf({ integrationId: `i-${integrationId}`, objectName: 'contacts' })).toEqual({ reads: 1 })
    expect(await totalOf({ installationId: other })).toEqual({ reads: 100 })
    expect(await totalOf({ objectName: 'contacts' })).toEqual({ reads: 101 })
    expect(await totalOf({ installationId: other, groupRef: 'beta' })).toEqual({})
    expect(await totalOf({ integrationId: 'nothing' })).toEqual({})
    expect(await totalOf({ installationId: 'nonsense' })).toEqual({})
  })

  it('are not kept for 0 days', async () => {
    const id = await install('acme-off')
    const node = startNode(0)
    node.add(counted(id), { reads: 1 })
    await node.stop()
    expect(await totalOf({ installationId: id })).toEqual({})
  })

  it('are not shown to another project', async () => {
    const id = await install('delta')
    const node = startNode()
    node.add(counted(id), { reads: 1 })
    await node.stop()
    const { id: project, apiKey } = app.otherProject
    const query = new URLSearchParams({ ...day(), installationId: id })
    const { body } = await app.call<CountSeries>('GET', `/projects/${project}/counts?${query}`, undefined, { apiKey })
    expect(body.total.reads).toBe(0)
  })

  it('of a deleted installation neither fail the others nor appear', async () => {
    const id = await install('epsilon')
    const node = startNode()
    node.add(counted(newId()), { reads: 5 })
    node.add(counted(id), { reads: 1 })
    await node.stop()
    expect(await totalOf({})).toEqual({ reads: 1 })
  })

  it('are erased with the group', async () => {
    const id = await install('zeta')
    const node = startNode()
    node.add(counted(id), { reads: 1 })
    await node.stop()
    const { signal } = new AbortController()
    await eraseCounts(app.db, [id], { now: time, days: 365, signal })
    expect(await totalOf({ installationId: id })).toEqual({})
    const { rows } = await sql`select from installation_counts where installation_id = ${id}`.execute(app.db.sql)
    expect(rows).toEqual([])
  })

  it.each([
    { startTime: '2026-01-02T00:00:00Z', endTime: '2026-01-01T00:00:00Z' },
    { startTime: '2025-01-01T00:00:00Z', endTime: '2026-01-01T00:00:00Z' },
  ])('of the range %o are refused', async (query) => {
    const answer = await app.call<{ issues: { name: string }[] }>(
      'GET',
      `/projects/default/counts?${new URLSearchParams(query)}`,
    )
    expect([answer.status, answer.body.issues[0]?.name]).toEqual([400, 'startTime'])
  })

  it('are deleted when their month is past retention', async () => {
    const id = await install('eta')
    const later = time
    time = new Date('2020-02-10T00:00:00Z')
    const node = startNode()
    node.add(counted(id), { reads: 1 })
    await node.stop()
    const range = day()
    expect(await totalOf(range)).toEqual({ reads: 1 })
    const [retention] = countsTicks(app.app.services)
    await retention?.run(new AbortController().signal)
    expect(await totalOf(range)).toEqual({})
    time = later
  })
})

describe('the list of top installations', () => {
  const top = async (query: Record<string, string>) => {
    const path = `/projects/default/counts:top?${new URLSearchParams({ ...day(), ...query })}`
    return (await app.call<TopInstallation[]>('GET', path)).body
  }

  it('has those that fail most first, and none that did not fail', async () => {
    const [few, many, none] = [await install('theta'), await install('iota'), await install('kappa', newId())]
    const node = startNode()
    node.add(counted(few), { reads: 9, failedReads: 2, recordsRead: 5 })
    node.add(counted(many), { failedReads: 1 })
    node.add(counted(many, 'companies'), { failedReads: 7 })
    node.add(counted(none), { recordsRead: 50 })
    await node.stop()
    const failing = await top({})
    expect(failing.map(({ groupRef, counts }) => [groupRef, counts.failedReads])).toEqual([
      ['iota', 8],
      ['theta', 2],
    ])
    expect((await top({ by: 'recordsRead', interval: 'day', limit: '1' })).map(({ groupRef }) => groupRef)).toEqual([
      'kappa',
    ])
    expect((await top({ by: 'recordsRead', integrationId })).map(({ groupRef }) => groupRef)).toEqual(['theta'])
    expect(await top({ integrationId: 'nothing' })).toEqual([])
  })

  it('merges the rankings of its intervals, and sums up those that are not ranked', async () => {
    const [first, second, third] = [await install('lambda'), await install('mu'), await install('nu', newId())]
    const node = startNode()
    const add = async (reads: readonly [string, number][]) => {
      for (const [id, count] of reads) node.add(counted(id), { reads: count })
      await node.flush()
    }
    const start = time
    await add([
      [first, 5],
      [second, 3],
      [third, 1],
    ])
    await rankInstallations(app.app.services.database.system, time, { min: 1, max: 1 })
    const names = async (query: Record<string, string> = {}) =>
      (await top({ by: 'reads', ...query })).map(({ groupRef, counts }) => [groupRef, counts.reads])
    // One of each integration is ranked.
    expect(await names()).toEqual([
      ['lambda', 5],
      ['nu', 1],
    ])
    expect(await names({ integrationId })).toEqual([['lambda', 5]])
    // Another ranking follows after minutes, and the counts are exact meanwhile.
    await add([
      [second, 9],
      [first, 1],
    ])
    await rankInstallations(app.app.services.database.system, time, { min: 1, max: 1 })
    expect(await names()).toEqual([
      ['lambda', 6],
      ['nu', 1],
    ])
    time = new Date(start.getTime() + 6 * 60_000)
    await rankInstallations(app.app.services.database.system, time, { min: 1, max: 1 })
    expect(await names()).toEqual([
      ['mu', 12],
      ['nu', 1],
    ])
    // An hour without a ranking is summed up.
    time = new Date(start.getTime() + hourMs)
    await add([
      [first, 100],
      [second, 1],
    ])
    expect(await names()).toEqual([
      ['lambda', 106],
      ['mu', 13],
      ['nu', 1],
    ])
    await eraseCounts(app.db, [second], { now: time, days: 365, signal: new AbortController().signal })
    expect(await names({ integrationId })).toEqual([['lambda', 106]])
    const { rows } = await sql`select from ranked_installations where installation_id = ${second}`.execute(app.db.sql)
    expect(rows).toEqual([])
  })

  it('drops rankings past retention', async () => {
    await install('xi')
    const { system } = app.app.services.database
    await rankInstallations(system, new Date('2020-03-01T10:00:00Z'), { min: 1 })
    await dropRankings(system, time, 365)
    const { rows } = await sql`select from ranked_intervals where start_time < '2021-01-01'`.execute(app.db.sql)
    expect(rows).toEqual([])
  })
})
