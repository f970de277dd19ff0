import { type Static, Type } from 'typebox'
import { Hosts } from './hosts.ts'
import { MetadataInput } from './metadata-input.ts'
import { capture, choice, MatchOfTemplates, name, path, strict, template } from './vocabulary.ts'

const kind = Type.Optional(choice(['text', 'host', 'url'], 'What the value must look like, as for `inputs`.'))

const PostAuthenticationRequest = Type.Object(
  {
    method: Type.Optional(choice(['GET', 'POST'], 'HTTP method; `GET` when absent.')),
    url: template('Whole URL; the credential is sent there.'),
    list: Type.Optional(path('Path of a list in the answer, one item of which holds the value.')),
    when: Type.Optional(MatchOfTemplates),
    path: path('Path of the value in the answer, or in the item of the list.'),
    capture,
  },
  {
    ...strict,
    description:
      'How the provider is asked. Of a list, the first item that fits `when` counts (its texts may be templates), or the only one. Without this, nobody asks: the value is put into `providerMetadata` by whoever connects.',
  },
)

/** A value that the provider is asked for, once the customer has authenticated. */
export const PostAuthentication = Type.Object(
  {
    name: name('Name of the value: the variable `{{name}}`, and the key in `providerMetadata` of the connection.'),
    kind,
    hosts: Type.Optional(Hosts),
    modules: Type.Optional(
      Type.Array(Type.String(), { description: 'Modules that need it; all modules when absent.' }),
    ),
    request: Type.Optional(PostAuthenticationRequest),
  },
  { ...strict, description: 'A value that comes from the provider after authentication.' },
)
export type PostAuthentication = Static<typeof PostAuthentication>

/** A variable that templates name, of which it is known only that the connection carries it. */
export const FurtherVariable = Type.Object(
  {
    name: name('Name of the variable, and the key in `providerMetadata` of the connection.'),
    kind,
    hosts: Type.Optional(Hosts),
  },
  {
    ...strict,
    description:
      'A variable that is neither an input nor asked for after authentication: part of the token response, or put into `providerMetadata` by whoever connects.',
  },
)
export type FurtherVariable = Static<typeof FurtherVariable>

export const AppMetadata = Type.Object(
  {
    authQueryParams: Type.Optional(
      Type.Array(MetadataInput, { description: 'Further parameters of the authorization URL.' }),
    ),
    providerParams: Type.Optional(Type.Array(MetadataInput, { description: 'What only this provider asks for.' })),
  },
  { ...strict, description: 'What a provider app may carry besides its client id and secret.' },
)
export type AppMetadata = Static<typeof AppMetadata>
