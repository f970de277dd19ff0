import type { ColumnType, Generated } from 'kysely'
import type { CreateTime, Json, Nullable } from './columns.ts'

/** The role of a member who is not an owner; null, as the last release leaves it, is `developer`. */
type MemberRole = 'viewer' | 'operator' | 'developer'

/** Tables of `identity`, and the encryption keys. */
export interface IdentityTables {
  orgs: {
    id: string
    label: string
    default_team_id: Generated<string>
    require_second_factor: Generated<boolean>
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
  memberships: {
    org_id: string
    builder_id: string
    role: 'member' | 'owner'
    member_role: Nullable<MemberRole>
    create_time: CreateTime
  }
  removed_members: { org_id: string; builder_id: string; create_time: CreateTime }
  invites: {
    id: string
    org_id: string
    invited_email: string
    role: Generated<'member' | 'owner'>
    member_role: Nullable<MemberRole>
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
    kind: 'api' | 'browser' | 'cli' | 'agent'
    /** Of an agent: whether it may change what the person may change. */
    may_change: Nullable<boolean>
    token_hash: Buffer
    create_time: CreateTime
    refresh_time: Nullable<Date>
    expire_time: Date
    /** How the person signed in; null for a session that a node of the release before started. */
    method: Nullable<'password' | 'second-factor' | 'single-sign-on'>
    address: Nullable<string>
    user_agent: Nullable<string>
    use_time: Nullable<Date>
    /** When the person last proved in this session who they are. */
    proof_time: Nullable<Date>
  }
  factors: {
    id: string
    builder_id: string
    kind: 'totp' | 'passkey'
    name: string
    encrypted_secret: Nullable<string>
    last_step: Nullable<number>
    credential_id: Nullable<string>
    public_key: Nullable<Buffer>
    counter: Nullable<number>
    transports: Nullable<string[]>
    create_time: CreateTime
    use_time: Nullable<Date>
  }
  recovery_codes: { builder_id: string; code_hash: Buffer; create_time: CreateTime }
  factor_setups: {
    builder_id: string
    kind: 'totp' | 'passkey'
    session_id: string
    encrypted: string
    expire_time: Date
  }
  half_sign_ins: {
    token_hash: Buffer
    browser_hash: Buffer
    builder_id: string
    challenge: string
    expire_time: Date
    create_time: CreateTime
  }
  used_refresh_tokens: { token_hash: Buffer; session_id: string }
  sign_in_codes: {
    code_hash: Buffer
    builder_id: string
    challenge: string
    /** How the person signed in to the browser. */
    method: Nullable<'password' | 'second-factor' | 'single-sign-on'>
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
    remove_factors: Generated<boolean>
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
    logo_url: Nullable<string>
    connect_settings: Nullable<Json>
    agent_sign_in_url: Nullable<string>
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
}
