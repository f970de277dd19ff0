import { type Kysely, sql } from 'kysely'

/** Secrets that a provider, or somebody else, says events will be signed with: the latest of each integration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table offered_secrets (
    project_id uuid not null,
    integration_id uuid not null,
    sealed_secret text not null,
    create_time timestamptz not null default now(),
    primary key (project_id, integration_id),
    foreign key (project_id, integration_id) references integrations on delete cascade
  )`,
]
