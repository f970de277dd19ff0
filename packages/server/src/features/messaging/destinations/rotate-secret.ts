import type { Static } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { afterRotation, type Keyring } from '../../../kernel/encryption/index.ts'
import { newSigningSecret } from '../kinds/index.ts'
import { destinationResource, destinationWithSecrets } from './destination-resource.ts'
import { encryptSecrets, openSecrets } from './destination-secrets.ts'
import type { DestinationWithSecrets } from './model.ts'
import { DestinationNotFound } from './problems.ts'
import { type DestinationRow, lockDestination, updateDestinationSecrets } from './store.ts'

/** Replaces the signing secret of a destination; the old one signs too for a day. @throws DestinationNotFound */
export function rotateSecret(
  db: ProjectDb,
  { keyring, now }: { keyring: Keyring; now: () => Date },
  id: string,
): Promise<DestinationRow> {
  return db.transaction(async (tx) => {
    const locked = await lockDestination(tx, id)
    if (!locked) throw new DestinationNotFound()
    return updateDestinationSecrets(tx, {
      id,
      encryptedSecrets: encryptSecrets(keyring, locked, { webhookSigningKey: newSigningSecret() }),
      previous: afterRotation(locked.encrypted_secrets, locked.previous_secrets, now()),
    })
  })
}

/** Shows a destination, whole with `includeSecrets`. */
export function shownDestination(
  { keyring }: { keyring: Keyring },
  row: DestinationRow,
  includeSecrets: boolean | undefined,
): Static<typeof DestinationWithSecrets> {
  if (!includeSecrets) return destinationResource(keyring, row)
  return { ...destinationWithSecrets(keyring, row), secrets: openSecrets(keyring, row, row.encrypted_secrets) }
}
