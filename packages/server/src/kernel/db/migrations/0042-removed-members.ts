import { type Kysely, sql } from 'kysely'

/** People whom an owner removed: a claimed domain no longer lets them join the organization. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table removed_members (
    org_id uuid not null references orgs on delete cascade,
    builder_id uuid not null references builders on delete cascade,
    create_time timestamptz not null default now(),
    primary key (org_id, builder_id)
  )`.execute(db)
  await sql`create index on removed_members (builder_id)`.execute(db)
}
