import { type Kysely, sql } from 'kysely'

/**
 * Links that reset a forgotten password: at most one for each person. `org_id` and `created_by` say which owner made
 * it; they are null for a link that was mailed to the person.
 */
const statements = [
  `create table password_resets (
    builder_id uuid primary key references builders on delete cascade,
    token_hash bytea not null unique,
    org_id uuid references orgs on delete cascade,
    created_by uuid references builders on delete cascade,
    expire_time timestamptz not null,
    create_time timestamptz not null default now(),
    check ((org_id is null) = (created_by is null))
  )`,
  `create index on password_resets (expire_time)`,
  `create index on password_resets (org_id)`,
  `create index on password_resets (created_by)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
