import { scopeActions } from '@mortise/providers'
import { type Static, Type } from 'typebox'
import { Enum, MapOf, named, secret, sessionPurposes, Timestamp } from '../../../../kernel/http/index.ts'
import { ConnectSettings } from '../../../identity/projects/index.ts'
import { Connection } from '../../connections/index.ts'

/** Schemas of what components ask for. */

const groupRef = Type.String({ description: 'Your id of the group.' })
const consumerRef = Type.String({ description: 'Your id of the person.' })
const ref = (description: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: `${description} Required with a key; tokens have it.` }),
  )

/** Whom a request is for. A token says it; a key sends it. */
export const WhoFields = {
  groupRef: ref('Your id of the group.'),
  consumerRef: ref('Your id of the person.'),
}

const methodKinds = ['none', 'fields', 'oauth2', 'steps'] as const
const askedKinds = ['nothing', 'apiKey', 'password', 'signIn', 'keys'] as const
const time = (description: string) => Type.Unsafe<string | Date>({ ...Timestamp, description })

export const ConnectForm = named(
  'ConnectForm',
  Type.Object(
    {
      name: Type.String({ description: 'Name of the provider.' }),
      displayName: Type.String({ description: 'Name that people know.' }),
      reconnects: Type.Optional(Type.String({ description: 'The connection that gets a new credential.' })),
      methods: Type.Array(
        Type.Object({
          scheme: Type.String({ description: 'Name of the authentication method.' }),
          kind: Enum([...methodKinds], {
            description:
              '`none`: nothing to enter. `fields`: a form. `oauth2`: a page of the provider. `steps`: a form, then maybe pages of the provider.',
          }),
          name: Type.String({ description: 'What people call the method: “Use …”.' }),
          fields: Type.Array(
            Type.Object({
              name: Type.String({ description: 'Name of the value.' }),
              label: Type.String({ description: 'Label of the field.' }),
              help: Type.Optional(Type.String({ description: 'Hint of the provider file.' })),
              docsUrl: Type.Optional(Type.String({ description: 'Page that says where to find the value.' })),
              example: Type.Optional(Type.String({ description: 'Example of a value.' })),
              pattern: Type.Optional(
                Type.String({
                  description: 'Pattern (RE2) that the whole value matches. `…:connect` checks it.',
                }),
              ),
              prefix: Type.Optional(Type.String({ description: 'Part of the address before the value.' })),
              suffix: Type.Optional(Type.String({ description: 'Part of the address after the value.' })),
              type: Enum(['text', 'secret', 'lines', 'select'], { description: 'Kind of the field.' }),
              options: Type.Optional(
                Type.Array(
                  Type.Object({
                    value: Type.String({ description: 'Value to send.' }),
                    label: Type.String({ description: 'What people see.' }),
                  }),
                  { description: 'Values to choose from.' },
                ),
              ),
              initial: Type.Optional(Type.String({ description: 'Value of the field at first.' })),
              optional: Type.Optional(Type.Boolean({ description: 'Whether it may be left empty.' })),
              maxLength: Type.Integer({ description: 'Characters at most.' }),
            }),
            { description: 'What the customer enters.' },
          ),
          scopes: Type.Optional(
            Type.Array(
              Type.Object({
                name: Type.String({ description: 'Name of the scope.' }),
                description: Type.Optional(Type.String({ description: 'What it allows, from the provider file.' })),
              }),
              { description: 'Scopes that Mortise requests.' },
            ),
          ),
          host: Type.Optional(
            Type.String({
              description:
                'With `oauth2`: host of the page that asks. Otherwise: host that the credential is sent to. Absent if it depends on what the customer enters.',
            }),
          ),
        }),
        { description: 'How the account can be connected, the preferred method first.' },
      ),
    },
    { description: 'The fields that a customer fills in to connect an account.' },
  ),
)
export type ConnectForm = Static<typeof ConnectForm>

export const MissingPermission = named(
  'MissingPermission',
  Type.Object(
    {
      scope: Type.String({ description: 'The OAuth scope.' }),
      description: Type.Optional(Type.String({ description: 'What it allows, from the provider file.' })),
      neededFor: Type.Array(
        Type.Object({
          objectName: Type.String({ description: 'The provider’s name of the object.' }),
          displayName: Type.String({ description: 'Name that people know.' }),
          action: Enum([...scopeActions], { description: 'What your integrations do with the object.' }),
          isRequired: Type.Boolean({
            description: 'Whether every installation needs it: the manifest reads the object always.',
          }),
        }),
        { description: 'What needs it. Empty if only the provider app lists it.' },
      ),
    },
    { description: 'A permission that Mortise requested and the account did not grant.' },
  ),
)
export type MissingPermission = Static<typeof MissingPermission>

export const ConnectInfo = named(
  'ConnectInfo',
  Type.Object(
    {
      projectId: Type.String({ description: 'Id of the project.' }),
      appName: Type.Optional(Type.String({ description: 'Name of your application.' })),
      logoUrl: Type.Optional(Type.String({ description: 'Address of your logo.' })),
      connect: ConnectSettings,
      session: Type.Optional(
        Type.Object(
          {
            id: Type.String({ description: 'Id of the connect session.' }),
            purpose: Enum([...sessionPurposes], { description: 'What the session is for.' }),
            language: Type.Optional(Type.String({ description: 'Language of the page.' })),
            theme: Type.Optional(Enum(['light', 'dark', 'auto'], { description: 'Colors of the page.' })),
            redirectUrl: Type.Optional(Type.String({ description: 'Where the browser goes at the end.' })),
            connectionId: Type.Optional(Type.String({ description: 'The connection that was connected last.' })),
            failure: Type.Optional(Type.String({ description: 'Why the last attempt at the provider failed.' })),
            expireTime: time('Until when the token is valid.'),
          },
          { description: 'The connect session of the token. Absent for other credentials.' },
        ),
      ),
      group: Type.Object(
        { groupRef, groupName: Type.String({ description: 'Name of the group.' }) },
        { description: 'The group.' },
      ),
      consumer: Type.Object(
        { consumerRef, consumerName: Type.String({ description: 'Name of the person.' }) },
        { description: 'The person.' },
      ),
      providers: Type.Array(
        Type.Object({
          name: Type.String({ description: 'Name of the provider.' }),
          displayName: Type.String({ description: 'Name that people know.' }),
          methods: Type.Array(Enum([...methodKinds], { description: 'Kind of an authentication method.' }), {
            description: 'How accounts are connected, the preferred kind first. Empty if the project cannot use any.',
          }),
          asksFor: Type.Optional(
            Enum([...askedKinds], {
              description:
                'What the preferred method asks a customer for. `password`: user name and password. `signIn`: a page of the provider. `keys`: other values. Absent if there is no method.',
            }),
          ),
        }),
        { description: 'The providers whose accounts may be connected.' },
      ),
      form: Type.Optional(ConnectForm),
      integrations: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Id of the integration.' }),
          name: Type.String({ description: 'Name of the integration.' }),
          displayName: Type.String({ description: 'Name that people know.' }),
          provider: Type.String({ description: 'Name of its provider.' }),
          providerDisplayName: Type.String({ description: 'Name of its provider that people know.' }),
          revisionId: Type.String({ description: 'Id of the latest revision.' }),
          installationId: Type.Optional(Type.String({ description: 'The newest installation of the group.' })),
          asksForWebhookSecret: Type.Optional(
            Type.Boolean({
              description: 'Whether customers set up a webhook at the provider and enter its secret. Absent if not.',
            }),
          ),
        }),
        { description: 'The integrations that may be installed.' },
      ),
      connections: Type.Array(
        Type.Object({
          ...Connection.properties,
          statusSince: Type.Optional(time('Since when the connection does not work.')),
          failure: Type.Optional(
            Type.String({
              description:
                'What the provider said when it refused the credential, or why it could not be reached. Absent if it gave no reason.',
            }),
          ),
          missingScopes: Type.Optional(
            Type.Array(Type.String(), { description: 'Scopes that Mortise asks for and the account lacks.' }),
          ),
          missingPermissions: Type.Optional(
            Type.Array(MissingPermission, {
              description:
                'What the account did not grant, with what needs it. Absent if nothing is missing, or if the provider does not say what it granted.',
            }),
          ),
        }),
        { description: 'The connections of the group, newest first; 200 at most.' },
      ),
      installations: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Id of the installation.' }),
          integrationId: Type.String({ description: 'Id of the integration.' }),
          connectionId: Type.String({ description: 'Id of the connection.' }),
          healthStatus: Enum(['healthy', 'unhealthy'], { description: 'Whether it works.' }),
          healthReasons: Type.Optional(
            Type.Array(Type.String(), { description: 'Why it is unhealthy. Absent while it is healthy.' }),
          ),
          isPaused: Type.Boolean({ description: 'Whether the reads of all its objects are paused.' }),
          lastReadTime: Type.Optional(time('Until when its records were read, of the newest read that succeeded.')),
          createTime: Timestamp,
        }),
        { description: 'The installations of the group, newest first; 200 at most.' },
      ),
    },
    { description: 'All that the first view of a component needs.' },
  ),
)
export type ConnectInfo = Static<typeof ConnectInfo>

export const ConnectAccountRequest = named(
  'ConnectAccountRequest',
  Type.Object(
    {
      scheme: Type.String({ maxLength: 200, description: 'Name of the authentication method.' }),
      values: secret(
        MapOf(Type.String({ maxLength: 20_000 }), { description: 'What the customer entered, by name of the field.' }),
      ),
      connectionId: Type.Optional(
        Type.String({ maxLength: 200, description: 'A connection of the group that gets a new credential.' }),
      ),
      ...WhoFields,
      mode: Type.Optional(
        Enum(['popup', 'redirect'], {
          description:
            'How the page of the provider opens; `popup` by default. `popup`: its window sends the result to the page that opened it. `redirect`: the browser returns to `returnUrl`.',
        }),
      ),
      returnUrl: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description:
            'For `redirect`: the page of the connect session, its `redirectUrl`, or a page of one of the `frameOrigins` of the project. Gets `connectionId` and `status`, or `error`, in its query.',
        }),
      ),
    },
    { description: 'What a customer entered to connect an account.' },
  ),
)

export const ConnectAccountResponse = named(
  'ConnectAccountResponse',
  Type.Object(
    {
      outcome: Enum(['connected', 'redirect'], { description: 'What happens next.' }),
      connection: Type.Optional(Connection),
      url: Type.Optional(
        Type.String({
          description: 'For `redirect`: an address of this service that leads to the provider. Valid for ten minutes.',
        }),
      ),
    },
    { description: 'Either the connection, or where the browser has to go.' },
  ),
)
