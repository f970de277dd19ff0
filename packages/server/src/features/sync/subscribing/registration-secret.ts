import { createEnvelope, type SealedAt } from '../../../kernel/encryption/index.ts'
import type { Services } from '../../../services.ts'

const sealedAt = (projectId: string, id: string): SealedAt => ({
  table: 'registrations',
  project: projectId,
  row: id,
  column: 'sealed_secret',
})

/** The secret that a registration's events are signed with, as it is stored. */
export function sealRegistrationSecret(
  { keyring }: Pick<Services, 'keyring'>,
  projectId: string,
  id: string,
  secret: string,
): string {
  return createEnvelope(keyring).seal(secret, sealedAt(projectId, id))
}

/** @throws UnknownSealKey, SealBroken */
export function openRegistrationSecret(
  { keyring }: Pick<Services, 'keyring'>,
  projectId: string,
  { id, sealed_secret }: { id: string; sealed_secret: string },
): string {
  return createEnvelope(keyring).open(sealed_secret, sealedAt(projectId, id)).toString()
}
