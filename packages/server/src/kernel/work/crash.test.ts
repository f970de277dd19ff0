import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ProjectDb } from '../db/index.ts'
import { keepLeases, type Lease, LeaseLost, type Work } from './index.ts'
import { type Fault, type Item, items, startWorkKit, type WorkKit } from './work.testkit.ts'

/**
 * Each statement of a worker fails once, before the server has run it and after, with the process or only with the
 * connection. Whatever the first worker had committed by then, the next one does the rest, and each effect once.
 */

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

const steps = 3
const hourMs = 3_600_000
const nextDue = new Date('2100-01-01T00:00:00Z')

function effect(tx: ProjectDb, { row: { id } }: Lease<Item>, what: string) {
  return sql`insert into test_effects values (${id}, ${what})`.execute(tx.sql)
}

/** How a worker does the work that it has claimed. */
type Run = (db: ProjectDb, lease: Lease<Item>) => Promise<void>

async function takeSteps(db: ProjectDb, lease: Lease<Item>) {
  for (let step = lease.row.position; step < steps; step++)
    await db.transaction(async (tx) => {
      await effect(tx, lease, `step ${step}`)
      await lease.advance(tx, sql`position = ${step + 1}`)
    })
}

const runs: Record<string, Run> = {
  'work that ends': async (db, lease) => {
    await takeSteps(db, lease)
    await db.transaction(async (tx) => {
      await effect(tx, lease, 'end')
      await lease.finish(tx)
    })
  },
  'work that comes again': async (db, lease) => {
    await takeSteps(db, lease)
    await db.transaction(async (tx) => {
      await lease.lock(tx)
      await effect(tx, lease, 'end')
      await lease.complete(tx, { due: nextDue })
    })
  },
  'work that is put off half way': async (db, lease) => {
    if (lease.row.position === 0) {
      await db.transaction(async (tx) => {
        await effect(tx, lease, 'step 0')
        await lease.advance(tx, sql`position = 1`)
      })
      return lease.postpone(db, { ms: 60_000, isFailure: true })
    }
    await takeSteps(db, lease)
    await db.transaction(async (tx) => {
      await effect(tx, lease, 'end')
      await lease.finish(tx)
    })
  },
}

/** A worker, as jobs of features are: it claims until nothing is due. */
async function worker(work: Work, db: ProjectDb, run: Run): Promise<void> {
  for (;;) {
    const lease = await work.claimOne(db, items, { where: sql`true` })
    if (!lease) return
    try {
      await keepLeases(db, [lease], new AbortController().signal, () => run(db, lease))
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

const effects = async () => {
  const { rows } = await sql<{ effect: string }>`select effect from test_effects order by effect`.execute(kit.system)
  return rows.map((row) => row.effect)
}

for (const [name, run] of Object.entries(runs))
  for (const loses of ['process', 'connection'] as const)
    for (const when of ['before', 'after'] as const)
      it(`${name} is done once although its ${loses} is lost ${when} any statement`, async () => {
        let faults = 0
        for (let at = 1; ; at++) {
          await sql`truncate test_items, test_effects`.execute(kit.system)
          const id = await kit.add(1_000)
          const fault: Fault = { at, when, loses }
          const { db, hit } = kit.open(fault)
          await worker(kit.work, db, run).catch(() => undefined)
          const isHit = hit()
          // An hour later, by when leases have run out and what was put off is due.
          await kit.expireLeases()
          for (let later = 1; later <= 2; later++) await worker(kit.later(later * hourMs), kit.open().db, run)
          expect({ at, effects: await effects() }).toEqual({ at, effects: ['end', 'step 0', 'step 1', 'step 2'] })
          const row = await kit.find(id)
          expect(row && { due: row.due_time, fence: row.fence }).toEqual(
            name === 'work that comes again' ? { due: nextDue, fence: null } : undefined,
          )
          if (!isHit) break
          faults++
        }
        // A claim, transactions of four statements, and what ends it.
        expect(faults).toBeGreaterThan(6)
      })

it('a tick that loses its connection at any statement enqueues each job with its claim, or neither', async () => {
  for (const when of ['before', 'after'] as const)
    for (let at = 1; ; at++) {
      await sql`truncate test_items, test_effects`.execute(kit.system)
      await kit.add(1_000)
      const { db, hit } = kit.open({ at, when, loses: 'process' })
      const tick = (work: Work, { sql: system }: ProjectDb) =>
        system.transaction().execute(async (tx) => {
          const due = await work.dispatch(tx, items, { columns: ['id'], limit: 10, againMs: 60_000 })
          for (const { id } of due) await sql`insert into test_effects values (${id}, 'job')`.execute(tx)
        })
      await tick(kit.work, db).catch(() => undefined)
      // The server may still hold the lock of the lost connection; the ticks after it skip the row until it is free.
      const later = async () => {
        await tick(kit.work, kit.open().db)
        return { at, when, effects: await effects() }
      }
      await expect.poll(later, { timeout: 5_000 }).toEqual({ at, when, effects: ['job'] })
      if (!hit()) break
    }
})
