import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import { refreshHealth } from '../../integrations/installations/index.ts'
import type { Overview } from './model.ts'

let kit: InstallationKit
let installationId: string
let connectionId: string
beforeAll(async () => {
  kit = await startInstallationKit()
  connectionId = await kit.connect('acme')
  await kit.connect('other')
  installationId = (await kit.create('acme', { contacts: {} })).body.id
})
afterAll(() => kit?.stop())

const run = (statement: ReturnType<typeof sql>) => statement.execute(kit.app.db.sql)
const overview = async () => {
  const { status, body } = await kit.app.call<Overview>('GET', '/projects/default/overview')
  expect(status).toBe(200)
  return body
}
const post = (values: ReturnType<typeof sql>, count: number) =>
  run(sql`insert into messages (project_id, id, destination_name, kind, payload, payload_bytes, destination_id, attempt, create_time, state)
    select ${kit.app.projectId}, id::uuid, 'gone', 'read', '{}', 2, ${values}
      from jsonb_array_elements_text(${JSON.stringify(Array.from({ length: count }, newId))}::jsonb) as id`)

describe('the overview of a project', () => {
  it('counts installations, what fails by reason, and connections by status', async () => {
    const before = await overview()
    expect(before.installations).toEqual({ total: 1, unhealthy: { count: 0, capped: false } })
    expect(before.failing.map(({ reason, count }) => [reason, count])).toEqual([
      ['bad_credentials', 0],
      ['backfill_failed', 0],
      ['reads_paused', 0],
      ['subscription_failed', 0],
      ['reads_failing', 0],
    ])
    await run(sql`update connections set status = 'bad_credentials' where id = ${connectionId}`)
    await run(sql`update read_states set paused = 'failures' where installation_id = ${installationId}`)
    await refreshHealth(kit.app.db, { installationId })
    const { installations, failing, connections } = await overview()
    expect(installations.unhealthy.count).toBe(1)
    expect(failing.filter(({ count }) => count > 0)).toEqual([
      { reason: 'bad_credentials', count: 1, capped: false },
      { reason: 'reads_paused', count: 1, capped: false },
    ])
    expect(connections).toEqual({ created: 0, working: 1, bad_credentials: 1 })
  })

  it('counts what waits, of each destination and of names without one', async () => {
    const { body } = await kit.app.call<{ id: string }>('POST', '/projects/default/destinations', {
      name: 'down',
      type: 'webhook',
      metadata: { url: 'https://example.com/hook' },
    })
    await kit.app.call('POST', '/projects/default/destinations/down:disable', { reason: 'Maintenance.' })
    await post(sql`${body.id}::uuid, 0, '2026-01-02T00:00:00Z', 'pending'`, 3)
    await post(sql`${body.id}::uuid, 2, '2026-01-01T00:00:00Z', 'pending'`, 1)
    await post(sql`${body.id}::uuid, 1, '2025-01-01T00:00:00Z', 'delivered'`, 5)
    await post(sql`${body.id}::uuid, 1, '2025-01-01T00:00:00Z', 'failed'`, 2)
    await post(sql`null, 0, '2026-01-03T00:00:00Z', 'pending'`, 2)
    const { backlog } = await overview()
    expect(backlog).toMatchObject({
      waiting: { count: 6, capped: false },
      deadLetters: { count: 2, capped: false },
      oldestTime: '2026-01-01T00:00:00.000Z',
    })
    expect(backlog.destinations.filter(({ waiting }) => waiting.count > 0)).toEqual([
      {
        destinationId: body.id,
        destinationName: 'down',
        state: 'disabled',
        disabledReason: 'Maintenance.',
        waiting: { count: 4, capped: false },
        oldestTime: '2026-01-01T00:00:00.000Z',
        deadLetters: { count: 2, capped: false },
      },
      {
        destinationName: 'gone',
        state: 'missing',
        waiting: { count: 2, capped: false },
        oldestTime: '2026-01-03T00:00:00.000Z',
        deadLetters: { count: 0, capped: false },
      },
    ])
  })

  it('says that more wait than it counts', async () => {
    await post(sql`null, 0, '2026-01-03T00:00:00Z', 'pending'`, 10_001)
    const { waiting } = (await overview()).backlog
    expect(waiting).toEqual({ count: 10_004, capped: true })
  })

  it('counts running reads by kind', async () => {
    for (const kind of ['backfill', 'triggered', 'triggered'])
      await run(sql`insert into read_runs (project_id, operation_id, installation_id, object_name, kind)
        values (${kit.app.projectId}, ${newId()}, ${installationId}, 'deals', ${kind})`)
    const { running } = await overview()
    expect([running.triggeredReads.count, running.scheduledReads.count]).toEqual([2, 0])
    expect(running.backfills.count).toBeGreaterThan(0)
  })

  it('has the counts of this day and of the day before', async () => {
    const count = (hours: number, reads: number) =>
      run(sql`insert into integration_counts (project_id, period, start_time, integration_id, object_name, reads, failed_reads,
          records, messages, deliveries, failed_deliveries, provider_calls, failed_provider_calls)
        values (${kit.app.projectId}, 'hour', date_trunc('hour', ${kit.app.clock.now()}::timestamptz, 'UTC') - ${hours} * interval '1 hour',
          ${newId()}, '', ${reads}, 0, 0, 0, 0, 0, 0, 0)`)
    const first = new Date(kit.app.clock.now().getTime() - 3 * 86_400_000)
    await sql`select ensure_count_partitions(${first}::timestamptz::date, ${kit.app.clock.now()}::timestamptz::date)`.execute(
      kit.app.app.services.database.system,
    )
    const before = await overview()
    for (const [hours, reads] of [
      [0, 1],
      [23, 2],
      [24, 4],
      [47, 8],
      [48, 16],
    ] as const)
      await count(hours, reads)
    const { lastDay, dayBefore } = await overview()
    expect([lastDay.reads - before.lastDay.reads, dayBefore.reads - before.dayBefore.reads]).toEqual([3, 12])
  })

  it('shows another project none of it', async () => {
    const { apiKey, id } = kit.app.otherProject
    const { body } = await kit.app.call<Overview>('GET', `/projects/${id}/overview`, undefined, { apiKey })
    expect([body.installations.total, body.backlog.waiting.count, body.lastDay.reads]).toEqual([0, 0, 0])
  })
})
