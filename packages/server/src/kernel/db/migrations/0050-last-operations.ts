import { type Kysely, sql } from 'kysely'

const statements = [
  `create table last_operations (
    project_id uuid not null references projects on delete cascade,
    installation_id uuid not null,
    operation_id uuid not null,
    status text not null,
    primary key (project_id, installation_id)
  ) with (fillfactor = 50)`,
  `insert into last_operations (project_id, installation_id, operation_id, status)
    select project_id, id, last_operation_id, last_operation_status from installations
     where last_operation_id is not null and last_operation_status is not null`,
  `select protect('last_operations')`,
  'alter table installations drop column last_operation_id, drop column last_operation_status',
]

/**
 * Keeps the last operation of each installation in a narrow table of `operations`: it changes twice in each read, and
 * an installation seldom.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
