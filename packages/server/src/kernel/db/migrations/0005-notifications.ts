import { type Kysely, sql } from 'kysely'

/** Topics, and the routes that lead events to them and from them to destinations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table topics (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    name text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, id),
    unique (project_id, name)
  )`,
  // The unique key also answers, for every event, whether anybody wants to hear of it.
  `create table event_topic_routes (
    project_id uuid not null,
    id uuid not null,
    event_type text not null,
    topic_id uuid not null,
    create_time timestamptz not null default now(),
    primary key (project_id, id),
    unique (project_id, event_type, topic_id),
    foreign key (project_id, topic_id) references topics on delete cascade
  )`,
  `create index on event_topic_routes (project_id, topic_id)`,
  `create table topic_destination_routes (
    project_id uuid not null,
    id uuid not null,
    topic_id uuid not null,
    destination_id uuid not null,
    create_time timestamptz not null default now(),
    primary key (project_id, id),
    unique (project_id, topic_id, destination_id),
    foreign key (project_id, topic_id) references topics on delete cascade,
    foreign key (project_id, destination_id) references destinations on delete cascade
  )`,
  `create index on topic_destination_routes (project_id, destination_id)`,
  // Of a notification: what it tells of.
  `alter table messages add column event_type text`,
]
