import { type Static, Type } from 'typebox'
import { named, Ref } from '../../kernel/http/index.ts'
import { GenerateConnectionRequest } from '../connections/index.ts'

const { groupRef, groupName, consumerRef, consumerName, provider, providerWorkspaceRef, providerMetadata } =
  GenerateConnectionRequest.properties

/** The body of oauthConnect (contract 2.1). */
export const OAuthConnectRequest = named(
  'OAuthConnectRequest',
  Type.Object(
    {
      projectIdOrName: Type.Unsafe<string>({ ...Ref, description: 'The project: its id, or its name in any case.' }),
      provider,
      groupRef,
      groupName,
      consumerRef,
      consumerName,
      providerWorkspaceRef,
      providerAppId: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'Which provider app the customer authorises; the newest of the provider when absent.',
        }),
      ),
      providerMetadata,
      enableCSRFProtection: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Whether only the browser that opens the URL may finish: the URL then sets a cookie on its way.',
        }),
      ),
    },
    { description: 'Whose account is to be connected, at which provider.' },
  ),
)
export type OAuthConnectRequest = Static<typeof OAuthConnectRequest>
