import { type Kysely, sql } from 'kysely'

/** Pages of reads whose object is delivered on request: they wait here, and become messages when they are asked for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Not among the messages: what is not to be delivered yet must not cost those that are, nor keep a day of them from
  // being dropped.
  `create table held_pages (
    project_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    id uuid not null,
    operation_id uuid not null,
    destination_name text not null,
    payload bytea not null,
    result bytea,
    create_time timestamptz not null default now(),
    primary key (project_id, installation_id, object_name, id),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
  `alter table held_pages alter column payload set storage external, alter column result set storage external`,
  // How many pages were asked for and have not been there yet.
  `create table page_requests (
    project_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    wanted bigint not null default 0,
    create_time timestamptz not null default now(),
    primary key (project_id, installation_id, object_name),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
]
