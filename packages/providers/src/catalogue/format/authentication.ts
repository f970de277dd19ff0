import { type Static, Type } from 'typebox'
import { CustomAuthentication } from './custom-authentication.ts'
import { OAuth2Authentication } from './oauth2-authentication.ts'
import { choice, name, schemeName, strict, tagged, text } from './vocabulary.ts'

const NoAuthentication = Type.Object(
  { scheme: Type.Literal('none', { description: 'No credential.' }), schemeName },
  { ...strict, title: 'none' },
)

const ApiKeyAuthentication = Type.Object(
  {
    scheme: Type.Literal('apiKey', { description: 'A key.' }),
    schemeName,
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
    schemeName,
    apiKeyAsBasic: Type.Optional(Type.Boolean({ description: 'The user name, the password or both are a key.' })),
    docsUrl: Type.Optional(text('Where the customer finds them.')),
  },
  { ...strict, title: 'basic' },
)

export const Authentication = tagged(
  'scheme',
  [NoAuthentication, ApiKeyAuthentication, BasicAuthentication, OAuth2Authentication, CustomAuthentication],
  'One way to authenticate.',
)
export type Authentication = Static<typeof Authentication>
export type ApiKeyAuthentication = Static<typeof ApiKeyAuthentication>
