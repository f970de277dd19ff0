import { type Kysely, sql } from 'kysely'

/**
 * Sign-in of builders to the MCP server for builders. Its rows belong to no project: they have the nil id, and no group
 * and consumer. An agent session of a builder has the id of a session of this person.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const noProject = `'00000000-0000-0000-0000-000000000000'`

const statements = [
  'alter table agent_sign_ins add column builder_session_id uuid',
  'alter table agent_sign_ins add column may_change boolean not null default false',
  `alter table agent_sessions
    alter column group_ref drop not null,
    alter column consumer_ref drop not null,
    add constraint agent_sessions_holder
      check ((group_ref is null) = (project_id = ${noProject}) and (consumer_ref is null) = (project_id = ${noProject}))`,
  'alter table sessions add column may_change boolean',
  'alter table sessions drop constraint sessions_kind_check',
  `alter table sessions add constraint sessions_kind_check check (kind in ('api', 'browser', 'cli', 'agent'))`,
]
