import type { MachineGrant } from '../credentials/index.ts'
import type { CredentialInput } from './requests.ts'

/** Returns the machine grant that a block of a request describes. The block is present. */
export function machineGrantOf(
  kind: MachineGrant['kind'],
  {
    oauth2ClientCredentials,
    oauth2PasswordCredentials,
  }: Pick<CredentialInput, 'oauth2ClientCredentials' | 'oauth2PasswordCredentials'>,
): MachineGrant {
  if (kind === 'clientCredentials') {
    const { clientId = '', clientSecret = '', scopes } = oauth2ClientCredentials ?? {}
    return { kind, clientId, clientSecret, ...(scopes && { scopes }) }
  }
  const { username = '', password = '', clientId = '', clientSecret = '', scopes } = oauth2PasswordCredentials ?? {}
  return { kind, username, password, clientId, clientSecret, ...(scopes && { scopes }) }
}
