import type { ColumnType } from 'kysely'
import type { Nullable } from './columns.ts'

/** Tables of the audit log. `project_id` is the id of the log: a project, an organization, or the service. */
export interface AuditTables {
  audit_entries: {
    project_id: string
    id: string
    actor_kind: string
    actor_id: Nullable<string>
    actor_name: Nullable<string>
    action: string
    verb: string
    outcome: string
    resource_kind: string
    resource_id: Nullable<string>
    address: Nullable<string>
    user_agent: Nullable<string>
    request_id: Nullable<string>
    old_value: ColumnType<unknown, string | null, never>
    new_value: ColumnType<unknown, string | null, never>
  }
  audit_unsealed: { project_id: string; entry_id: string }
  audit_seals: {
    project_id: string
    number: number
    first_sequence: number
    entry_ids: string[]
    entry_hashes: Buffer
    first_id: string
    last_id: string
    previous_hash: Buffer
    hash: Buffer
  }
}
