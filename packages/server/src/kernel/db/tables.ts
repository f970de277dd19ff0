import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { AgentTables } from './agent-tables.ts'
import type { AuditTables } from './audit-tables.ts'
import type { ClientTables } from './client-tables.ts'
import type { CreateTime, Json, Leased, Nullable } from './columns.ts'
import type { HistoryTables } from './history-tables.ts'
import type { IdentityTables } from './identity-tables.ts'
import type { MessagingTables } from './messaging-tables.ts'
import type { SyncTables } from './sync-tables.ts'

interface CountColumns {
  reads: number
  failed_reads: number
  records: number
  messages: number
  deliveries: number
  failed_deliveries: number
  provider_calls: number
  failed_provider_calls: number
}

/** Every table, as `migrations/` made it. */
export interface Tables
  extends AgentTables,
    AuditTables,
    ClientTables,
    HistoryTables,
    IdentityTables,
    MessagingTables,
    SyncTables {
  integrations: {
    project_id: string
    id: string
    name: string
    provider: string
    latest_revision_id: string
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  revisions: {
    project_id: string
    id: string
    integration_id: string
    spec_version: string
    content: Json
    content_hash: Buffer
    create_time: CreateTime
  }
  uploads: {
    project_id: string
    id: string
    md5: Nullable<string>
    body: Nullable<Buffer>
    create_time: CreateTime
    expire_time: Date
  }
  groups: {
    project_id: string
    group_ref: string
    group_name: string
    /** In lower case, for searches. */
    search_ref: GeneratedAlways<string>
    search_name: GeneratedAlways<string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  consumers: {
    project_id: string
    consumer_ref: string
    consumer_name: string
    /** In lower case, for searches. */
    search_ref: GeneratedAlways<string>
    search_name: GeneratedAlways<string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  connections: {
    project_id: string
    id: string
    provider: string
    group_ref: string
    consumer_ref: string
    auth_scheme: string
    scheme_name: Nullable<string>
    status: string
    provider_workspace_ref: Nullable<string>
    provider_consumer_ref: Nullable<string>
    provider_metadata: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
    rate_limited_until: Nullable<Date>
    check_outcome: Nullable<string>
    check_reason: Nullable<string>
    check_time: Nullable<Date>
    provider_app_id: Nullable<string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  limit_shares: {
    project_id: string
    name: string
    node: string
    share: number
    wanted: number
    until: Date
  }
  connect_sessions: {
    project_id: string
    id: string
    token_hash: Buffer
    provider: string
    group_ref: string
    consumer_ref: string
    purpose: Generated<string>
    limits: Nullable<Json>
    encrypted: string
    failure: Nullable<string>
    connection_id: Nullable<string>
    create_time: CreateTime
    expire_time: Date
  }
  custom_auth_sessions: {
    project_id: string
    session_hash: Buffer
    state_hash: Buffer
    opener_origin: Nullable<string>
    encrypted: string
    create_time: CreateTime
    expire_time: Date
  }
  offered_secrets: { project_id: string; integration_id: string; encrypted_secret: string; create_time: CreateTime }
  provider_apps: {
    project_id: string
    id: string
    provider: string
    client_id: string
    encrypted_secret: string
    encrypted_params: Nullable<string>
    external_ref: Nullable<string>
    scopes: Nullable<string[]>
    metadata: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
    allowed_hosts: Nullable<string[]>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  erasures: Leased & {
    project_id: string
    id: string
    kind: 'group' | 'consumer'
    ref: string
    installation_ids: string[]
    cursor: Nullable<string>
    due_time: Generated<Date>
    failures: Generated<number>
    create_time: CreateTime
  }
  connection_credentials: {
    project_id: string
    connection_id: string
    generation: Generated<number>
    encrypted: string
    expire_time: Nullable<Date>
    update_time: CreateTime
    renew_time: Nullable<Date>
    renew_at: Nullable<Date>
    retry_at: Nullable<Date>
    renewal_failures: Generated<number>
    refused: Nullable<string>
    needed_scopes: Nullable<string[]>
  }
  installations: {
    project_id: string
    id: string
    integration_id: string
    group_ref: string
    connection_id: string
    config_id: string
    health_status: Generated<string>
    created_by: string
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  configs: {
    project_id: string
    id: string
    installation_id: string
    version: number
    revision_id: string
    content: Json
    created_by: string
    create_time: CreateTime
  }
  operations: {
    project_id: string
    id: string
    integration_id: string
    installation_id: string
    config_id: string
    action_type: string
    read_type: Nullable<string>
    is_quiet: Nullable<boolean>
    resource: Nullable<string>
    status: string
    result: Nullable<string>
    metadata: ColumnType<Record<string, unknown>, string | undefined, string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  last_operations: { project_id: string; installation_id: string; operation_id: string; status: string }
  operation_logs: {
    project_id: string
    operation_id: string
    id: string
    severity: string
    message: Json<Record<string, unknown>>
    create_time: CreateTime
  }
  installation_counts: CountColumns & {
    project_id: string
    period: string
    start_time: Date
    installation_id: string
    object_name: string
    integration_id: string
  }
  integration_counts: CountColumns & {
    project_id: string
    period: string
    start_time: Date
    integration_id: string
    object_name: string
  }
  ranked_intervals: {
    project_id: string
    period: string
    start_time: Date
    rank_time: Date
  }
  ranked_installations: {
    project_id: string
    period: string
    start_time: Date
    count_name: string
    integration_id: string
    installation_id: string
    total: number
  }
  builder_idempotency_keys: {
    id: Buffer
    fingerprint: Buffer
    status: Nullable<number>
    encrypted_answer: Nullable<string>
    create_time: CreateTime
  }
  idempotency_keys: {
    project_id: string
    id: Buffer
    fingerprint: Buffer
    status: Nullable<number>
    encrypted_answer: Nullable<string>
    create_time: CreateTime
  }
}
