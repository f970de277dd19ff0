import type { ColumnType } from 'kysely'
import type { Nullable } from './columns.ts'

/** Histories of installations and connections, and the log of what providers sent. */
export interface HistoryTables {
  resource_events: {
    project_id: string
    id: string
    kind: string
    group_ref: string
    integration_id: Nullable<string>
    installation_id: Nullable<string>
    connection_id: string
    created_by: Nullable<string>
    details: ColumnType<Record<string, unknown>, string | undefined, string>
  }
  provider_events: {
    project_id: string
    id: string
    outcome: string
    reason: Nullable<string>
    provider: Nullable<string>
    integration_id: Nullable<string>
    installation_id: Nullable<string>
    object_name: Nullable<string>
    event_name: Nullable<string>
    requests: number
    events: number
    new_events: number
    bytes: number
  }
}
