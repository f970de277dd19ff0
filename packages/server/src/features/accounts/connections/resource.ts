import { type Static, Type } from 'typebox'
import { audited, Enum, FreeForm, named, secret, Timestamp } from '../../../kernel/http/index.ts'
import { ProviderApp, type ProviderAppRow, providerAppResource } from '../../integrations/provider-apps/index.ts'
import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'
import { type AuthScheme, authSchemes, OAuth2Tokens } from '../connection-inputs/index.ts'
import { Consumer, Group } from '../consumers/index.ts'
import type { StoredCredential } from '../credentials/index.ts'
import { type CheckOutcome, checkOutcomes } from './check-outcome.ts'
import { TokenInfo } from './token-info.ts'

/** Schemas of connections and their parts, and the conversion of rows to resources. */

export const LastCheck = named(
  'LastCheck',
  Type.Object(
    {
      outcome: Enum([...checkOutcomes], {
        description:
          '`works`: the provider accepted the credential. `refused`: the provider refused it or denied access. `unreachable`: no usable answer. `notChecked`: the provider has no health check.',
      }),
      reason: Type.Optional(Type.String({ description: 'The reason, in one sentence. Absent when it works.' })),
      time: Type.Unsafe<string | Date>({ ...Timestamp, description: 'When the check ended.' }),
    },
    { description: 'Result of the last check of the credential. Absent until the first check is done.' },
  ),
)

export const Connection = named(
  'Connection',
  Type.Object({
    id: audited(Type.String({ description: 'Id of the connection.' })),
    projectId: Type.String({ description: 'Id of the project.' }),
    provider: audited(Type.String({ description: 'Name of the provider.' })),
    group: Group,
    consumer: Consumer,
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
    authScheme: audited(Enum([...authSchemes], { description: 'How it authenticates with the provider.' })),
    schemeName: Type.Optional(
      Type.String({
        description:
          'Name of the provider’s authentication scheme. Absent if it was connected before schemes had names.',
      }),
    ),
    status: audited(
      Enum(['created', 'working', 'bad_credentials'], {
        description:
          '`created`: its credential has not been used yet. `working`: the last request succeeded. `bad_credentials`: the provider refused the credential.',
      }),
    ),
    lastCheck: Type.Optional(LastCheck),
    providerApp: Type.Optional(ProviderApp),
    providerWorkspaceRef: Type.Optional(Type.String({ description: 'The workspace at the provider.' })),
    providerConsumerRef: Type.Optional(Type.String({ description: 'The provider’s id of this person.' })),
    oauth2AuthorizationCode: Type.Optional(OAuth2Tokens),
    tokenInfo: Type.Optional(TokenInfo),
    apiKey: Type.Optional(
      secret(Type.String({ description: 'The API key. Present only if you request it or just connected with it.' })),
    ),
    providerMetadata: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        ...FreeForm,
        description: 'Values that the provider needs, by name: `{value, source, displayName?}`.',
      }),
    ),
  }),
)
export type Connection = Static<typeof Connection>

/** A connection with its group and consumer: the columns of `connectionColumns`. */
export interface ConnectionRow {
  project_id: string
  connection_id: string
  provider: string
  auth_scheme: AuthScheme
  /** Null for a connection that was made before schemes had names, and for a key that fits none of them. */
  scheme_name: string | null
  status: ConnectionStatus
  provider_workspace_ref: string | null
  provider_consumer_ref: string | null
  provider_metadata: Record<string, unknown> | null
  rate_limited_until: Date | null
  check_outcome: CheckOutcome | null
  check_reason: string | null
  check_time: Date | null
  connection_create_time: Date
  connection_update_time: Date | null
  group_ref: string
  group_name: string
  group_create_time: Date
  group_update_time: Date | null
  consumer_ref: string
  consumer_name: string
  consumer_create_time: Date
  consumer_update_time: Date | null
  /** The app that a person granted access to. If null, so are the app's other columns. */
  app_id: string | null
  app_client_id: string
  app_external_ref: string | null
  app_scopes: string[] | null
  app_metadata: ProviderAppRow['metadata']
  app_create_time: Date
  app_update_time: Date | null
}

/** The secrets that a response may contain. */
export interface ShownSecrets {
  apiKey?: boolean
  accessToken?: boolean
  refreshToken?: boolean
}

/** Returns the connection as a resource. It contains no secrets unless `credential` and `show` are given. */
export function connectionResource(
  row: ConnectionRow,
  credential?: StoredCredential,
  show: ShownSecrets = {},
): Connection {
  return {
    id: row.connection_id,
    projectId: row.project_id,
    provider: row.provider,
    group: {
      groupRef: row.group_ref,
      groupName: row.group_name,
      projectId: row.project_id,
      createTime: row.group_create_time,
      ...(row.group_update_time && { updateTime: row.group_update_time }),
    },
    consumer: {
      consumerRef: row.consumer_ref,
      consumerName: row.consumer_name,
      projectId: row.project_id,
      createTime: row.consumer_create_time,
      ...(row.consumer_update_time && { updateTime: row.consumer_update_time }),
    },
    createTime: row.connection_create_time,
    ...(row.connection_update_time && { updateTime: row.connection_update_time }),
    authScheme: row.auth_scheme,
    ...(row.scheme_name !== null && { schemeName: row.scheme_name }),
    status: row.status,
    ...lastCheckOf(row),
    ...(row.app_id !== null && { providerApp: providerAppResource(appOf(row, row.app_id)) }),
    ...(row.provider_workspace_ref !== null && { providerWorkspaceRef: row.provider_workspace_ref }),
    ...(row.provider_consumer_ref !== null && { providerConsumerRef: row.provider_consumer_ref }),
    ...(row.provider_metadata !== null && { providerMetadata: row.provider_metadata }),
    ...(credential && secretsOf(credential, show)),
  }
}

function lastCheckOf({ check_outcome, check_reason, check_time }: ConnectionRow): Pick<Connection, 'lastCheck'> {
  if (check_outcome === null || check_time === null) return {}
  return {
    lastCheck: { outcome: check_outcome, ...(check_reason !== null && { reason: check_reason }), time: check_time },
  }
}

function appOf(row: ConnectionRow, id: string): Omit<ProviderAppRow, 'encrypted_secret' | 'encrypted_params'> {
  return {
    project_id: row.project_id,
    id,
    provider: row.provider,
    client_id: row.app_client_id,
    external_ref: row.app_external_ref,
    scopes: row.app_scopes,
    metadata: row.app_metadata,
    // The list names other customers' hosts, which do not belong in one customer's connection.
    allowed_hosts: null,
    create_time: row.app_create_time,
    update_time: row.app_update_time,
  }
}

function secretsOf(
  credential: StoredCredential,
  show: ShownSecrets,
): Pick<Connection, 'apiKey' | 'oauth2AuthorizationCode'> {
  if (credential.scheme === 'apiKey') return show.apiKey ? { apiKey: credential.apiKey } : {}
  if (credential.scheme !== 'oauth2' || !(show.accessToken || show.refreshToken)) return {}
  const { accessToken, refreshToken, scopes, grant } = credential
  // Without an access token there are no tokens to show. The grant itself is never shown.
  if (grant && !accessToken) return {}
  return {
    oauth2AuthorizationCode: {
      ...(accessToken && { accessToken }),
      ...(show.refreshToken && refreshToken && { refreshToken }),
      ...(scopes && { scopes }),
    },
  }
}
