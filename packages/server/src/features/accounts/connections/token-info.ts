import { type Static, Type } from 'typebox'
import { named } from '../../../kernel/http/index.ts'
import type { StoredCredential } from '../credentials/index.ts'

export const TokenInfo = named(
  'TokenInfo',
  Type.Object(
    {
      issuedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the access token was issued.' })),
      expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the access token expires.' })),
      isRenewable: Type.Boolean({ description: 'Whether Mortise can get the next access token without the customer.' }),
      scopes: Type.Optional(
        Type.Array(Type.String(), { description: 'Granted scopes. Absent if the provider did not say.' }),
      ),
      missingScopes: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'Scopes of the provider app, or of integrations if the provider grants scopes on request, that were not granted. Absent if the provider did not say.',
        }),
      ),
    },
    { description: 'What is known about the OAuth access token, without the token.' },
  ),
)
export type TokenInfo = Static<typeof TokenInfo>

/**
 * Returns what is known about the access token of a credential; nothing if it has no OAuth tokens.
 *
 * @param missing returns the scopes that are missing among the granted ones
 */
export async function tokenInfoOf(
  credential: StoredCredential,
  missing: (granted: readonly string[]) => Promise<string[]>,
): Promise<TokenInfo | undefined> {
  if (credential.scheme !== 'oauth2') return undefined
  const { accessToken, refreshToken, scopes, grant } = credential
  return {
    ...(accessToken?.issuedAt !== undefined && { issuedAt: accessToken.issuedAt }),
    ...(accessToken?.expiresAt !== undefined && { expiresAt: accessToken.expiresAt }),
    isRenewable: refreshToken !== undefined || grant !== undefined,
    ...(scopes && { scopes: [...scopes], missingScopes: await missing(scopes) }),
  }
}
