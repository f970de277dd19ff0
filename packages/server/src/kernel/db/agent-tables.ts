import type { Generated } from 'kysely'
import type { Nullable } from './columns.ts'

/** Tables of the sign-in to MCP servers. */
export interface AgentTables {
  agent_clients: {
    project_id: string
    id: string
    name: string
    redirect_uris: string[]
    /** Whether a person has signed in with it. Others expire soon, and are limited. */
    used: Generated<boolean>
    create_time: Date
    expire_time: Date
  }
  agent_sign_ins: {
    project_id: string
    id: string
    client_id: string
    client_name: string
    redirect_uri: string
    state: Nullable<string>
    code_challenge: string
    browser_hash: Buffer
    status: Generated<'waiting' | 'completed' | 'refused' | 'granted' | 'ended'>
    group_ref: Nullable<string>
    consumer_ref: Nullable<string>
    /** Session of the browser in which a builder decided. */
    builder_session_id: Nullable<string>
    may_change: Generated<boolean>
    ticket_hash: Nullable<Buffer>
    code_hash: Nullable<Buffer>
    code_expire_time: Nullable<Date>
    session_id: Nullable<string>
    create_time: Date
    expire_time: Date
  }
  agent_sessions: {
    project_id: string
    id: string
    client_id: string
    client_name: string
    /** Null for a builder, whose session has the same id. */
    group_ref: Nullable<string>
    consumer_ref: Nullable<string>
    access_hash: Buffer
    access_expire_time: Date
    family_hash: Buffer
    refresh_hash: Buffer
    create_time: Date
    refresh_time: Nullable<Date>
    expire_time: Date
  }
}
