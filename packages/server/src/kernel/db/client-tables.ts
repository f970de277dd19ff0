import type { CreateTime, Nullable } from './columns.ts'

/** Tables of Mortise as a client of authorization servers. */
export interface ClientTables {
  oauth_flows: {
    project_id: string
    state_hash: Buffer
    bound: boolean
    browser_hash: Nullable<Buffer>
    encrypted: string
    create_time: CreateTime
    expire_time: Date
  }
  client_registrations: {
    project_id: string
    id: string
    issuer: string
    redirect_uri: string
    encrypted: string
    create_time: Date
    expire_time: Date
    secret_expire_time: Nullable<Date>
  }
}
