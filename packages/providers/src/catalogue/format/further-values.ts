import { type Static, Type } from 'typebox'
import { AppParam } from './app-param.ts'
import { MetadataInput } from './metadata-input.ts'
import { Value, whenOfTemplates } from './values.ts'
import { capture, choice, strict, template } from './vocabulary.ts'

const { name, kind, hosts, modules } = MetadataInput.properties

const PostAuthenticationRequest = Type.Object(
  {
    method: Type.Optional(choice(['GET', 'POST'], 'Default: `GET`.')),
    url: template('Complete URL. The request carries the credential.'),
    path: Value.properties.path,
    list: Value.properties.list,
    when: whenOfTemplates,
    capture,
  },
  {
    ...strict,
    description:
      'The request for the value. Of a list, the first item that matches `when` is used, whose texts may be templates; without `when`, the list must have one item. Default: the value comes from `providerMetadata` of the request that connects the account.',
  },
)

/** A value that is requested from the provider after the customer has authenticated. */
export const PostAuthentication = Type.Object(
  {
    name,
    kind,
    hosts,
    modules,
    request: Type.Optional(PostAuthenticationRequest),
  },
  { ...strict, description: 'A value that Mortise reads from the provider after authentication.' },
)
export type PostAuthentication = Static<typeof PostAuthentication>

/** A variable that templates name, of which it is known only that the connection carries it. */
export const FurtherVariable = Type.Object(
  {
    name,
    kind,
    hosts,
  },
  {
    ...strict,
    description:
      'A variable from the token response or from `providerMetadata` of the request that connects the account.',
  },
)
export type FurtherVariable = Static<typeof FurtherVariable>

export const AppMetadata = Type.Object(
  {
    authQueryParams: Type.Optional(Type.Array(MetadataInput, { description: 'Parameters of the authorization URL.' })),
    providerParams: Type.Optional(Type.Array(AppParam, { description: 'Settings that only this provider has.' })),
  },
  { ...strict, description: 'What a provider app may have besides client id and secret.' },
)
export type AppMetadata = Static<typeof AppMetadata>
