import { sql } from 'kysely'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { CheckContext } from './check-context.ts'
import type { CheckRow } from './check-store.ts'
import { addToRuns, ChunkWriter, deleteParts, renamePart, runSize, sortedIds, takeDelivered } from './id-store.ts'
import { mergeIds } from './merge-ids.ts'

/**
 * Sorts the ids that reads have delivered since the last check. Those that reads deliver from now on are left for the
 * next check: the list of this one may not contain their records.
 */
export async function sortDelivered({ db, services, lease, key, signal }: CheckContext): Promise<void> {
  for (let isLast = false; !isLast; ) {
    signal.throwIfAborted()
    await db.transaction(async (tx) => {
      const ids = await takeDelivered(tx, key, runSize)
      isLast = ids.length < runSize
      await lease.advance(tx, isLast ? sql`phase = 'list'` : undefined)
      await addToRuns(tx, services, key, 'expected', ids)
    })
  }
}

const listed = 1
const known = 2
const expected = 4
const missing = 8

/** Number of ids that are looked up at the provider before the results are stored. */
const goneSize = 200

/**
 * Compares the listed ids with those of delivered records, in one transaction. Afterwards `known` are the delivered
 * records that the provider still lists, and `gone` are those that it does not.
 *
 * The first check cannot know what was delivered before the object was compared. It takes everything that is listed.
 */
export async function compareLists({ db, services, lease, key }: CheckContext, row: CheckRow): Promise<CheckRow> {
  return db.transaction(async (tx) => {
    await lease.lock(tx)
    const isFirst = row.baseline_time === null
    const kept = new ChunkWriter(tx, services, key, { part: 'kept', run: 0 })
    const goneOnce = new ChunkWriter(tx, services, key, { part: 'gone', run: 1, size: goneSize })
    const goneTwice = new ChunkWriter(tx, services, key, { part: 'gone', run: 2, size: goneSize })
    await mergeIds(await listsOf(tx, key), (id, lists) => {
      if (lists & listed) return isFirst || lists !== listed ? kept.add(id) : undefined
      // A record that was delivered since the last check existed then.
      return lists & missing && !(lists & expected) ? goneTwice.add(id) : goneOnce.add(id)
    })
    for (const writer of [kept, goneOnce, goneTwice]) await writer.end()
    await deleteParts(tx, key, ['known', 'expected', 'missing', 'listed'])
    await renamePart(tx, key, 'kept', 'known')
    await lease.advance(
      tx,
      sql`phase = 'report', missing = ${goneOnce.count}, baseline_time = coalesce(baseline_time, now())`,
    )
    return { ...row, phase: 'report' as const, missing: goneOnce.count }
  })
}

async function listsOf(tx: ProjectDb, key: CheckContext['key']) {
  return [
    { bit: listed, ids: await sortedIds(tx, key, 'listed') },
    { bit: known, ids: await sortedIds(tx, key, 'known') },
    { bit: expected, ids: await sortedIds(tx, key, 'expected') },
    { bit: missing, ids: await sortedIds(tx, key, 'missing') },
  ]
}
