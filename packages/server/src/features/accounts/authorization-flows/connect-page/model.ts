import { type Static, Type } from 'typebox'
import { named, secret, Timestamp } from '../../../../kernel/http/index.ts'
import { OAuthConnectRequest } from '../model.ts'

const { provider, schemeName, groupRef, groupName, consumerRef, consumerName, providerAppId } =
  OAuthConnectRequest.properties

/** The body of createConnectSession. */
export const ConnectSessionRequest = named(
  'ConnectSessionRequest',
  Type.Object(
    {
      provider,
      schemeName,
      groupRef,
      groupName,
      consumerRef,
      consumerName,
      providerAppId,
      connectionId: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'A connection of this provider, group and consumer that gets a new credential. It keeps its id.',
        }),
      ),
      redirectUrl: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description:
            'Where the browser goes when the account is connected, with `connectionId` and `status` in the query: `https`, or `http` on this computer.',
        }),
      ),
    },
    { description: 'Whose account is to be connected, and where their browser goes afterwards.' },
  ),
)
export type ConnectSessionRequest = Static<typeof ConnectSessionRequest>

const session = {
  id: Type.String({ description: 'Id of the session.' }),
  provider: Type.String({ description: 'Name of the provider.' }),
  groupRef: Type.String({ description: 'Your id of the group.' }),
  consumerRef: Type.String({ description: 'Your id of the person.' }),
  connectionId: Type.Optional(Type.String({ description: 'The resulting connection. Absent until there is one.' })),
  createTime: Timestamp,
  expireTime: Type.Unsafe<string | Date>({ ...Timestamp, description: 'Until when its link opens.' }),
}

export const ConnectSession = named('ConnectSession', Type.Object(session))
export type ConnectSession = Static<typeof ConnectSession>

export const ConnectSessionWithUrl = named(
  'ConnectSessionWithUrl',
  Type.Object({
    ...session,
    url: secret(
      Type.String({
        description:
          'The page to open. Anyone who has the URL can connect an account for this group. It is shown only once.',
      }),
    ),
  }),
)
