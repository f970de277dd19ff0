import type { OwnGrant } from './credential.ts'
import type { CredentialInput } from './new-connection.ts'

/** The grant that a block of a request makes: the service gets the tokens with it. The block is there. */
export function grantOf(
  kind: OwnGrant['kind'],
  {
    oauth2ClientCredentials,
    oauth2PasswordCredentials,
  }: Pick<CredentialInput, 'oauth2ClientCredentials' | 'oauth2PasswordCredentials'>,
): OwnGrant {
  if (kind === 'clientCredentials') {
    const { clientId = '', clientSecret = '', scopes } = oauth2ClientCredentials ?? {}
    return { kind, clientId, clientSecret, ...(scopes && { scopes }) }
  }
  const { username = '', password = '', clientId = '', clientSecret = '', scopes } = oauth2PasswordCredentials ?? {}
  return { kind, username, password, clientId, clientSecret, ...(scopes && { scopes }) }
}
