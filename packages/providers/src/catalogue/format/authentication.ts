import { type Static, Type } from 'typebox'
import { choice, map, name, strict, tagged, template, text } from './vocabulary.ts'

const NoAuthentication = Type.Object(
  { scheme: Type.Literal('none', { description: 'No credential.' }) },
  { ...strict, title: 'none' },
)

const ApiKeyAuthentication = Type.Object(
  {
    scheme: Type.Literal('apiKey', { description: 'A key.' }),
    attach: choice(
      ['header', 'query', 'basic'],
      'Where the key goes: a request header, a query parameter, or HTTP Basic (the other half stays empty, or is `other`).',
    ),
    name: Type.Optional(name('Name of the header or parameter; for `basic`, `username` (default) or `password`.')),
    prefix: Type.Optional(text('Text before the key in a header, with its space: `Bearer `.')),
    other: Type.Optional(text('For `basic`: the half that is not the key.')),
    displayName: Type.Optional(text('What the provider calls the key.')),
    docsUrl: Type.Optional(text('Where the customer finds the key.')),
  },
  { ...strict, title: 'apiKey' },
)

const BasicAuthentication = Type.Object(
  {
    scheme: Type.Literal('basic', { description: 'User name and password by HTTP Basic (RFC 7617).' }),
    apiKeyAsBasic: Type.Optional(Type.Boolean({ description: 'The user name, the password or both are a key.' })),
    docsUrl: Type.Optional(text('Where the customer finds them.')),
  },
  { ...strict, title: 'basic' },
)

const OAuth2Authentication = Type.Object(
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

const CustomAuthentication = Type.Object(
  {
    scheme: Type.Literal('custom', { description: 'Own inputs, which headers and query parameters carry.' }),
    headers: Type.Optional(map(template('Text.'), 'Header templates over the inputs.')),
    query: Type.Optional(map(template('Text.'), 'Query parameter templates over the inputs.')),
    inputs: Type.Optional(Type.Array(map(Type.Unknown(), 'One input.'), { description: 'What each customer gives.' })),
    appInputs: Type.Optional(
      Type.Array(map(Type.Unknown(), 'One input.'), { description: 'What the provider app gives.' }),
    ),
    multiStep: Type.Optional(Type.Boolean({ description: 'Needs a conversation with the provider.' })),
  },
  { ...strict, title: 'custom' },
)

export const Authentication = tagged(
  'scheme',
  [NoAuthentication, ApiKeyAuthentication, BasicAuthentication, OAuth2Authentication, CustomAuthentication],
  'One way to authenticate.',
)
export type Authentication = Static<typeof Authentication>
export type ApiKeyAuthentication = Static<typeof ApiKeyAuthentication>
export type OAuth2Authentication = Static<typeof OAuth2Authentication>
