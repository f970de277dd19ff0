import type { ColumnType, Generated } from 'kysely'

/** A time that the database sets on insert. */
type CreateTime = ColumnType<Date, Date | undefined, Date>
/** A JSON document: objects on the way out, text on the way in (so that arrays are not taken for SQL arrays). */
type Json<T = unknown> = ColumnType<T, string, string>
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
/** Rows that are work: see `kernel/work`. */
type Leased = { fence: Nullable<string>; lease_until: Nullable<Date> }

/** Every table, as `migrations/` made it. */
export interface Tables {
  orgs: {
    id: string
    label: string
    default_team_id: Generated<string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  builders: {
    id: string
    idp_provider: string
    idp_ref: string
    email: string
    email_verified: boolean
    first_name: Nullable<string>
    last_name: Nullable<string>
    full_name: Nullable<string>
    password: Nullable<string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  memberships: { org_id: string; builder_id: string; role: 'member' | 'owner'; create_time: CreateTime }
  removed_members: { org_id: string; builder_id: string; create_time: CreateTime }
  invites: {
    id: string
    org_id: string
    invited_email: string
    role: Generated<'member' | 'owner'>
    status: Generated<'pending' | 'accepted' | 'revoked' | 'expired'>
    mailed: boolean
    created_by: string
    expire_time: Date
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  claimed_domains: {
    id: string
    org_id: string
    domain: string
    challenge: Generated<string>
    verify_time: Nullable<Date>
    check_time: Nullable<Date>
    create_time: CreateTime
  }
  sessions: {
    id: string
    builder_id: string
    kind: 'api' | 'browser' | 'cli'
    token_hash: Buffer
    create_time: CreateTime
    refresh_time: Nullable<Date>
    expire_time: Date
  }
  used_refresh_tokens: { token_hash: Buffer; session_id: string }
  sign_in_codes: {
    code_hash: Buffer
    builder_id: string
    challenge: string
    create_time: CreateTime
    expire_time: Date
  }
  sign_in_flows: {
    state_hash: Buffer
    browser_hash: Buffer
    encrypted: string
    create_time: CreateTime
    expire_time: Date
  }
  password_resets: {
    builder_id: string
    token_hash: Buffer
    org_id: Nullable<string>
    created_by: Nullable<string>
    expire_time: Date
    create_time: CreateTime
  }
  sign_in_addresses: { subject_hash: Buffer; until: Date }
  sign_in_attempts: { subject_hash: Buffer; count: number; until: Date }
  signing_keys: {
    id: string
    public_jwk: Json
    encrypted_private_jwk: string
    active: Generated<boolean>
    create_time: CreateTime
    retire_time: Nullable<Date>
  }
  projects: {
    id: string
    org_id: string
    name: string
    app_name: string
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  encryption_keys: {
    key_id: string
    state: ColumnType<
      'active' | 'previous' | 'closing' | 'retired',
      'active' | 'previous' | undefined,
      'active' | 'previous' | 'closing' | 'retired'
    >
    create_time: CreateTime
  }
  encryption_key_nodes: { node: string; key_ids: string[]; active_id: string; seen_time: CreateTime }
  api_keys: {
    project_id: string
    id: string
    label: string
    scopes: string[]
    hash: Buffer
    encrypted: string
    hint: string
    active: Generated<boolean>
    created_by: string
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  jwt_keys: {
    project_id: string
    id: string
    label: string
    public_key_pem: string
    active: Generated<boolean>
    created_by: string
    create_time: CreateTime
    update_time: CreateTime
  }
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
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  consumers: {
    project_id: string
    consumer_ref: string
    consumer_name: string
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
  oauth_flows: {
    project_id: string
    state_hash: Buffer
    bound: boolean
    browser_hash: Nullable<Buffer>
    encrypted: string
    create_time: CreateTime
    expire_time: Date
  }
  connect_sessions: {
    project_id: string
    id: string
    token_hash: Buffer
    provider: string
    group_ref: string
    consumer_ref: string
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
  read_states: {
    project_id: string
    installation_id: string
    object_name: string
    schedule: Nullable<string>
    next_run_at: Nullable<Date>
    high_water_mark: Nullable<Date>
    paused: Nullable<string>
    paused_time: Nullable<Date>
    failure_count: Generated<number>
    last_error: Nullable<string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  schema_watches: Leased & {
    project_id: string
    installation_id: string
    object_name: string
    schedule: string
    next_check_at: Date
    connection_id: Nullable<string>
    module: Nullable<string>
    declaration: Nullable<string>
    fields: Json | null
    check_time: Nullable<Date>
    failure_count: Generated<number>
    last_error: Nullable<string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  schema_changes: {
    project_id: string
    id: string
    installation_id: string
    object_name: string
    created_fields: Json
    deleted_fields: Json
    changed_fields: Json
    create_time: CreateTime
  }
  read_runs: Leased & {
    project_id: string
    operation_id: string
    installation_id: string
    object_name: string
    kind: string
    since: Nullable<Date>
    until: Nullable<Date>
    page: Nullable<string>
    pages: Generated<number>
    records: Generated<number>
    records_estimated: Nullable<number>
    attempt: Generated<number>
    next_attempt_at: Generated<Date>
    first_error_at: Nullable<Date>
    create_time: CreateTime
  }
  buffered_pages: {
    project_id: string
    installation_id: string
    object_name: string
    id: string
    operation_id: string
    destination_name: string
    payload: Buffer
    result: Nullable<Buffer>
    create_time: CreateTime
  }
  page_requests: {
    project_id: string
    installation_id: string
    object_name: string
    wanted: Generated<string>
    create_time: CreateTime
  }
  write_runs: Leased & {
    project_id: string
    operation_id: string
    installation_id: string
    object_name: string
    type: 'create' | 'update' | 'delete'
    mode: 'synchronous' | 'asynchronous'
    batch: boolean
    all_or_none: Generated<boolean>
    encrypted_headers: Nullable<string>
    records: number
    variant: Nullable<Buffer>
    gather_until: Nullable<Date>
    retry_hours: number
    deadline: Date
    position: Generated<number>
    sending: Generated<boolean>
    record_ids: ColumnType<string[], string | undefined, string>
    errors: ColumnType<string[], string | undefined, string>
    succeeded: Generated<number>
    failed: Generated<number>
    attempt: Generated<number>
    next_attempt_at: Date
    create_time: CreateTime
  }
  write_items: { project_id: string; operation_id: string; position: number; encrypted: string }
  backfills: {
    project_id: string
    installation_id: string
    object_name: string
    operation_id: string
    records_processed: Generated<number>
    records_estimated: Nullable<number>
    done_time: Nullable<Date>
    create_time: CreateTime
    update_time: Nullable<Date>
    error: Nullable<string>
    since: Nullable<Date>
    until: Nullable<Date>
    page: Nullable<string>
    pages: Nullable<number>
  }
  operations: {
    project_id: string
    id: string
    integration_id: string
    installation_id: string
    config_id: string
    action_type: string
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
  destinations: {
    project_id: string
    id: string
    name: string
    type: string
    metadata: ColumnType<Record<string, unknown>, string | undefined, string>
    encrypted_metadata: Nullable<string>
    url_changes: Generated<number>
    encrypted_secrets: string
    previous_secrets: ColumnType<{ encrypted: string; until: string }[], string | undefined, string>
    disabled_time: Nullable<Date>
    disabled_reason: Nullable<string>
    first_failure_at: Nullable<Date>
    failure_count: Generated<number>
    probe_at: Nullable<Date>
    failed_probes: Generated<number>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  messages: {
    project_id: string
    id: string
    destination_id: Nullable<string>
    destination_name: string
    kind: string
    installation_id: Nullable<string>
    operation_id: Nullable<string>
    state: Generated<string>
    payload: Buffer
    payload_bytes: number
    has_result: Generated<boolean>
    attempt: Generated<number>
    schedule_from: Generated<number>
    next_attempt_at: Generated<Date>
    lease_token: Nullable<string>
    lease_until: Nullable<Date>
    create_time: CreateTime
    end_time: Nullable<Date>
    event_type: Nullable<string>
  }
  idempotency_keys: {
    id: Buffer
    project_id: Nullable<string>
    fingerprint: Buffer
    status: Nullable<number>
    encrypted_answer: Nullable<string>
    create_time: CreateTime
  }
  message_results: { project_id: string; id: string; body: Buffer; create_time: CreateTime }
  attempts: {
    project_id: string
    message_id: string
    number: number
    destination_id: string
    status: Nullable<number>
    error: Nullable<string>
    response: Nullable<string>
    duration_ms: number
    create_time: CreateTime
  }
  topics: { project_id: string; id: string; name: string; create_time: CreateTime; update_time: Nullable<Date> }
  event_topic_routes: {
    project_id: string
    id: string
    event_type: string
    topic_id: string
    create_time: CreateTime
  }
  topic_destination_routes: {
    project_id: string
    id: string
    topic_id: string
    destination_id: string
    create_time: CreateTime
  }
  message_replays: {
    project_id: string
    id: string
    selection: Json
    status: Generated<'in_progress' | 'done'>
    cursor: Nullable<string>
    matched: Generated<number>
    requeued: Generated<number>
    skipped: Generated<number>
    missing: Generated<number>
    create_time: CreateTime
    done_time: Nullable<Date>
  }
  watches: { topic: string; node: string; until: Date }
  subscriptions: Leased & {
    project_id: string
    installation_id: string
    integration_id: string
    account: Nullable<string>
    error: Nullable<string>
    attempts: Generated<number>
    next_time: Nullable<Date>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  registrations: {
    project_id: string
    id: string
    installation_id: string
    connection_id: string
    key: string
    object: Nullable<string>
    event: Nullable<string>
    events: string[]
    provider_id: Nullable<string>
    encrypted_secret: string
    expire_time: Nullable<Date>
    create_time: CreateTime
    renew_time: Nullable<Date>
  }
  teardowns: Leased & {
    project_id: string
    id: string
    provider: string
    encrypted: string
    attempts: Generated<number>
    next_time: Date
    create_time: CreateTime
  }
  inbound_events: {
    project_id: string
    id: string
    integration_id: string
    installation_id: Nullable<string>
    account: Nullable<string>
    object: Nullable<string>
    name: string
    record_id: Nullable<string>
    event_time: Nullable<Date>
    fields_updated: Nullable<string[]>
    raw: string
    attempts: Generated<number>
    due_time: Date
    create_time: CreateTime
  }
  inbound_keys: { project_id: string; stream_id: string; key: Buffer; seen_time: Date }
}
