import { sql } from 'kysely'
import { classifyFailure } from '../../../provider-calls/calls/index.ts'
import { messageCutter, postPages } from '../commit-pages.ts'
import type { CheckContext } from './check-context.ts'
import type { CheckRow } from './check-store.ts'
import { addDelivered, ChunkWriter, deleteList, type GoneIds, nextGone } from './id-store.ts'

/**
 * Maximum number of records that a check looks up by their ids. When more are missing from the list, they do not
 * count as deleted before the next check misses them again.
 */
const lookUpMax = 1_000

/**
 * Delivers what was deleted. A record that is missing from a list may still exist: the list may have changed while it
 * was read, or the account may no longer show it. So it counts as deleted when the provider does not find it by its id,
 * or when two checks in a row miss it.
 */
export async function reportDeletions(context: CheckContext, row: CheckRow): Promise<void> {
  const { db, key, signal } = context
  const isLookedUp = context.read.connector.canFetch(key.objectName) && row.missing <= lookUpMax
  for (let gone = await nextGone(db, key); gone; gone = await nextGone(db, key)) {
    const found = await sortOut(context, gone, isLookedUp)
    signal.throwIfAborted()
    await store(context, row, gone, found)
  }
}

interface Found {
  deleted: string[]
  /** The provider has them, although it does not list them. */
  existing: string[]
  /** The next check decides. */
  unsure: string[]
}

async function sortOut({ read, key, signal }: CheckContext, gone: GoneIds, isLookedUp: boolean): Promise<Found> {
  const { ids, times } = gone
  if (times === 2) return { deleted: ids, existing: [], unsure: [] }
  if (!isLookedUp) return { deleted: [], existing: [], unsure: ids }
  try {
    const found = await read.connector.fetchRecords(key.objectName, ids, [], { signal })
    // The id of a record that was merged into another one finds the other.
    const exists = (id: string) => found.get(id)?.id === id
    return { deleted: ids.filter((id) => !exists(id)), existing: ids.filter(exists), unsure: [] }
  } catch (error) {
    // What the provider refuses to say of one record must not keep the others from being reported.
    const { kind } = classifyFailure(error)
    if (kind !== 'bad_request' && kind !== 'forbidden') throw error
    return { deleted: [], existing: [], unsure: ids }
  }
}

async function store(context: CheckContext, row: CheckRow, gone: GoneIds, found: Found): Promise<void> {
  const { db, services, lease, key, read, operationId } = context
  read.calls.splice(0)
  const entries = found.deleted.map((id) => read.entry({ id, fields: {}, raw: {}, deleted: true }))
  const cut = messageCutter(read, { operationId, kind: 'scheduled', createTime: row.begin_time ?? services.now() })
  const messages = cut({ entries, nextPage: undefined, total: undefined, calls: [] })
  await db.transaction(async (tx) => {
    await lease.advance(tx, sql`deleted = deleted + ${found.deleted.length}, first_error_at = null`)
    await deleteList(tx, gone.id)
    await addDelivered(tx, services, key, found.existing)
    const unsure = new ChunkWriter(tx, services, key, { part: 'missing', run: 0, firstChunk: gone.chunk })
    for (const id of found.unsure) await unsure.add(id)
    await unsure.end()
    // Last, because it waits for other transactions that post to the same destination.
    await postPages(tx, services, read, messages)
  })
}
