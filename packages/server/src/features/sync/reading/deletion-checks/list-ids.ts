import { ProviderError, type ProviderRecord, type ReadPage } from '@mortise/providers'
import { sql } from 'kysely'
import { logOperation } from '../../../platform/operations/index.ts'
import { callDetails } from '../../../provider-calls/calls/index.ts'
import type { CheckContext } from './check-context.ts'
import { addToRuns, runSize } from './id-store.ts'

/**
 * Lists the ids of all records that the provider has, and stores them as sorted runs. Each run is stored together with
 * the position at which the list continues, so that a check continues there in another process. Otherwise returns how
 * long the check waits: until other checks had the slot, or until the provider has the list.
 */
export async function listIds(context: CheckContext, from: string | null): Promise<'done' | { waitMs: number }> {
  const { read, signal } = context
  let page = from ?? undefined
  let ids: string[] = []
  const request = { object: read.objectName, fields: [], idsOnly: true, mayWait: true, signal }
  // While one run is stored, the next one is listed: a provider that answers slowly does not wait for the database.
  let storing = Promise.resolve()
  const store = async (to: { phase: 'list' | 'compare'; page: string | null }) => {
    await storing
    storing = storeIds(context, ids, to)
    storing.catch(() => undefined)
    ids = []
  }
  const readPage = () => read.connector.readPage(page === undefined ? request : { ...request, page })
  let reading = readPage()
  for (;;) {
    let listed: ReadPage
    try {
      listed = await reading
    } catch (error) {
      // The check may wait long for the next page, and continue in another process. Without new ids, nothing is stored:
      // that would count as progress, and a page that always fails would be requested without end.
      if (page !== undefined && ids.length > 0 && !signal.aborted) await store({ phase: 'list', page })
      await storing
      throw error
    }
    signal.throwIfAborted()
    for (const record of listed.records) ids.push(idOf(record))
    page = listed.nextPage
    if (page === undefined) {
      await store({ phase: 'compare', page: null })
      await storing
      return 'done'
    }
    if (listed.waitMs !== undefined) {
      if (ids.length > 0) {
        await store({ phase: 'list', page })
        await storing
      } else {
        await storing
        await noteWait(context, page)
      }
      return { waitMs: listed.waitMs }
    }
    const isFull = ids.length >= runSize
    const isOver = isFull && performance.now() > context.until
    if (!isOver) {
      // While the ids before it are stored.
      reading = readPage()
      reading.catch(() => undefined)
    }
    if (!isFull) continue
    await store({ phase: 'list', page })
    if (!isOver) continue
    await storing
    return { waitMs: 0 }
  }
}

function idOf({ id }: ProviderRecord): string {
  if (id !== undefined) return id
  throw new ProviderError('unsupported_object', 'A listed record has no id, so deleted records cannot be found.')
}

/**
 * Stores where a check waits for the provider. Without new ids, this does not count as progress, and the log needs no
 * line.
 */
async function noteWait({ db, lease }: CheckContext, page: string): Promise<void> {
  await lease.note(db, sql`page = ${page}, first_error_at = null`)
}

async function storeIds(
  { db, services, lease, key, operationId, read }: CheckContext,
  ids: string[],
  { phase, page }: { phase: 'list' | 'compare'; page: string | null },
): Promise<void> {
  const calls = read.calls.splice(0)
  await db.transaction(async (tx) => {
    await lease.advance(
      tx,
      sql`phase = ${phase}, page = ${page}, listed = listed + ${ids.length}, first_error_at = null`,
    )
    await addToRuns(tx, services, key, 'listed', ids)
    await logOperation(tx, services, operationId, {
      severity: 'INFO',
      msg: `${ids.length} ids listed`,
      details: callDetails(calls),
    })
  })
}
