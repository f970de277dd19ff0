import { type Kysely, sql } from 'kysely'

/** The public keys that builders' own servers sign tokens for their end users with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table jwt_keys (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    label text not null,
    public_key_pem text not null,
    active boolean not null default true,
    created_by text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz not null default now(),
    primary key (project_id, id)
  )`,
  // A token names its key alone: the key finds the project.
  `create unique index on jwt_keys (id)`,
]
