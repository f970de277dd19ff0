import type { Static } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Services } from '../../../services.ts'
import { destinationResource, wholeDestination } from './destination-resource.ts'
import { openSecrets, sealSecrets } from './destination-secrets.ts'
import type { DestinationWithSecrets } from './model.ts'
import { DestinationNotFound } from './problems.ts'
import { afterRotation, newSigningSecret } from './signing.ts'
import { type DestinationRow, lockDestination, updateDestinationSecrets } from './store.ts'

/** Replaces the signing secret of a destination; the old one signs too for a day. @throws DestinationNotFound */
export function rotateSecret(
  db: ProjectDb,
  { keyring, now }: Pick<Services, 'keyring' | 'now'>,
  id: string,
): Promise<DestinationRow> {
  return db.transaction(async (tx) => {
    const locked = await lockDestination(tx, id)
    if (!locked) throw new DestinationNotFound()
    return updateDestinationSecrets(tx, {
      id,
      sealedSecrets: sealSecrets(keyring, locked, { webhookSigningKey: newSigningSecret() }),
      previous: afterRotation(locked.sealed_secrets, locked.previous_secrets, now()),
    })
  })
}

/** Shows a destination, whole with `includeSecrets`. */
export function shownDestination(
  { keyring }: Pick<Services, 'keyring'>,
  row: DestinationRow,
  includeSecrets: boolean | undefined,
): Static<typeof DestinationWithSecrets> {
  if (!includeSecrets) return destinationResource(keyring, row)
  return { ...wholeDestination(keyring, row), secrets: openSecrets(keyring, row, row.sealed_secrets) }
}
