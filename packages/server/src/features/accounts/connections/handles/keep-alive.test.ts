import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { untilLockWait } from '../../../../testkit/lock-waits.ts'
import { claimDueRenewals } from './claim-due-renewals.ts'
import { answering, type LiveKit, startLiveKit } from './handles.testkit.ts'
import { keepAlive } from './keep-alive.ts'

const hourMs = 3_600_000
let kit: LiveKit
beforeAll(async () => {
  kit = await startLiveKit()
})
afterAll(() => kit?.stop())
beforeEach(() => {
  kit.server.tokenRequests.length = 0
})
afterEach(() => kit.server.answerTokens(undefined))

const run = (id: string) => keepAlive(kit.app.db, kit.app.app.services, id)
const now = () => kit.app.clock.now().getTime()
async function dueAfterMs(id: string) {
  return ((await kit.stored(id)).renew_at?.getTime() ?? Number.NaN) - now()
}
/** As the tick finds it once its time has come. */
async function claim() {
  const { rows: before } = await sql`select from mortise_jobs.job where name = 'connections.renew'`.execute(
    kit.app.app.services.database.system,
  )
  const claimed = await claimDueRenewals(kit.app.app.services)
  const { rows: after } = await sql`select from mortise_jobs.job where name = 'connections.renew'`.execute(
    kit.app.app.services.database.system,
  )
  return { claimed, jobs: after.length - before.length }
}

describe('tokens that nobody uses', () => {
  it('are planned when they are new, renewed a day later, and planned again', async () => {
    const id = await kit.connect()
    expect(await dueAfterMs(id)).toBeLessThanOrEqual(hourMs)
    await run(id)
    expect(kit.server.tokenRequests).toHaveLength(0)
    expect((await dueAfterMs(id)) / hourMs).toBeGreaterThan(21)
    expect((await dueAfterMs(id)) / hourMs).toBeLessThanOrEqual(24)

    kit.app.clock.advance(24 * hourMs)
    await run(id)
    expect(kit.server.tokenRequests).toHaveLength(1)
    expect(await kit.stored(id)).toMatchObject({ status: 'created', generation: 2 })
    expect((await dueAfterMs(id)) / hourMs).toBeGreaterThan(21)
    // A job can run twice.
    await run(id)
    expect(kit.server.tokenRequests).toHaveLength(1)
  })

  it('keep the plan of a credential that is stored while the former one is looked at', async () => {
    const id = await kit.connect()
    const renewAt = new Date(now() + hourMs / 2)
    let running: Promise<void> | undefined
    await kit.app.db.transaction(async (tx) => {
      await sql`
        update connection_credentials set generation = generation + 1, renew_at = ${renewAt}
         where connection_id = ${id}`.execute(tx.sql)
      running = run(id)
      await untilLockWait(kit.app.db.sql)
    })
    await running
    expect((await kit.stored(id)).renew_at).toEqual(renewAt)
  })

  it('are claimed once when they are due, by one job each', async () => {
    const ids = [await kit.connect(), await kit.connect()]
    await sql`update connection_credentials set renew_at = null`.execute(kit.app.db.sql)
    const due = new Date(now() - 1_000)
    await sql`update connection_credentials set renew_at = ${due} where connection_id = any(${ids}::uuid[])`.execute(
      kit.app.db.sql,
    )
    const both = await Promise.all([claim(), claimDueRenewals(kit.app.app.services)])
    expect(both[0].claimed + both[1]).toBe(2)
    expect(await claim()).toEqual({ claimed: 0, jobs: 0 })
    // A job that is lost leaves them due again.
    expect(await dueAfterMs(ids[0]!)).toBeGreaterThan(0)
  })

  it('are tried again after a failure that passes, and left alone after a refusal', async () => {
    const id = await kit.connect()
    kit.app.clock.advance(24 * hourMs)
    kit.server.answerTokens(answering(503, {}, { 'retry-after': '600' }))
    await run(id)
    expect(await kit.stored(id)).toMatchObject({ status: 'created', renewal_failures: 1 })
    expect(await dueAfterMs(id)).toBeGreaterThan(590_000)
    // Woken too early, it asks nobody.
    await run(id)
    expect(kit.server.tokenRequests).toHaveLength(1)
    kit.server.answerTokens(answering(400, { error: 'invalid_grant' }))
    kit.app.clock.advance(601_000)
    await run(id)
    expect(await kit.stored(id)).toMatchObject({ status: 'bad_credentials', renew_at: null })
    await run(id)
    expect(kit.server.tokenRequests).toHaveLength(2)
  })

  it('of a connection that is gone are nobody’s', async () => {
    const id = await kit.connect()
    await kit.app.call('DELETE', `/projects/default/connections/${id}`)
    await run(id)
    expect(kit.server.tokenRequests).toHaveLength(0)
  })
})
