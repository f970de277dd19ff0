import { type Kysely, sql } from 'kysely'

/**
 * Secrets of webhooks that customers set up at the provider, one for each installation. Nodes of the release before
 * refuse the events of such installations.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const refusal = (column: string) =>
  `create trigger refuse_closed_key_of_${column} before insert or update of ${column} on webhook_secrets
    for each row when (encryption_key_closed(new.${column})) execute function refuse_closed_encryption_key('${column}')`

const statements = [
  `create table webhook_secrets (
    project_id uuid not null,
    installation_id uuid not null,
    encrypted_secret text not null,
    previous_secrets jsonb not null default '[]',
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, installation_id),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
  `select protect('webhook_secrets')`,
  refusal('encrypted_secret'),
  refusal('previous_secrets'),
  // Not of `encrypted_secret`: a rotation of encryption keys changes no secret.
  `create trigger publish_receivers after insert or delete or update of update_time on webhook_secrets
    for each row execute function publish_receivers('installation_id')`,
]
