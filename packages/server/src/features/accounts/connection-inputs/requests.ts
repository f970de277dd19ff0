import { type Static, Type } from 'typebox'
import { FreeForm, named, secret } from '../../../kernel/http/index.ts'
import { OAuth2Tokens } from './schemes.ts'

/** The refs share an index entry, which PostgreSQL limits to 2,704 bytes. */
const ref = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
const optionalText = (description: string, maxLength = 500) => Type.Optional(Type.String({ maxLength, description }))

const clientId = Type.String({ maxLength: 5_000, description: 'Client id.' })
const clientSecret = Type.String({ maxLength: 20_000, description: 'Client secret; empty for a public client.' })
const scopes = Type.Optional(
  Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 1_000, description: 'Scopes to request.' }),
)
const username = Type.String({ maxLength: 5_000, description: 'User name.' })
const password = Type.String({ maxLength: 20_000, description: 'Password.' })

/** Fields that an update can change, too. */
const changeable = {
  providerWorkspaceRef: optionalText('The workspace at the provider; connections to two workspaces are two.', 200),
  providerMetadata: Type.Optional(
    Type.Unknown({ description: 'Values that the provider needs, by name: a plain value, or `{value, source}`.' }),
  ),
  apiKey: secret(optionalText('API key of the account.', 20_000)),
  basicAuth: secret(
    Type.Optional(Type.Object({ username, password }, { description: 'For HTTP Basic authentication.' })),
  ),
  oauth2ClientCredentials: secret(
    Type.Optional(
      Type.Object(
        { clientId, clientSecret, scopes },
        { description: 'For the client credentials grant: the service gets the tokens with it.' },
      ),
    ),
  ),
  oauth2PasswordCredentials: secret(
    Type.Optional(
      Type.Object(
        { username, password, clientId, clientSecret, scopes },
        { description: 'For the password grant: the service gets the tokens with it.' },
      ),
    ),
  ),
}

/** The provider's scheme that a connection authenticates with. */
export const schemeNameInput = Type.Optional(
  Type.String({
    maxLength: 200,
    description:
      'Name of the way to authenticate, one of `schemes` of the provider; the first that fits when absent. The connection keeps it.',
  }),
)

/** The body of generateConnection (contract 3.7). */
export const GenerateConnectionRequest = named(
  'GenerateConnectionRequest',
  Type.Object({
    groupRef: ref('Your id of the group that the account belongs to.'),
    groupName: optionalText('Name of the group; its ref when absent.'),
    consumerRef: ref('Your id of the person who connects the account.'),
    consumerName: optionalText('Name of the person; the ref when absent.'),
    provider: ref('Name of the provider in the catalog.'),
    schemeName: schemeNameInput,
    ...changeable,
    oauth2AuthorizationCode: Type.Optional(OAuth2Tokens),
    customAuth: secret(
      Type.Optional(
        Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'Input variables of custom authentication.' }),
      ),
    ),
  }),
)
export type GenerateConnectionRequest = Static<typeof GenerateConnectionRequest>

/** The credential blocks of a request. */
export type CredentialInput = Pick<
  GenerateConnectionRequest,
  | 'apiKey'
  | 'basicAuth'
  | 'customAuth'
  | 'oauth2AuthorizationCode'
  | 'oauth2ClientCredentials'
  | 'oauth2PasswordCredentials'
  | 'schemeName'
>

/** The body of updateConnection. The handler validates the mask paths, because they depend on the connection. */
export const UpdateConnectionRequest = named(
  'UpdateConnectionRequest',
  Type.Object({
    updateMask: Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: 100,
      description:
        'What to change: `providerWorkspaceRef`, `providerMetadata`, `apiKey`, `basicAuth`, `oauth2ClientCredentials`, `oauth2PasswordCredentials`.',
    }),
    connection: named('ConnectionChange', Type.Object(changeable, { description: 'The new values.' })),
  }),
)
export type UpdateConnectionRequest = Static<typeof UpdateConnectionRequest>
