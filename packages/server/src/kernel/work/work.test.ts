import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '../db/index.ts'
import { keepLeases, type Lease, LeaseLost, leaseMs } from './index.ts'
import { type Item, items, startWorkKit, type WorkKit } from './work.testkit.ts'

let kit: WorkKit
beforeAll(async () => {
  kit = await startWorkKit()
})
afterAll(async () => {
  await kit?.stop()
})
beforeEach(async () => {
  await sql`truncate test_items, test_effects`.execute(kit.system)
})

const any = sql`true`
const never = new AbortController().signal
const claimOne = (work = kit.work) => work.claimOne(kit.db, items, { where: any })
async function claimAgain(work = kit.work): Promise<Lease<Item>> {
  const lease = await claimOne(work)
  if (!lease) throw new Error('nothing was claimed')
  return lease
}
async function claimed(): Promise<Lease<Item>> {
  await kit.add()
  return claimAgain()
}
/** As another worker does once the lease has run out. */
const takeOver = async () => {
  await kit.expireLeases()
  return claimOne()
}
const dueInMs = async ({ row: { id } }: Lease<Item>) => {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from due_time - now()) * 1000)::float8 as ms from test_items where id = ${id}`.execute(
    kit.system,
  )
  return rows[0]?.ms ?? Number.NaN
}

describe('a claim', () => {
  it('gives each row to one of the workers that claim at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => kit.add()))
    const claims = Array.from({ length: 8 }, () =>
      kit.work.claim(kit.open().db, items, { where: any, order: sql`work.id`, limit: 10 }),
    )
    const got = (await Promise.all(claims)).flat().map(({ row }) => row.id)
    // Rows that another claim has just locked are passed over, so a claim may get fewer than there are.
    expect(got).toHaveLength(new Set(got).size)
    const rest = await kit.work.claim(kit.db, items, { where: any, order: sql`work.id`, limit: 40 })
    expect([...got, ...rest.map(({ row }) => row.id)].toSorted()).toEqual(ids.toSorted())
  })

  it('takes no more than its limit, in its order', async () => {
    const [first, second] = [await kit.add(), await kit.add(), await kit.add()]
    const leases = await kit.work.claim(kit.db, items, { where: any, order: sql`work.id`, limit: 2 })
    expect(leases.map(({ row }) => row.id).toSorted()).toEqual([first, second])
  })

  it('leaves out what is not due, what rests, and what belongs to another project', async () => {
    await kit.add(-60_000)
    await kit.add(0, newId())
    const resting = await kit.add()
    await sql`update test_items set due_time = null where id = ${resting}`.execute(kit.system)
    expect(await claimOne()).toBeUndefined()
  })

  it('leaves out rows without what the declaration asks of them', async () => {
    await kit.add()
    const eligible = { ...items, eligible: sql`work.position > 0` }
    expect(await kit.work.claimOne(kit.db, eligible, { where: any })).toBeUndefined()
  })

  it('finds what is due by the clock of the database', async () => {
    await kit.add(-60_000)
    expect(await claimOne(kit.later(59_000))).toBeUndefined()
    expect(await claimOne(kit.later(61_000))).toBeDefined()
  })
})

describe('a worker that died', () => {
  it('keeps its work until its lease has run out, and no longer', async () => {
    const lease = await claimed()
    expect(await claimOne()).toBeUndefined()
    const next = await takeOver()
    expect(next?.row.id).toBe(lease.row.id)
    expect(next?.fence).not.toBe(lease.fence)
  })

  it('has its work listed for a job once its lease has run out', async () => {
    const lease = await claimed()
    const list = () => kit.work.listDue(kit.system, items, { columns: ['id'], limit: 10, graceMs: 0 })
    expect(await list()).toEqual([])
    await kit.expireLeases()
    expect(await list()).toEqual([{ id: lease.row.id }])
  })
})

describe('a worker that lost its lease', () => {
  const endings: Record<string, (lease: Lease<Item>, db: WorkKit['db']) => Promise<unknown>> = {
    advance: (lease, db) => lease.advance(db, sql`position = 1`),
    note: (lease, db) => lease.note(db, sql`position = 1`),
    lock: (lease, db) => lease.lock(db),
    postpone: (lease, db) => lease.postpone(db, { ms: 1, isFailure: false }),
    'postpone by back-off': (lease, db) => lease.postponeBy(db, { firstMs: 1, maxMs: 1 }),
    release: (lease, db) => lease.release(db),
    complete: (lease, db) => lease.complete(db, { due: null }),
    finish: (lease, db) => lease.finish(db),
  }
  for (const [name, settle] of Object.entries(endings))
    it(`cannot ${name}`, async () => {
      const lease = await claimed()
      const next = await takeOver()
      const held = await kit.find(lease.row.id)
      await expect(settle(lease, kit.db)).rejects.toThrow(LeaseLost)
      expect(await kit.find(lease.row.id)).toEqual(held)
      expect(next?.row.id).toBe(held?.id)
    })

  it('commits nothing of its transaction', async () => {
    const lease = await claimed()
    await takeOver()
    const commit = kit.db.transaction(async (tx) => {
      await sql`insert into test_effects values (${lease.row.id}, 'late')`.execute(tx.sql)
      await lease.advance(tx, sql`position = 1`)
    })
    await expect(commit).rejects.toThrow(LeaseLost)
    expect((await sql`select from test_effects`.execute(kit.system)).rows).toHaveLength(0)
  })

  it('has lost it too when its row was deleted', async () => {
    const lease = await claimed()
    await sql`delete from test_items`.execute(kit.system)
    await expect(lease.advance(kit.db)).rejects.toThrow(LeaseLost)
  })
})

describe('while work runs', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason))
    })

  it('a long step keeps its lease', async () => {
    const lease = await claimed()
    await keepLeases(kit.db, [lease], never, async (signal) => {
      await kit.expireLeases()
      vi.advanceTimersByTime(leaseMs / 3)
      await vi.waitFor(async () =>
        expect((await kit.find(lease.row.id))?.lease_until?.getTime()).toBeGreaterThan(Date.now()),
      )
      expect(await claimOne()).toBeUndefined()
      expect(signal.aborted).toBe(false)
      await lease.finish(kit.db)
    })
    expect(await kit.find(lease.row.id)).toBeUndefined()
  })

  it('the loss of the lease ends it', async () => {
    const lease = await claimed()
    const work = keepLeases(kit.db, [lease], never, async (signal) => {
      await takeOver()
      vi.advanceTimersByTime(leaseMs / 3)
      return untilAborted(signal)
    })
    await expect(work).rejects.toThrow(LeaseLost)
  })

  it('a lease that cannot be renewed for as long as it lasts ends it', async () => {
    const lease = await claimed()
    const { db } = kit.open({ at: 1, when: 'before', loses: 'process' })
    const work = keepLeases(db, [lease], never, async (signal) => {
      vi.advanceTimersByTime(leaseMs + 1)
      return untilAborted(signal)
    })
    await expect(work).rejects.toThrow(LeaseLost)
  })

  it('a renewal that fails once does not end it', async () => {
    const lease = await claimed()
    const { db, hit } = kit.open({ at: 1, when: 'before', loses: 'connection' })
    await keepLeases(db, [lease], never, async (signal) => {
      vi.advanceTimersByTime(leaseMs / 3)
      await vi.waitFor(() => expect(hit()).toBe(true))
      await kit.expireLeases()
      await vi.waitFor(async () => {
        vi.advanceTimersByTime(leaseMs / 3)
        expect((await kit.find(lease.row.id))?.lease_until?.getTime()).toBeGreaterThan(Date.now())
      })
      expect(signal.aborted).toBe(false)
      await lease.finish(kit.db)
    })
  })

  it('one of several leases may be lost while the others go on', async () => {
    await kit.add()
    await kit.add()
    const leases = await kit.work.claim(kit.db, items, { where: any, order: sql`work.id`, limit: 2 })
    const [lost, kept] = leases as [Lease<Item>, Lease<Item>]
    await sql`delete from test_items where id = ${lost.row.id}`.execute(kit.system)
    await keepLeases(kit.db, leases, never, async (signal) => {
      vi.advanceTimersByTime(leaseMs / 3)
      await vi.waitFor(() => expect(lost.isLost).toBe(true))
      expect(signal.aborted).toBe(false)
      await kept.finish(kit.db)
    })
  })
})

describe('work that was not settled', () => {
  it('is due at once when its worker returns', async () => {
    const lease = await claimed()
    await keepLeases(kit.db, [lease], never, async () => undefined)
    expect(await claimOne()).toBeDefined()
  })

  it('is due at once, with no failure counted, when its process stops', async () => {
    const lease = await claimed()
    const stop = new AbortController()
    const work = keepLeases(kit.db, [lease], stop.signal, async (signal) => {
      stop.abort(new Error('stopping'))
      signal.throwIfAborted()
    })
    await expect(work).rejects.toThrow('stopping')
    expect((await claimOne())?.row.failures).toBe(0)
  })

  it('waits, with back-off, after an error', async () => {
    const lease = await claimed()
    const fail = () => Promise.reject(new Error('a bug'))
    await expect(keepLeases(kit.db, [lease], never, fail)).rejects.toThrow('a bug')
    expect(await claimOne()).toBeUndefined()
    const again = await claimOne(kit.later(6_001))
    expect(again?.row.failures).toBe(1)
    await expect(keepLeases(kit.db, again ? [again] : [], never, fail)).rejects.toThrow('a bug')
    expect(await claimOne(kit.later(13_900))).toBeUndefined()
    expect((await claimOne(kit.later(18_100)))?.row.failures).toBe(2)
  })
})

it('a locked row is the row as others have changed it since its claim', async () => {
  const lease = await claimed()
  await sql`update test_items set position = 5 where id = ${lease.row.id}`.execute(kit.system)
  expect(await kit.db.transaction((tx) => lease.lock(tx))).toMatchObject({ id: lease.row.id, position: 5 })
})

describe('postponed work', () => {
  it('waits for its time', async () => {
    const lease = await claimed()
    await lease.postpone(kit.db, { ms: 60_000, isFailure: false, set: sql`position = 7` })
    expect(await claimOne(kit.later(59_000))).toBeUndefined()
    expect((await claimOne(kit.later(60_001)))?.row).toMatchObject({ position: 7, failures: 0 })
  })

  it('waits until a time, or until something makes it due', async () => {
    const lease = await claimed()
    const until = new Date('2030-01-01T00:00:00Z')
    await lease.postpone(kit.db, { until, isFailure: true })
    expect(await kit.find(lease.row.id)).toMatchObject({ due_time: until, failures: 1, fence: null })
    const again = await claimAgain(kit.later(20 * 365 * 86_400_000))
    await again.postpone(kit.db, { until: null, isFailure: true })
    expect(await kit.find(lease.row.id)).toMatchObject({ due_time: null, failures: 2, fence: null })
  })

  it('waits longer after each failure, and progress forgets them', async () => {
    const backoff = { firstMs: 1_000_000, maxMs: 10_000_000 }
    const waits: number[] = []
    let lease = await claimed()
    for (let laterMs = 0; laterMs < 30_000_000; laterMs += 10_000_000) {
      await lease.postponeBy(kit.db, backoff, 0.5)
      waits.push(Math.round(((await dueInMs(lease)) - laterMs) / 1_000_000))
      lease = await claimAgain(kit.later(laterMs + 10_000_000))
    }
    expect(waits).toEqual([1, 2, 4])
    expect(lease.row.failures).toBe(3)
    await lease.advance(kit.db)
    expect((await kit.find(lease.row.id))?.failures).toBe(0)
  })

  it('comes again when its round is complete, or rests', async () => {
    const lease = await claimed()
    const due = new Date('2030-01-01T00:00:00Z')
    await lease.complete(kit.db, { due, set: sql`position = 1` })
    const { id } = lease.row
    expect(await kit.find(id)).toMatchObject({ due_time: due, position: 1, fence: null, lease_until: null })
    const again = await claimOne(kit.later(20 * 365 * 86_400_000))
    await again?.complete(kit.db, { due: null })
    expect(await kit.find(id)).toMatchObject({ due_time: null, fence: null })
  })
})

describe('a tick', () => {
  it('lists each combination of the oldest due work once, and not what has just become due', async () => {
    await kit.add(5_000)
    await kit.add(4_000)
    await kit.add(0)
    await kit.add(-60_000)
    const list = (limit: number, columns: readonly (keyof Item)[]) =>
      kit.work.listDue(kit.system, items, { columns, limit })
    expect(await list(10, ['project_id'])).toEqual([{ project_id: kit.projectId }])
    expect(await list(10, ['id'])).toHaveLength(2)
    expect(await list(1, ['id'])).toHaveLength(1)
  })

  it('dispatches each due row once, until it is due again', async () => {
    await Promise.all(Array.from({ length: 20 }, () => kit.add(1_000)))
    const dispatch = (work = kit.work) =>
      work.dispatch(kit.system, items, { columns: ['id'], limit: 20, againMs: 60_000 })
    const got = (await Promise.all([dispatch(), dispatch(), dispatch()])).flat().map(({ id }) => id)
    const rest = (await dispatch()).map(({ id }) => id)
    expect(new Set([...got, ...rest]).size).toBe(20)
    expect([...got, ...rest]).toHaveLength(20)
    expect(await dispatch(kit.later(59_000))).toEqual([])
    expect(await dispatch(kit.later(61_000))).toHaveLength(20)
  })
})
