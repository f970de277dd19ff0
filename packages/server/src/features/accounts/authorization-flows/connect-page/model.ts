import { type Static, Type } from 'typebox'
import { Enum, named, secret, sessionPurposes, Timestamp } from '../../../../kernel/http/index.ts'
import { OAuthConnectRequest } from '../model.ts'

const { provider, schemeName, groupRef, groupName, consumerRef, consumerName, providerAppId } =
  OAuthConnectRequest.properties

/** The body of createConnectSession. */
export const ConnectSessionRequest = named(
  'ConnectSessionRequest',
  Type.Object(
    {
      purpose: Type.Optional(
        Enum([...sessionPurposes], {
          description:
            'What the session is for; `connect` by default. `connect`: connect one account. `install`: connect accounts, and create and change installations of its integrations. `manage`: everything of the group, also to remove it.',
        }),
      ),
      provider: Type.Optional(provider),
      providers: Type.Optional(
        Type.Array(Type.String({ maxLength: 200 }), {
          maxItems: 50,
          description: 'Several providers, of which the customer chooses.',
        }),
      ),
      integration: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'Id or name of the only integration of the session. It implies the provider.',
        }),
      ),
      integrations: Type.Optional(
        Type.Array(Type.String({ maxLength: 200 }), {
          maxItems: 50,
          description: 'Several integrations. With the purpose `manage`, all of the project if absent.',
        }),
      ),
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
      language: Type.Optional(
        Type.String({
          pattern: '^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3})?$',
          maxLength: 40,
          description: 'Language of the page, as `de` or `pt-BR`. By default that of the browser.',
        }),
      ),
      theme: Type.Optional(
        Enum(['light', 'dark', 'auto'], { description: 'Colors of the page; `auto` follows the browser.' }),
      ),
      frameOrigins: Type.Optional(
        Type.Array(Type.String({ maxLength: 300 }), {
          maxItems: 50,
          description:
            'Origins of the pages that may show the page in a frame: some of those in the connect settings of the project. By default all of them.',
        }),
      ),
    },
    { description: 'Whose account is to be connected, and where their browser goes afterwards.' },
  ),
)
export type ConnectSessionRequest = Static<typeof ConnectSessionRequest>

const session = {
  id: Type.String({ description: 'Id of the session.' }),
  purpose: Enum([...sessionPurposes], { description: 'What the session is for.' }),
  provider: Type.Optional(
    Type.String({ description: 'Name of the provider. Absent if the customer chooses one of several.' }),
  ),
  providers: Type.Optional(
    Type.Array(Type.String(), { description: 'The providers whose accounts may be connected. Absent for all.' }),
  ),
  integrationIds: Type.Optional(
    Type.Array(Type.String(), { description: 'The integrations that may be installed. Absent for all.' }),
  ),
  groupRef: Type.String({ description: 'Your id of the group.' }),
  consumerRef: Type.String({ description: 'Your id of the person.' }),
  connectionId: Type.Optional(Type.String({ description: 'The resulting connection. Absent until there is one.' })),
  failure: Type.Optional(
    Type.String({ description: 'Why the last attempt at the provider failed. Absent after a success.' }),
  ),
  createTime: Timestamp,
  expireTime: Type.Unsafe<string | Date>({ ...Timestamp, description: 'Until when its link opens.' }),
}

export const ConnectSession = named('ConnectSession', Type.Object(session))
export type ConnectSession = Static<typeof ConnectSession>

export const ConnectSessionWithUrl = named(
  'ConnectSessionWithUrl',
  Type.Object({
    ...session,
    token: secret(
      Type.String({
        description:
          'A bearer token for the components in a browser, valid until `expireTime`. It can do what `purpose` says, for this group only. It is shown only once.',
      }),
    ),
    url: secret(
      Type.String({
        description:
          'The page to open. Anyone who has the URL can connect an account for this group. It is shown only once.',
      }),
    ),
  }),
)
