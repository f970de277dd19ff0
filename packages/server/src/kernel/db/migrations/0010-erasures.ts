import { type Kysely, sql } from 'kysely'

/** What is still to be erased of groups and consumers that were deleted. A row goes when nothing is left. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table erasures (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    kind text not null check (kind in ('group', 'consumer')),
    ref text not null,
    installation_ids uuid[] not null,
    cursor uuid,
    create_time timestamptz not null default now(),
    primary key (project_id, id)
  )`,
]
