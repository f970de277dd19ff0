import { type Static, Type } from 'typebox'
import { MapOf, named, Ref, secret } from '../../../../kernel/http/index.ts'
import { GenerateConnectionRequest, schemeNameInput } from '../../connection-inputs/index.ts'
import { Connection } from '../../connections/index.ts'

const { groupRef, groupName, consumerRef, consumerName, provider, providerWorkspaceRef, providerMetadata, customAuth } =
  GenerateConnectionRequest.properties

/**
 * The body of customAuthConnect (contract 3.8). The first call's required values are validated with those that the
 * provider requires.
 */
export const CustomAuthConnectRequest = named(
  'CustomAuthConnectRequest',
  Type.Object(
    {
      projectIdOrName: Type.Unsafe<string>({ ...Ref, description: 'The project: its id, or its name in any case.' }),
      provider: Type.Optional(provider),
      schemeName: schemeNameInput,
      groupRef: Type.Optional(groupRef),
      groupName,
      consumerRef: Type.Optional(consumerRef),
      consumerName,
      providerWorkspaceRef,
      providerMetadata,
      providerAppId: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'The provider app that the customer authorizes. By default the newest of the provider.',
        }),
      ),
      customAuth,
      sessionId: Type.Optional(
        Type.String({
          maxLength: 200,
          description:
            'To continue: the session of the last response. All else but the project and `callbackParams` is known then.',
        }),
      ),
      callbackParams: secret(
        Type.Optional(
          MapOf(Type.String({ maxLength: 8_192 }), {
            description: 'To continue: the parameters that the provider sent, from the popup’s message.',
          }),
        ),
      ),
    },
    { description: 'Starts multi-step authentication with a provider, or continues it.' },
  ),
)
export type CustomAuthConnectRequest = Static<typeof CustomAuthConnectRequest>

export const CustomAuthConnectResponse = named(
  'CustomAuthConnectResponse',
  Type.Object(
    {
      redirect: Type.Optional(
        Type.Object(
          {
            url: Type.String({ description: 'A page of the provider to open in its own window.' }),
            sessionId: Type.String({ description: 'Continue with this, once, within ten minutes.' }),
          },
          { description: 'What the customer has to do next.' },
        ),
      ),
      connection: Type.Optional(Connection),
    },
    { description: 'Either `redirect` or, when nothing is left to do, `connection`.' },
  ),
)
