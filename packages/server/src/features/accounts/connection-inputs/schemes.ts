import { Type } from 'typebox'
import { named, secret } from '../../../kernel/http/index.ts'

/** How a connection may authenticate. */
export const authSchemes = [
  'none',
  'apiKey',
  'basic',
  'oauth2/authorizationCode',
  'oauth2/authorizationCodePKCE',
  'oauth2/clientCredentials',
  'oauth2/password',
] as const
export type AuthScheme = (typeof authSchemes)[number]

const token = (description: string) =>
  Type.Object(
    {
      token: Type.String({ minLength: 1, maxLength: 20_000, description: 'The token itself.' }),
      issuedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When it was issued.' })),
      expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'When it expires.' })),
    },
    { description },
  )

export const OAuth2Tokens = named(
  'OAuth2Tokens',
  secret(
    Type.Object({
      accessToken: Type.Optional(token('The token that requests use.')),
      refreshToken: Type.Optional(token('The token that gets the next access token.')),
      scopes: Type.Optional(Type.Array(Type.String(), { description: 'Granted scopes.' })),
    }),
  ),
)
