import { type Kysely, sql } from 'kysely'

/**
 * The names that tools have ever been given. A name stays with its tool, also after its integration was deleted, so
 * that a name which an agent has stored cannot reach another account. Integrations are named, as in manifests: one that
 * is deleted, and deployed again for the same provider, has its names back.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table tool_names (
    project_id uuid not null,
    name text not null,
    kind text not null,
    integration_name text not null,
    provider text not null,
    object_name text not null,
    action text not null,
    create_time timestamptz not null default now(),
    primary key (project_id, name)
  )`,
  `select protect('tool_names')`,
]
