import { type Static, type TSchema, Type } from 'typebox'
import { MapOf, named, secret, Timestamp } from '../../../kernel/http/index.ts'
import { MissingScope } from '../integrations/index.ts'

const metadataOf = (mark: <T extends TSchema>(schema: T) => T) =>
  Type.Object(
    {
      authQueryParams: Type.Optional(
        MapOf(Type.Array(Type.String({ maxLength: 5_000 }), { maxItems: 100 }), {
          description: 'Further parameters of the authorization URL, each with its values.',
        }),
      ),
      providerParams: Type.Optional(
        mark(
          MapOf(Type.String({ maxLength: 5_000 }), {
            description:
              'Values that this provider needs, by name. Secrets, such as its signing secret for events, are encrypted and never shown again. A secret that you do not send is kept; an empty text removes it.',
          }),
        ),
      ),
    },
    { description: 'What else the provider needs to know of the app.' },
  )

const ProviderAppMetadata = named(
  'ProviderAppMetadata',
  metadataOf((schema) => schema),
)
/** What callers send: any value may be a secret. */
const ProviderAppMetadataInput = named('ProviderAppMetadataInput', metadataOf(secret))
export type ProviderAppMetadata = Static<typeof ProviderAppMetadata>

const allowedHosts =
  'Extension: hosts that receive the client secret, of customers who run the provider themselves: `git.acme.com`, or `*.acme.com` for every name below. Needed only where the file of the provider does not name the host.'

const WebhookUrl = Type.Object(
  {
    integrationId: Type.String({ description: 'Id of the integration.' }),
    integrationName: Type.String({ description: 'Its name.' }),
    url: Type.String({ description: 'The URL, whole.' }),
    offeredSecret: Type.Optional(
      secret(
        Type.String({
          description:
            'In lists: the secret that the URL received during the last day, for a provider that creates the secret itself. Anyone may have sent it. If the provider accepts it when you enter it there, it is the right one: store it in the app. Front ends do not see it.',
        }),
      ),
    ),
  },
  { description: 'Where the provider sends the events of one integration.' },
)

export const ProviderApp = named(
  'ProviderApp',
  Type.Object({
    id: Type.String({ description: 'Id of the provider app.' }),
    projectId: Type.String({ description: 'Id of the project.' }),
    provider: Type.String({ description: 'Name of the provider.' }),
    clientId: Type.String({ description: 'Client id of the app at the provider.' }),
    externalRef: Type.Optional(Type.String({ description: 'What the provider calls the app.' })),
    scopes: Type.Optional(Type.Array(Type.String(), { description: 'Scopes to request from customers.' })),
    metadata: Type.Optional(ProviderAppMetadata),
    allowedHosts: Type.Optional(Type.Array(Type.String(), { description: allowedHosts })),
    webhookUrls: Type.Optional(
      Type.Array(WebhookUrl, {
        description:
          'Extension: URLs that you enter in the app at the provider, for webhooks that no API registers: of each integration that subscribes, 100 at most. Absent where the provider has no such webhooks.',
      }),
    ),
    missingScopes: Type.Optional(
      Type.Array(MissingScope, {
        description:
          'Extension: in lists, OAuth scopes that the integrations of the project need and the app does not list. Absent if none is missing or nothing is known.',
      }),
    ),
    missingParams: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Extension: in lists, names of values in `providerParams` that the provider requires and the app lacks. Mortise sends no requests until they are there.',
      }),
    ),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)
export type ProviderApp = Static<typeof ProviderApp>
export type WebhookUrl = Static<typeof WebhookUrl>

const scope = Type.String({ minLength: 1, maxLength: 1_000 })

const values = {
  provider: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the provider.' }),
  clientId: Type.String({ minLength: 1, maxLength: 5_000, description: 'Client id of the app at the provider.' }),
  clientSecret: secret(
    Type.String({ minLength: 1, maxLength: 20_000, description: 'Client secret; never shown again.' }),
  ),
  externalRef: Type.String({ maxLength: 1_000, description: 'What the provider calls the app.' }),
  scopes: Type.Array(Type.Union([scope, Type.Array(scope, { maxItems: 1_000 })]), {
    maxItems: 1_000,
    description: 'Scopes to request from customers. Lists inside the list are flattened.',
  }),
  metadata: ProviderAppMetadataInput,
  allowedHosts: Type.Array(Type.String({ maxLength: 253 }), { maxItems: 1_000, description: allowedHosts }),
}

export const NewProviderApp = named(
  'NewProviderApp',
  Type.Object({
    provider: values.provider,
    clientId: values.clientId,
    clientSecret: values.clientSecret,
    externalRef: Type.Optional(values.externalRef),
    scopes: Type.Optional(values.scopes),
    metadata: Type.Optional(values.metadata),
    allowedHosts: Type.Optional(values.allowedHosts),
  }),
)
export type NewProviderApp = Static<typeof NewProviderApp>

/** Paths that `updateMask` may contain. */
export const masks = [
  'externalRef',
  'clientId',
  'clientSecret',
  'provider',
  'scopes',
  'metadata',
  'allowedHosts',
] as const

export const UpdateProviderAppRequest = named(
  'UpdateProviderAppRequest',
  Type.Object({
    updateMask: Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: 100,
      description: `What to change: ${masks.map((mask) => `\`${mask}\``).join(', ')}.`,
    }),
    providerApp: named('ProviderAppChange', Type.Partial(Type.Object(values), { description: 'The new values.' })),
  }),
)
export type UpdateProviderAppRequest = Static<typeof UpdateProviderAppRequest>

/** Returns the scopes as one list without duplicates. */
export function flatScopes(scopes: (string | string[])[]): string[] {
  return [...new Set(scopes.flat())]
}

export interface ProviderAppRow {
  project_id: string
  id: string
  provider: string
  client_id: string
  encrypted_secret: string
  /** The secrets among its `providerParams`, as JSON. */
  encrypted_params: string | null
  external_ref: string | null
  scopes: string[] | null
  metadata: ProviderAppMetadata | null
  /** Null means the same as empty. */
  allowed_hosts: string[] | null
  create_time: Date
  update_time: Date | null
}

/** Converts a row to the resource in a response, without its secrets. */
export function providerAppResource(
  row: Omit<ProviderAppRow, 'encrypted_secret' | 'encrypted_params'>,
  webhookUrls?: WebhookUrl[] | undefined,
): ProviderApp {
  return {
    id: row.id,
    projectId: row.project_id,
    provider: row.provider,
    clientId: row.client_id,
    ...(row.external_ref !== null && { externalRef: row.external_ref }),
    ...(row.scopes !== null && { scopes: row.scopes }),
    ...(row.metadata !== null && { metadata: row.metadata }),
    ...(row.allowed_hosts?.length && { allowedHosts: row.allowed_hosts }),
    ...(webhookUrls && { webhookUrls }),
    createTime: row.create_time,
    ...(row.update_time !== null && { updateTime: row.update_time }),
  }
}
