import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { breakerFailures, disableAfterDays } from './health-rules.ts'

/** What a destination did lately, in the order in which its attempts ended. */
export interface Health {
  /** Whether one of the attempts succeeded. */
  succeeded: boolean
  /** Failures after the last success. */
  failures: number
  /** Whether this run took the probe. */
  probing: boolean
  /** Until the next probe, should deliveries stop from now on. */
  probeDelayMs: number
}

/**
 * Keeps the account of a destination's failures; says whether they have lasted too long. An attempt at a URL that has
 * been changed meanwhile says nothing about the new one.
 */
export async function updateDestinationHealth(
  db: ProjectDb,
  destination: { id: string; urlChanges: number },
  health: Health,
): Promise<{ lasting: boolean } | undefined> {
  const { succeeded, failures, probing } = health
  const { rows } = await sql<{ lasting: boolean }>`
    update destinations d
       set failure_count = n.count,
           first_failure_at = case when ${failures}::int = 0 then null when ${succeeded} then now() else coalesce(first_failure_at, now()) end,
           probe_at = case when n.count < ${breakerFailures} then null
                           when ${succeeded || probing} or probe_at is null then now() + make_interval(secs => ${health.probeDelayMs / 1000})
                           else probe_at end,
           failed_probes = case when n.count < ${breakerFailures} or ${succeeded} then 0 when ${probing} then failed_probes + 1 else failed_probes end
      from (select id, case when ${succeeded} then 0 else failure_count end + ${failures}::int as count
              from destinations where project_id = ${db.projectId} and id = ${destination.id} for update) n
     where d.project_id = ${db.projectId} and d.id = n.id and d.disabled_time is null and d.url_changes = ${destination.urlChanges}
    returning coalesce(first_failure_at < now() - make_interval(days => ${disableAfterDays}), false) as lasting`.execute(
    db.sql,
  )
  return rows[0]
}

/**
 * Takes the probe of a destination that is due for one. While it runs, nobody else takes it; should this process die,
 * soon another does.
 */
export async function takeProbe(db: ProjectDb, id: string, lockSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    update destinations set probe_at = now() + make_interval(secs => ${lockSeconds})
     where project_id = ${db.projectId} and id = ${id} and probe_at <= now()
    returning id`.execute(db.sql)
  return rows.length > 0
}

/** Disables a destination that is enabled and still has that URL. Returns its name if this call disabled it. */
export async function disableForFailure(
  db: ProjectDb,
  destination: { id: string; urlChanges: number },
  reason: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    update destinations set disabled_time = now(), disabled_reason = ${reason}, update_time = now()
     where project_id = ${db.projectId} and id = ${destination.id} and disabled_time is null and url_changes = ${destination.urlChanges}
    returning name`.execute(db.sql)
  return rows[0]?.name
}
