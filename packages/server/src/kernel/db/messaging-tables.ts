import type { ColumnType, Generated } from 'kysely'
import type { CreateTime, Json, Nullable } from './columns.ts'

/** Destinations, messages to them, stored records, and what routes events. */
export interface MessagingTables {
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
    /** Names of the destinations that get what is posted to this one; null for one that sends. */
    members: Nullable<string[]>
    /** Name of the destination of messages whose group has none, of type `by-group`. Its `members` are empty. */
    group_default: Nullable<string>
    /** When a notice about new dead letters is due; null without new ones. */
    dead_letters_due_at: Nullable<Date>
    dead_letters_noticed_at: Nullable<Date>
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  destination_groups: {
    project_id: string
    destination_id: string
    group_ref: string
    /** Name of the destination that gets the messages of the group. */
    target_name: string
    create_time: CreateTime
    update_time: Nullable<Date>
  }
  destination_connections: {
    project_id: string
    destination_id: string
    connection_id: string
    /** Name of the destination that gets the messages of the connection. */
    target_name: string
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
    /** Sorts the messages that were not attempted yet. */
    order_at: Generated<Date>
    lease_token: Nullable<string>
    lease_until: Nullable<Date>
    create_time: CreateTime
    end_time: Nullable<Date>
    event_type: Nullable<string>
    object_name: Nullable<string>
    failure: Nullable<string>
    split_from: Nullable<string>
    rejected_records: Generated<number>
    original_records: Nullable<Buffer>
    corrected_by: Nullable<string>
    correct_time: Nullable<Date>
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
  record_stores: {
    project_id: string
    id: string
    destination_id: Nullable<string>
    /** Of the last change. Positions only grow, and change under the lock of the row. */
    position: Generated<number>
    /** The highest position of a deleted record that was forgotten. */
    forgotten_position: Generated<number>
    retention_days: Nullable<number>
    clean_at: Generated<Date>
    create_time: CreateTime
  }
  records: {
    project_id: string
    installation_id: string
    store_id: string
    record_key: Buffer
    object_name: string
    record_id: string
    group_ref: string
    provider: string
    workspace: string
    position: number
    /** The newest message that names the record. */
    message_id: string
    /** The newest message with its content, or with its deletion. */
    content_message_id: Nullable<string>
    deleted_at: Nullable<Date>
    content: Nullable<string>
    encrypted_content: Nullable<string>
    content_bytes: Generated<number>
    fingerprint: Nullable<Buffer>
    touched_on: Date
  }
  record_removals: { project_id: string; installation_id: string }
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
}
