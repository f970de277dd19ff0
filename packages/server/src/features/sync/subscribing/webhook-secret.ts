import { verifyingKeys, type Webhooks } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import {
  afterRotation,
  createEnvelope,
  type EncryptedAt,
  isSameBytes,
  type Keyring,
  validSecrets,
} from '../../../kernel/encryption/index.ts'
import {
  findWebhookSecret,
  lockWebhookSecret,
  upsertWebhookSecret,
  type WebhookSecretRow,
} from './webhook-secret-store.ts'

/** Additional authenticated data of the secrets of an installation; replaced secrets keep theirs. */
const encryptedAt = (projectId: string, installationId: string): EncryptedAt => ({
  table: 'webhook_secrets',
  project: projectId,
  row: installationId,
  column: 'encrypted_secret',
})

/** Whether requests can be verified with a secret: one that decodes to nothing would let anybody sign. */
export function isUsableSecret({ verify }: Webhooks, secret: string): boolean {
  return verifyingKeys(verify, secret).length > 0
}

/** Returns the secrets that sign events of an installation: the current one first, and those that it just replaced. */
export async function openWebhookSecrets(
  db: ProjectDb,
  { keyring, now }: { keyring: Keyring; now: () => Date },
  installationId: string,
): Promise<string[]> {
  const row = await findWebhookSecret(db, installationId)
  if (!row) return []
  const previous = validSecrets(row.previousSecrets, now()).map(({ encrypted }) => encrypted)
  const open = opener(keyring, db.projectId, installationId)
  return [row.encryptedSecret, ...previous].map(open)
}

/**
 * Stores the secret that a customer entered. The one that it replaces stays valid for a day, because the provider is
 * changed before or after Mortise. The same secret again changes nothing, unless it ends the former ones. Returns
 * undefined if the installation was deleted.
 *
 * @param endsPrevious for a secret that others know: former ones are refused from now on
 */
export async function setWebhookSecret(
  tx: ProjectDb,
  { keyring, now }: { keyring: Keyring; now: () => Date },
  installationId: string,
  { secret, endsPrevious }: { secret: string; endsPrevious: boolean },
): Promise<WebhookSecretRow | undefined> {
  const row = await lockWebhookSecret(tx, installationId)
  const open = opener(keyring, tx.projectId, installationId)
  const isSame = row !== undefined && isSameBytes(Buffer.from(open(row.encryptedSecret)), Buffer.from(secret))
  if (isSame && !(endsPrevious && row.previousSecrets.length > 0)) return row
  const time = now()
  const kept = row === undefined || isSame ? [] : afterRotation(row.encryptedSecret, row.previousSecrets, time)
  const next: WebhookSecretRow = {
    encryptedSecret: createEnvelope(keyring).encrypt(secret, encryptedAt(tx.projectId, installationId)),
    previousSecrets: endsPrevious ? [] : kept,
    setTime: time,
  }
  return (await upsertWebhookSecret(tx, installationId, next)) ? next : undefined
}

function opener(keyring: Keyring, projectId: string, installationId: string): (encrypted: string) => string {
  const envelope = createEnvelope(keyring)
  return (encrypted) => envelope.open(encrypted, encryptedAt(projectId, installationId)).toString()
}
