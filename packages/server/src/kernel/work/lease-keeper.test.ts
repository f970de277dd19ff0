import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLeaseKeeper, LeaseLost } from './index.ts'
import { type Item, items, startWorkKit, type WorkKit } from './work.testkit.ts'

let kit: WorkKit
beforeAll(async () => {
  kit = await startWorkKit()
})
afterAll(async () => {
  await kit?.stop()
})

it('renews leases until they end, and reports one that another worker has', { timeout: 60_000 }, async () => {
  for (let at = 0; at < 3; at++) await kit.add()
  const claim = { where: sql`true`, order: sql`work.id`, limit: 3 }
  const [kept, stolen, ended] = await kit.work.claimAll(kit.system, items, claim)
  if (!kept || !stolen || !ended) throw new Error('three are due')
  const keeper = createLeaseKeeper<Item>({ sql: kit.system })
  const mine = [kept, stolen, ended].map((lease) => keeper.keep(lease))
  mine[2]?.end()
  await kit.expireLeases()
  await sql`update test_items set fence = gen_random_uuid() where id = ${stolen.row.id}`.execute(kit.system)
  await expect.poll(() => mine[1]?.lost.aborted, { timeout: 20_000 }).toBe(true)
  expect(mine[1]?.lost.reason).toBeInstanceOf(LeaseLost)
  expect(mine[0]?.lost.aborted).toBe(false)
  expect((await kit.find(kept.row.id))?.lease_until?.getTime()).toBeGreaterThan(Date.now())
  expect((await kit.find(ended.row.id))?.lease_until?.getTime()).toBeLessThanOrEqual(Date.now())
  for (const one of mine) one.end()
})
