import { type Kysely, sql } from 'kysely'

/**
 * The destination of each group, of destinations of type `by-group`. A node of the release before does not know the
 * type: it leaves their messages to a node of this release.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table destinations add column group_default text',
  // Names, as in manifests: the destination of a name may be deleted, and created again.
  `create table destination_groups (
    project_id uuid not null,
    destination_id uuid not null,
    group_ref text not null,
    target_name text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, destination_id, group_ref),
    foreign key (project_id, destination_id) references destinations (project_id, id) on delete cascade
  )`,
  `select protect('destination_groups')`,
  'create index destination_groups_of_group on destination_groups (project_id, group_ref)',
  'create index destination_groups_of_target on destination_groups (project_id, target_name)',
]
