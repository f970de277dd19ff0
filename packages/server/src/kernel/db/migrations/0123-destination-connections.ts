import { type Kysely, sql } from 'kysely'

/**
 * The destination of a connection, of destinations of type `by-group`. A node of the release before goes by the group
 * alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table destination_connections (
    project_id uuid not null,
    destination_id uuid not null,
    connection_id uuid not null,
    target_name text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, destination_id, connection_id),
    foreign key (project_id, destination_id) references destinations (project_id, id) on delete cascade,
    foreign key (project_id, connection_id) references connections (project_id, id) on delete cascade
  )`,
  `select protect('destination_connections')`,
  'create index destination_connections_of_connection on destination_connections (project_id, connection_id)',
  'create index destination_connections_of_target on destination_connections (project_id, target_name)',
]
