import { type Selectable, sql } from 'kysely'
import { type Database, type NewId, prepared, type Tables } from '../../../kernel/db/index.ts'
import { type Lease, leaseEnd, type Work, type WorkTable } from '../../../kernel/work/index.ts'

/** A state whose next read is due. */
export type DueRead = Omit<Selectable<Tables['read_states']>, 'schedule'> & {
  schedule: string
  /** When it was due, as the database wrote it: a `Date` would drop its microseconds. */
  due_at: string
  /** Time of the claim, as due times are compared with. */
  now: Date
  /** Time of the claim at the database. */
  claim_time: Date
  /** The run of this object that waits or is running: a scheduled one, another, or none. */
  waiting: 'scheduled' | 'other' | 'none'
}

/** Recurring work: one row for each object that is read on a schedule, due at its next read. */
const readStates: WorkTable<DueRead> = {
  table: 'read_states',
  key: ['project_id', 'installation_id', 'object_name'],
  due: 'next_run_at',
  failures: 'failure_count',
}

/**
 * Claims due reads of all projects, the oldest first. The cost follows `limit` (partial index `read_states_due`), never
 * the number of schedules. The only statement of scheduled reads that does not name a project, besides the one that
 * settles them.
 *
 * The due time is compared with a subquery because the planner cannot estimate it. It then scans the index in its
 * order, which skips entries that it has found dead once. A bitmap scan, which it prefers when it expects few rows,
 * would visit those of all claims since the last vacuum.
 */
export async function claimDueReads(
  { database, newId, work }: { database: Database; newId: NewId; work: Work },
  limit: number,
): Promise<Lease<DueRead>[]> {
  const fence = newId()
  const { rows } = await sql<DueRead>`${prepared}
    with due as (
      select project_id, installation_id, object_name from read_states
       where next_run_at <= (select ${work.now()}) and paused is null
         and (lease_until is null or lease_until <= now())
       order by next_run_at limit ${limit} for no key update skip locked
    )
    update read_states as state set fence = ${fence}, lease_until = ${leaseEnd}
      from due
     where state.project_id = due.project_id and state.installation_id = due.installation_id
       and state.object_name = due.object_name
    returning state.*, state.next_run_at::text as due_at, ${work.now()} as now, now() as claim_time,
      coalesce((select case when bool_or(run.kind = 'scheduled') then 'scheduled' else 'other' end from read_runs as run
        where run.project_id = state.project_id and run.installation_id = state.installation_id
          and run.object_name = state.object_name having count(*) > 0), 'none') as waiting`.execute(database.system)
  return rows.map((row) => work.leaseOf(readStates, row, fence))
}
