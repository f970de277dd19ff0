import { type Kysely, sql } from 'kysely'

/**
 * Streams of changes that this service opens at providers: one row for each installation, with the position up to which
 * each object is stored. Nodes of the release before open none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // `positions`: by object; an empty text while an open stream has no position yet.
  `create table streams (
    project_id uuid not null,
    installation_id uuid not null,
    connection_id uuid,
    positions jsonb not null default '{}',
    attempts integer not null default 0,
    next_time timestamptz,
    fence uuid,
    lease_until timestamptz,
    create_time timestamptz not null default now(),
    primary key (project_id, installation_id),
    foreign key (project_id, installation_id) references subscriptions on delete cascade
  )`,
  `select protect('streams')`,
  'create index streams_due on streams (next_time) where next_time is not null',
]
