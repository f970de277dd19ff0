import { type Kysely, sql } from 'kysely'

/**
 * A connect session says what its token may do: its purpose, and the providers and integrations that it is limited to.
 * The limits lie beside what is encrypted, because every request with the token reads them. A project says how connect
 * pages look, and which pages may show them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table connect_sessions
    add column purpose text not null default 'connect',
    add column limits jsonb`,
  `alter table projects
    add column logo_url text,
    add column connect_settings jsonb`,
]
