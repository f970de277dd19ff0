import { type Kysely, sql } from 'kysely'

const statements = [
  // The next events of a stream are the first that an index holds, however many wait behind them: without it all of
  // them are sorted for each batch. By one expression, because PostgreSQL does not take "is null" for a value that an
  // order may follow.
  `create index inbound_events_in_order on inbound_events
    (project_id, (coalesce(installation_id, integration_id)), due_time, id)`,
  `drop index inbound_events_project_id_integration_id_installation_id_du_idx`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
