import { type Static, Type } from 'typebox'
import { choice, map, name, strict, template, text } from './vocabulary.ts'

/** OAuth 2.0 (RFC 6749) with what a provider does differently. */
export const OAuth2Authentication = Type.Object(
  {
    scheme: Type.Literal('oauth2', { description: 'OAuth 2.0; the access token is sent as bearer token.' }),
    grantType: Type.Optional(
      choice(
        ['authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password'],
        'How tokens are obtained. What a file leaves out, the imported facts of that provider complete.',
      ),
    ),
    authUrl: Type.Optional(template('Authorization endpoint.')),
    tokenUrl: Type.Optional(template('Token endpoint.')),
    scopesRequired: Type.Optional(Type.Boolean({ description: 'Scopes must be asked for.' })),
    workspaceRequired: Type.Optional(Type.Boolean({ description: 'The customer must name a workspace first.' })),
    audience: Type.Optional(Type.Array(Type.String(), { description: '`audience` of the request.' })),
    authUrlParams: Type.Optional(map(Type.String(), 'Further parameters of the authorization URL.')),
    scopeMappings: Type.Optional(map(Type.String(), 'Scope templates by scope.')),
    tokenMetadataFields: Type.Optional(
      map(Type.Unknown(), 'Keys of the token response to keep: consumerRef, workspaceRef, scopes, others.'),
    ),
    tokenHeader: Type.Optional(
      Type.Object(
        { name: name('Header name.'), prefix: Type.Optional(text('Text before the token.')) },
        { ...strict, description: 'Where the access token goes when not `Authorization: Bearer`.' },
      ),
    ),
    docsUrl: Type.Optional(text('The provider’s page about it.')),
  },
  { ...strict, title: 'oauth2' },
)
export type OAuth2Authentication = Static<typeof OAuth2Authentication>
