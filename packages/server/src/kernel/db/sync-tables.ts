import type { ColumnType, Generated } from 'kysely'
import type { CreateTime, Json, Leased, Nullable } from './columns.ts'

/**
 * How far the job of the provider is that writes the records from the position of a run on.
 *
 * `declined`: no job can write them, so that they go in batches. `open`: the job exists, and whether it has the records
 * is not known. `started`: it has them, and its start was requested or is about to be.
 */
export type WriteJobPosition =
  | { phase: 'declined' }
  | {
      phase: 'open' | 'started'
      /** Id of the job at the provider. */
      id: string
      /** When it was created, in milliseconds since 1970. */
      at: number
      /** Number of its records. */
      count: number
    }

/** Tables of `sync`. */
export interface SyncTables {
  read_states: Leased & {
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
    last_run_time: Nullable<Date>
    last_run_status: Nullable<string>
    changed_time: Nullable<Date>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  deletion_checks: Leased & {
    project_id: string
    installation_id: string
    object_name: string
    schedule: string
    next_check_at: Nullable<Date>
    operation_id: Nullable<string>
    phase: Nullable<'sort' | 'list' | 'compare' | 'report'>
    begin_time: Nullable<Date>
    page: Nullable<string>
    listed: Generated<number>
    missing: Generated<number>
    deleted: Generated<number>
    attempt: Generated<number>
    restarts: Generated<number>
    first_error_at: Nullable<Date>
    baseline_time: Nullable<Date>
    last_check_time: Nullable<Date>
    last_check_status: Nullable<'success' | 'failure'>
    last_error: Nullable<string>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  delivered_ids: {
    project_id: string
    id: string
    installation_id: string
    object_name: string
    part: string
    run: Generated<number>
    chunk: Generated<number>
    ids: Buffer
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
    restarts: Generated<number>
    next_attempt_at: Generated<Date>
    first_error_at: Nullable<Date>
    create_time: CreateTime
    resend_to: Nullable<string>
  }
  resends: Leased & {
    project_id: string
    destination_id: string
    id: string
    integration_id: Nullable<string>
    group_ref: Nullable<string>
    object_name: Nullable<string>
    status: Generated<'in_progress' | 'success' | 'failure' | 'canceled'>
    listed_to: Nullable<string>
    is_listed: Generated<boolean>
    next_step_at: Nullable<Date>
    attempt: Generated<number>
    create_time: CreateTime
    end_time: Nullable<Date>
  }
  resend_reads: {
    project_id: string
    destination_id: string
    installation_id: string
    object_name: string
    status: Generated<'waiting' | 'in_progress' | 'success' | 'failure' | 'canceled'>
    operation_id: Nullable<string>
    records: Generated<number>
    error: Nullable<string>
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
    job: Nullable<WriteJobPosition>
    record_ids: ColumnType<string[], string | undefined, string>
    errors: ColumnType<string[], string | undefined, string>
    succeeded: Generated<number>
    failed: Generated<number>
    attempt: Generated<number>
    next_attempt_at: Date
    create_time: CreateTime
  }
  approvals: {
    project_id: string
    id: string
    installation_id: string
    tool_name: string
    action: 'create' | 'update' | 'delete' | 'call'
    object_name: string
    agent: Nullable<string>
    consumer_digest: Nullable<string>
    encrypted_call: string
    state_digest: string
    status: Generated<'waiting' | 'approved' | 'refused' | 'done' | 'failed'>
    decided_by: Nullable<string>
    /** Who decides: a person of the builder, or the user of the client that called. */
    decider: Generated<'person' | 'user'>
    answer_hash: Nullable<Buffer>
    comment: Nullable<string>
    encrypted_result: Nullable<string>
    operation_id: Nullable<string>
    create_time: CreateTime
    expire_time: Date
    decide_time: Nullable<Date>
    end_time: Nullable<Date>
  }
  tool_names: {
    project_id: string
    name: string
    kind: 'object' | 'custom' | 'provider'
    integration_name: string
    provider: string
    object_name: string
    action: string
    create_time: CreateTime
  }
  tool_windows: { project_id: string; installation_id: string; window_start: Date; calls: number }
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
    next_renew_time: Nullable<Date>
  }
  streams: Leased & {
    project_id: string
    installation_id: string
    connection_id: Nullable<string>
    positions: ColumnType<Record<string, string>, string | undefined, string>
    attempts: Generated<number>
    next_time: Nullable<Date>
    create_time: CreateTime
  }
  webhook_secrets: {
    project_id: string
    installation_id: string
    encrypted_secret: string
    previous_secrets: ColumnType<{ encrypted: string; until: string }[], string | undefined, string>
    create_time: CreateTime
    update_time: Nullable<Date>
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
