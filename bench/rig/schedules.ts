import { type Kysely, sql } from 'kysely'
import { newId, type Tables } from '../../packages/server/src/kernel/db/index.ts'
import { first } from './first.ts'

const objectsPerInstallation = 10

/** Schedules of one project. Batches of them become due an hour apart; all others much later. */
export interface Schedules {
  total: number
  /** Schedules of a batch, spread at random over the table. */
  due: number
  batches: number
  /** When the first batch is due. */
  from: Date
}

/** The moment just after a batch became due, and before it is due again. */
export function whenDue({ from }: Schedules, batch: number): Date {
  return new Date(from.getTime() + batch * 3_600_000)
}

/** Inserts them, ten to an installation. */
export async function insertSchedules(system: Kysely<Tables>, { total, due, batches, from }: Schedules): Promise<void> {
  const project = newId()
  const integration = newId()
  const revision = newId()
  const installations = total / objectsPerInstallation
  // Claimed once, a schedule is next due on the same day of the next year.
  const yearly = `0 0 ${from.getUTCDate()} ${from.getUTCMonth() + 1} *`
  await system.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = '10min'`.execute(tx)
    await sql`insert into orgs (id, label) values (${project}, 'bench')`.execute(tx)
    await sql`insert into projects (id, org_id, name, app_name) values (${project}, ${project}, 'bench', 'bench')`.execute(
      tx,
    )
    await sql`insert into integrations (project_id, id, name, provider, latest_revision_id)
              values (${project}, ${integration}, 'bench', 'hubspot', ${revision})`.execute(tx)
    await sql`insert into revisions (project_id, id, integration_id, spec_version, content, content_hash)
              values (${project}, ${revision}, ${integration}, '1.0.0', '{}', '')`.execute(tx)
    await sql`insert into consumers (project_id, consumer_ref, consumer_name) values (${project}, 'bench', 'bench')`.execute(
      tx,
    )
    await sql`insert into groups (project_id, group_ref, group_name)
              select ${project}, 'group-' || n, 'Group ' || n from generate_series(1, ${installations}::int) n`.execute(
      tx,
    )
    await sql`insert into connections (project_id, id, provider, group_ref, consumer_ref, auth_scheme, status)
              select project_id, gen_random_uuid(), 'hubspot', group_ref, 'bench', 'apiKey', 'working' from groups`.execute(
      tx,
    )
    await sql`insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
              select project_id, gen_random_uuid(), ${integration}, group_ref, id, gen_random_uuid(), 'consumer:bench'
                from connections`.execute(tx)
    await sql`insert into configs (project_id, id, installation_id, version, revision_id, content, created_by)
              select project_id, config_id, id, 1, ${revision}, '{}', 'builder:bench' from installations`.execute(tx)
    await sql`
      insert into read_states (project_id, installation_id, object_name, schedule, next_run_at, high_water_mark)
      select project_id, id, 'object-' || object, ${yearly},
             ${from}::timestamptz + case when place <= ${due * batches}::int then (place - 1) / ${due}::int * interval '1 h' - random() * interval '50 s'
                                         else interval '30 days' + random() * interval '300 days' end,
             now()
        from (select project_id, id, object, row_number() over (order by random()) as place
                from installations, generate_series(1, ${objectsPerInstallation}::int) object) made
       order by id, object`.execute(tx)
  })
}

/** How many reads there were and are due: a round that left work undone would be a cheap one. */
export async function countReads(system: Kysely<Tables>, now: Date): Promise<{ operations: number; due: number }> {
  const { rows } = await sql<{ operations: number; due: number }>`
    select (select count(*) from operations) as operations,
           (select count(*) from read_states where (next_run_at <= ${now} and paused is null) or fence is not null) as due`.execute(
    system,
  )
  return first(rows)
}
