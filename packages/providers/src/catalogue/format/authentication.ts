import { type Static, Type } from 'typebox'
import { CustomAuthentication } from './custom-authentication.ts'
import { OAuth2Authentication } from './oauth2-authentication.ts'
import { choice, name, schemeName, strict, tagged, text, valueForm } from './vocabulary.ts'

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
      'Where requests carry the key: in a header, in a query parameter, or as one half of HTTP Basic. The other half is empty, or `other`.',
    ),
    name: Type.Optional(name('Name of the header or parameter. For `basic`: `username` (default) or `password`.')),
    prefix: Type.Optional(text('Text before the key in a header, with its space: `Bearer `.')),
    other: Type.Optional(text('For `basic`: the half that is not the key.')),
    ...valueForm,
  },
  { ...strict, title: 'apiKey' },
)

const BasicAuthentication = Type.Object(
  {
    scheme: Type.Literal('basic', { description: 'User name and password as HTTP Basic (RFC 7617).' }),
    schemeName,
    apiKeyAsBasic: Type.Optional(
      Type.Boolean({ description: 'Set it when the user name, the password or both are an API key.' }),
    ),
    docsUrl: Type.Optional(text('Page that says where to find them.')),
  },
  { ...strict, title: 'basic' },
)

export const Authentication = tagged(
  'scheme',
  [NoAuthentication, ApiKeyAuthentication, BasicAuthentication, OAuth2Authentication, CustomAuthentication],
  'An authentication method.',
)
export type Authentication = Static<typeof Authentication>
export type ApiKeyAuthentication = Static<typeof ApiKeyAuthentication>
