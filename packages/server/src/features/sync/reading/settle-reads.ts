import { sql } from 'kysely'
import { type Database, prepared } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import type { Lease, Work } from '../../../kernel/work/index.ts'
import type { CountBuffer } from '../../platform/counts/index.ts'
import { type EndedRead, insertEndedReads, type ShownRead, showEndedReads } from '../../platform/operations/index.ts'
import type { DueRead } from './due-reads.ts'
import { dueAfterChange } from './read-soon.ts'

/** How long outcomes are collected before they are stored together. */
const collectMs = 10
/** Maximum number of outcomes in one transaction. */
const batchMax = 200
/** Delay before outcomes are stored again whose rows were locked, or after the database was unreachable. */
const retryMs = 100

/** What became of a scheduled read that found nothing to deliver. */
export interface ReadOutcome {
  /** When the object is due next. Undefined for a read that was not finished: it stays due. */
  nextRunAt: Date | undefined
  /** The operation to store; none for a read that did not begin. */
  ended?: EndedRead
  /** End of the window that was read, for a success: the next read begins there. */
  mark?: Date
}

interface Entry {
  lease: Lease<DueRead>
  outcome: ReadOutcome
  settled: () => void
}

/** Stores the outcomes of scheduled reads in batches, so that a read that found nothing costs a part of a statement. */
export interface ReadSettler {
  /** Resolves when the outcome is stored, or when the lease is lost. */
  settle(lease: Lease<DueRead>, outcome: ReadOutcome): Promise<void>
  /** Shows soon, on its installation, a read whose operation is stored already. */
  show(ended: ShownRead): void
}

export function createReadSettler({
  database,
  log,
  counts,
  work,
}: {
  database: Database
  log: Logger
  counts: CountBuffer
  work: Work
}): ReadSettler {
  const waiting: Entry[] = []
  let unshown: ShownRead[] = []
  let timer: NodeJS.Timeout | undefined
  let storing = false

  function schedule(ms: number): void {
    if (timer) return
    timer = setTimeout(() => {
      timer = undefined
      void flush()
    }, ms)
  }

  async function flush(): Promise<void> {
    if (storing || waiting.length + unshown.length === 0) return
    storing = true
    const batch = waiting.splice(0, batchMax)
    const stored = await storeOutcomes(database, work, batch).catch((error: unknown) => {
      log.warn({ err: error }, 'failed to store the outcomes of reads; retrying')
      return new Set<Entry>()
    })
    const ended = endedOf([...stored])
    for (const { projectId, installationId, objectName } of ended)
      counts.add({ projectId, installationId, objectName }, { reads: 1 })
    const shown = [...unshown, ...ended]
    unshown = []
    await showEndedReads(database.system, shown).catch((error: unknown) =>
      log.warn({ err: error }, 'failed to show the last operation of installations; their next read shows it'),
    )
    for (const entry of batch) {
      if (stored.has(entry)) entry.lease.settled()
      // Once a lease is lost, another worker reads the object.
      if (entry.lease.isOver) entry.settled()
      else waiting.push(entry)
    }
    storing = false
    if (waiting.length + unshown.length > 0) schedule(stored.size === batch.length ? collectMs : retryMs)
  }

  return {
    show(ended) {
      unshown.push(ended)
      schedule(collectMs)
    },
    settle(lease, outcome) {
      return new Promise((settled) => {
        waiting.push({ lease, outcome, settled })
        if (waiting.length >= batchMax) void flush()
        else schedule(collectMs)
      })
    },
  }
}

/**
 * Stores outcomes in one transaction. Returns those that it stored; the others are locked or belong to another worker.
 */
function storeOutcomes(database: Database, work: Work, batch: readonly Entry[]): Promise<Set<Entry>> {
  if (batch.length === 0) return Promise.resolve(new Set())
  return database.system.transaction().execute(async (tx) => {
    const { rows } = await sql<{ place: number }>`${prepared}
      with outcome as (
        select * from jsonb_to_recordset(${JSON.stringify(batch.map(toRow))}::jsonb) as outcome (place integer,
          project_id uuid, installation_id uuid, object_name text, fence uuid, due_at timestamptz,
          next_run_at timestamptz, mark timestamptz, run_time timestamptz)
      ), mine as materialized (
        select outcome.* from outcome join read_states as state using (project_id, installation_id, object_name)
         where state.fence = outcome.fence
         order by project_id, installation_id, object_name
           for no key update of state skip locked
      )
      update read_states as state
         set fence = null, lease_until = null,
             -- A change of the schedule meanwhile has set another time, which stays.
             next_run_at = case when state.next_run_at = mine.due_at
                                then least(coalesce(mine.next_run_at, mine.due_at),
                                           ${dueAfterChange(work, sql`state.changed_time`, sql`mine.mark`)})
                                else state.next_run_at end,
             high_water_mark = greatest(state.high_water_mark, mine.mark),
             failure_count = case when mine.mark is null then state.failure_count else 0 end,
             last_error = case when mine.mark is null then state.last_error end,
             last_run_time = coalesce(mine.run_time, state.last_run_time),
             last_run_status = case when mine.run_time is null then state.last_run_status else 'success' end,
             update_time = case when mine.mark is null then state.update_time else now() end
        from mine
       where state.project_id = mine.project_id and state.installation_id = mine.installation_id
         and state.object_name = mine.object_name
      returning mine.place`.execute(tx)
    const stored = rows.flatMap(({ place }) => batch[place] ?? [])
    await insertEndedReads(tx, endedOf(stored))
    return new Set(stored)
  })
}

function endedOf(entries: readonly Entry[]): EndedRead[] {
  return entries.flatMap(({ outcome }) => outcome.ended ?? [])
}

function toRow({ lease: { row, fence }, outcome }: Entry, place: number) {
  return {
    place,
    project_id: row.project_id,
    installation_id: row.installation_id,
    object_name: row.object_name,
    fence,
    due_at: row.due_at,
    next_run_at: outcome.nextRunAt,
    mark: outcome.mark,
    run_time: outcome.ended?.begun,
  }
}
