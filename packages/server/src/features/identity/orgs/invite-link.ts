import type { Keyring } from '../../../kernel/encryption/index.ts'
import { inviteToken } from './invite-token.ts'

/**
 * Where an invite is accepted. The link is a secret: it goes to the person invited, or to the owner who hands it over.
 */
export function inviteLink({ keyring, publicUrl }: { keyring: Keyring; publicUrl: string }, inviteId: string): string {
  return `${publicUrl}/signin/invite?token=${inviteToken(keyring, inviteId)}`
}
