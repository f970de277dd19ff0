import { type Static, Type } from 'typebox'
import { FreeForm, named, secret } from '../../kernel/http/index.ts'
import { OAuth2Tokens } from './resource.ts'

/** Refs stand together in one index entry, which PostgreSQL limits to 2,704 bytes. */
const ref = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
const optionalText = (description: string, maxLength = 500) => Type.Optional(Type.String({ maxLength, description }))

/** The body of generateConnection (contract 3.7). */
export const GenerateConnectionRequest = named(
  'GenerateConnectionRequest',
  Type.Object({
    groupRef: ref('Your id of the group that the account belongs to.'),
    groupName: optionalText('Name of the group; its ref when absent.'),
    consumerRef: ref('Your id of the person who connects the account.'),
    consumerName: optionalText('Name of the person; the ref when absent.'),
    provider: ref('Name of the provider, as the catalogue has it.'),
    providerWorkspaceRef: optionalText('The workspace at the provider; connections to two workspaces are two.', 200),
    providerMetadata: Type.Optional(
      Type.Unknown({ description: 'Values that the provider needs, by name: a plain value, or `{value, source}`.' }),
    ),
    apiKey: secret(optionalText('API key of the account.', 20_000)),
    basicAuth: secret(
      Type.Optional(
        Type.Object(
          {
            username: Type.String({ maxLength: 5_000, description: 'User name.' }),
            password: Type.String({ maxLength: 20_000, description: 'Password.' }),
          },
          { description: 'For HTTP Basic authentication.' },
        ),
      ),
    ),
    oauth2AuthorizationCode: Type.Optional(OAuth2Tokens),
    oauth2ClientCredentials: secret(
      Type.Optional(
        Type.Object(
          {
            clientId: Type.String({ description: 'Client id.' }),
            clientSecret: Type.String({ description: 'Client secret.' }),
            scopes: Type.Optional(Type.Array(Type.String(), { description: 'Scopes to ask for.' })),
          },
          { description: 'For the client credentials grant; not supported yet.' },
        ),
      ),
    ),
    oauth2PasswordCredentials: secret(
      Type.Optional(
        Type.Object(
          {
            username: Type.String({ description: 'User name.' }),
            password: Type.String({ description: 'Password.' }),
            clientId: Type.String({ description: 'Client id.' }),
            clientSecret: Type.String({ description: 'Client secret.' }),
            scopes: Type.Optional(Type.Array(Type.String(), { description: 'Scopes to ask for.' })),
          },
          { description: 'For the password grant; not supported yet.' },
        ),
      ),
    ),
    customAuth: secret(
      Type.Optional(
        Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'Input variables of custom authentication.' }),
      ),
    ),
  }),
)
export type GenerateConnectionRequest = Static<typeof GenerateConnectionRequest>
