import { type Static, Type } from 'typebox'
import { named, Ref } from '../../../kernel/http/index.ts'
import { GenerateConnectionRequest, schemeNameInput } from '../connection-inputs/index.ts'

const { groupRef, groupName, consumerRef, consumerName, provider, providerWorkspaceRef, providerMetadata } =
  GenerateConnectionRequest.properties

/** The body of oauthConnect (contract 2.1). */
export const OAuthConnectRequest = named(
  'OAuthConnectRequest',
  Type.Object(
    {
      projectIdOrName: Type.Unsafe<string>({ ...Ref, description: 'The project: its id, or its name in any case.' }),
      provider,
      schemeName: schemeNameInput,
      groupRef,
      groupName,
      consumerRef,
      consumerName,
      providerWorkspaceRef,
      providerAppId: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'The provider app that the customer authorizes. By default the newest of the provider.',
        }),
      ),
      providerMetadata,
      enableCSRFProtection: Type.Optional(
        Type.Boolean({
          default: true,
          description:
            'Whether only the browser that opens the URL can finish: the URL is one of this service, which sets a cookie and redirects to the provider. `false` answers the URL of the provider itself, for a server that opens it on its own; it is ignored from frontend keys and consumer tokens.',
        }),
      ),
    },
    { description: 'Whose account is to be connected, at which provider.' },
  ),
)
export type OAuthConnectRequest = Static<typeof OAuthConnectRequest>
