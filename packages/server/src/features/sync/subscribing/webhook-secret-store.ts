import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { PreviousSecret } from '../../../kernel/encryption/index.ts'

/** The secret of a webhook that a customer set up, with those that it replaced. */
export interface WebhookSecretRow {
  encryptedSecret: string
  previousSecrets: PreviousSecret[]
  /** When the customer entered it. */
  setTime: Date
}

const columns = sql`encrypted_secret as "encryptedSecret", previous_secrets as "previousSecrets",
  coalesce(update_time, create_time) as "setTime"`

export async function findWebhookSecret(db: ProjectDb, installationId: string): Promise<WebhookSecretRow | undefined> {
  const { rows } = await sql<WebhookSecretRow>`
    select ${columns} from webhook_secrets
    where project_id = ${db.projectId} and installation_id = ${installationId}`.execute(db.sql)
  return rows[0]
}

/** The same, locked until the transaction ends. */
export async function lockWebhookSecret(tx: ProjectDb, installationId: string): Promise<WebhookSecretRow | undefined> {
  const { rows } = await sql<WebhookSecretRow>`
    select ${columns} from webhook_secrets
    where project_id = ${tx.projectId} and installation_id = ${installationId} for update`.execute(tx.sql)
  return rows[0]
}

/**
 * Stores the secret of an installation. Returns false if the installation was deleted. A stronger lock of it would wait
 * for the set-up of its subscription, which waits for the subscription.
 */
export async function upsertWebhookSecret(
  tx: ProjectDb,
  installationId: string,
  { encryptedSecret, previousSecrets, setTime }: WebhookSecretRow,
): Promise<boolean> {
  const { rows } = await sql`
    insert into webhook_secrets (project_id, installation_id, encrypted_secret, previous_secrets, update_time)
    select project_id, id, ${encryptedSecret}, ${JSON.stringify(previousSecrets)}::jsonb, ${setTime}::timestamptz
      from installations where project_id = ${tx.projectId} and id = ${installationId} for key share
    on conflict (project_id, installation_id) do update set encrypted_secret = excluded.encrypted_secret,
      previous_secrets = excluded.previous_secrets, update_time = excluded.update_time
    returning installation_id`.execute(tx.sql)
  return rows.length > 0
}
