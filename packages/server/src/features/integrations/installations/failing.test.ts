import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import type { FailingInstallation, FailureReason } from './failures.ts'
import { refreshHealth } from './index.ts'

interface Page {
  results: FailingInstallation[]
  pagination: { done: boolean; nextPageToken?: string }
}
interface Status {
  healthStatus: string
  healthReasons?: string[]
  objects: { objectName: string; state: string; failure?: { since?: string; detail: string } }[]
}

let kit: InstallationKit
let installation: { id: string; connectionId: string; integrationId: string }
beforeAll(async () => {
  kit = await startInstallationKit()
  const connectionId = await kit.connect('acme', { groupName: 'Acme Corp' })
  const { id, integrationId } = (await kit.create('acme', { contacts: {} })).body
  installation = { id, connectionId, integrationId }
  await run(sql`insert into read_states (project_id, installation_id, object_name)
    values (${kit.app.projectId}, ${id}, 'companies'), (${kit.app.projectId}, ${id}, 'deals')`)
})
afterAll(() => kit?.stop())

const run = (statement: ReturnType<typeof sql>) => statement.execute(kit.app.db.sql)
const list = async (query: Record<string, string> = {}) => {
  const path = `/projects/default/installations:failing?${new URLSearchParams(query)}`
  const { status, body } = await kit.app.call<Page>('GET', path)
  expect(status).toBe(200)
  return body
}
const status = async () => (await kit.app.call<Status>('GET', `${kit.path()}/${installation.id}/status`)).body
const refresh = () => refreshHealth(kit.app.db, { installationId: installation.id })
const state = (change: ReturnType<typeof sql>, object = 'contacts') =>
  run(
    sql`update read_states set ${change}, update_time = '2026-03-03T00:00:00.123456Z' where installation_id = ${installation.id} and object_name = ${object}`,
  )

/** How each reason comes about. */
const breakBy: Record<FailureReason, () => Promise<unknown>> = {
  bad_credentials: () =>
    run(sql`update connections set status = 'bad_credentials', update_time = '2026-03-01T00:00:00Z',
      check_reason = 'The API key was revoked.' where id = ${installation.connectionId}`),
  backfill_failed: () =>
    run(sql`insert into backfills (project_id, installation_id, object_name, operation_id, error, update_time)
      values (${kit.app.projectId}, ${installation.id}, 'contacts', ${newId()}, 'Page 3 is broken.', '2026-03-02T00:00:00Z')`),
  reads_paused: () => state(sql`paused = 'failures', paused_time = '2026-03-03T00:00:00Z', last_error = 'It broke.'`),
  subscription_failed: () =>
    run(sql`insert into subscriptions as s (project_id, installation_id, integration_id, error, update_time)
      values (${kit.app.projectId}, ${installation.id}, ${installation.integrationId}, 'No hooks left.', '2026-03-04T00:00:00Z')
      on conflict (project_id, installation_id) do update set error = excluded.error, update_time = excluded.update_time`),
  reads_failing: () => state(sql`failure_count = 2, last_error = 'Busy.'`),
}

beforeEach(async () => {
  await run(sql`update read_states set paused = null, paused_time = null, failure_count = 0, last_error = null
    where installation_id = ${installation.id}`)
  await run(sql`delete from backfills where installation_id = ${installation.id}`)
  await run(sql`update subscriptions set error = null where installation_id = ${installation.id}`)
  await run(sql`update connections set status = 'working', check_reason = null where id = ${installation.connectionId}`)
  await refresh()
})

describe('the failing installations of a project', () => {
  it('are none while everything works', async () => {
    expect(await list()).toEqual({ results: [], pagination: { done: true } })
    expect((await status()).healthStatus).toBe('healthy')
  })

  it.each(['bad_credentials', 'backfill_failed', 'reads_paused', 'subscription_failed'] as const)(
    'say the same as the status of the installation: %s',
    async (reason) => {
      await breakBy[reason]()
      await refresh()
      const { results } = await list()
      const { healthStatus, healthReasons } = await status()
      expect(results.map((one) => [one.reason, one.healthStatus, one.detail])).toEqual([
        [reason, healthStatus, healthReasons?.[0]],
      ])
      expect(healthReasons).toHaveLength(1)
    },
  )

  it('include reads that fail and are tried again, as the status does', async () => {
    await breakBy.reads_failing()
    const [found] = (await list()).results
    const { healthStatus, objects } = await status()
    const failing = objects.find(({ state }) => state === 'failing')
    expect(found).toMatchObject({
      reason: 'reads_failing',
      objectName: failing?.objectName,
      since: failing?.failure?.since,
      detail: failing?.failure?.detail,
      healthStatus,
    })
    expect(healthStatus).toBe('healthy')
  })

  it.each(['config', 'removed'])('leave out the backfill of an object that is paused by %s', async (paused) => {
    await breakBy.backfill_failed()
    await state(sql`paused = ${paused}`)
    await refresh()
    expect([(await list()).results, (await status()).healthStatus]).toEqual([[], 'healthy'])
  })

  it('show what is needed to link to the installation, and the last error', async () => {
    await breakBy.bad_credentials()
    expect((await list()).results).toEqual([
      {
        installationId: installation.id,
        integrationId: installation.integrationId,
        integrationName: 'crm',
        connectionId: installation.connectionId,
        provider: 'sampleCrm',
        groupRef: 'acme',
        groupName: 'Acme Corp',
        healthStatus: 'healthy',
        reason: 'bad_credentials',
        detail: 'The provider refuses the credential of the connection.',
        since: '2026-03-01T00:00:00.000Z',
        lastError: 'The API key was revoked.',
      },
    ])
  })

  it('come the worst reason first, then the longest, in pages that neither repeat nor hide any', async () => {
    for (const reason of ['bad_credentials', 'backfill_failed', 'subscription_failed', 'reads_failing'] as const)
      await breakBy[reason]()
    await state(
      sql`paused = 'failures', paused_time = '2026-02-03T00:00:00.000001Z', last_error = 'Older.'`,
      'companies',
    )
    await state(sql`paused = 'failures', paused_time = '2026-02-03T00:00:00.000002Z', last_error = 'Newer.'`, 'deals')
    const whole = (await list()).results
    const reasons = whole.map(({ reason }) => reason)
    expect(reasons.slice(0, 3)).toEqual(['bad_credentials', 'backfill_failed', 'reads_paused'])
    expect(reasons.slice(-2)).toEqual(['subscription_failed', 'reads_failing'])
    const paged: FailingInstallation[] = []
    let pageToken: string | undefined
    do {
      const page = await list({ pageSize: '1', ...(pageToken !== undefined && { pageToken }) })
      expect(page.results).toHaveLength(1)
      paged.push(...page.results)
      pageToken = page.pagination.nextPageToken
    } while (pageToken !== undefined)
    expect(paged).toEqual(whole)
  })

  it('are found by reason, integration and group', async () => {
    await breakBy.bad_credentials()
    await breakBy.reads_paused()
    const found = async (query: Record<string, string>) => (await list(query)).results.map(({ reason }) => reason)
    expect(await found({ reason: 'reads_paused' })).toEqual(['reads_paused'])
    expect(await found({ integrationId: 'crm', groupRef: 'acme' })).toEqual(['bad_credentials', 'reads_paused'])
    expect(await found({ integrationId: installation.integrationId, reason: 'reads_failing' })).toEqual([])
    expect(await found({ groupRef: 'other' })).toEqual([])
    expect(await found({ integrationId: 'other' })).toEqual([])
  })

  it('are not shown to another project, and a changed token is refused', async () => {
    await breakBy.bad_credentials()
    const { apiKey, id } = kit.app.otherProject
    const other = await kit.app.call<Page>('GET', `/projects/${id}/installations:failing`, undefined, { apiKey })
    expect(other.body.results).toEqual([])
    const bad = await kit.app.call('GET', '/projects/default/installations:failing?pageToken=bm9uc2Vuc2U')
    expect(bad.status).toBe(400)
  })
})
