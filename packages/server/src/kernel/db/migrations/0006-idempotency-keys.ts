import { type Kysely, sql } from 'kysely'

/**
 * What requests with an `Idempotency-Key` were answered. `id` stands for the caller and the key; `status` is null while
 * the first runs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Without a project: requests of builders that name none.
  `create table idempotency_keys (
    id bytea primary key,
    project_id uuid references projects on delete cascade,
    fingerprint bytea not null,
    status smallint,
    sealed_answer text,
    create_time timestamptz not null default now(),
    check ((status is null) = (sealed_answer is null))
  )`,
  `create index on idempotency_keys (project_id)`,
  `create index on idempotency_keys (create_time)`,
]
