import { createEnvelope, type EncryptedAt, type Keyring } from '../../../kernel/encryption/index.ts'

const encryptedAt = (projectId: string, id: string): EncryptedAt => ({
  table: 'registrations',
  project: projectId,
  row: id,
  column: 'encrypted_secret',
})

/** The secret that a registration's events are signed with, as it is stored. */
export function encryptRegistrationSecret(
  { keyring }: { keyring: Keyring },
  projectId: string,
  id: string,
  secret: string,
): string {
  return createEnvelope(keyring).encrypt(secret, encryptedAt(projectId, id))
}

/** @throws UnknownEncryptionKey, DecryptionFailed */
export function openRegistrationSecret(
  { keyring }: { keyring: Keyring },
  projectId: string,
  { id, encrypted_secret }: { id: string; encrypted_secret: string },
): string {
  return createEnvelope(keyring).open(encrypted_secret, encryptedAt(projectId, id)).toString()
}
