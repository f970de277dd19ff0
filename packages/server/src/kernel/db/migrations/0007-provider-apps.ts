import { type Kysely, sql } from 'kysely'

/** Apps that a project has at providers: what customers authorise. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table provider_apps (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    provider text not null,
    client_id text not null,
    sealed_secret text not null,
    external_ref text,
    scopes text[],
    metadata jsonb,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, id)
  )`,
  `create index on provider_apps (project_id, provider, id desc)`,
  `alter table connections add column provider_app_id uuid,
    add foreign key (project_id, provider_app_id) references provider_apps`,
  `create index on connections (project_id, provider_app_id) where provider_app_id is not null`,
]
