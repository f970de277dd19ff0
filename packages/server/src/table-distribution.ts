import type { Tables } from './kernel/db/index.ts'

/**
 * Where a distributed PostgreSQL keeps a table that belongs to no project. Every other table of the service belongs to
 * a project and is distributed by it: the project is in its primary key, its unique keys, and its foreign keys.
 *
 * - `reference`: a copy on every server, because tables of projects refer to it or are joined with it.
 * - `local`: on the first server alone.
 */
type Placement = ['reference' | 'local', reason: string]

const person: Placement = ['local', 'people and their organizations; one person has projects of several organizations']
const signIn: Placement = ['local', 'sign-in, before it is known who signs in']
const encryptionKeys = 'one encryption key for the whole service; triggers of all tables with secrets ask for its state'

/** `npm run check` and the tests hold every other table, and every statement, to its project. */
export const outsideProjects: Record<string, Placement> = {
  projects: ['reference', 'the tables of projects refer to it; the name of a project is unique, because URLs have it'],
  orgs: ['reference', 'projects refer to it'],
  encryption_keys: ['reference', encryptionKeys],
  watches: ['reference', 'which node follows which topic; triggers of tables of projects ask for it'],
  encryption_key_nodes: ['local', 'which node has which encryption keys'],
  builder_idempotency_keys: ['local', 'requests of people that name no project'],
  builders: person,
  claimed_domains: person,
  invites: person,
  memberships: person,
  removed_members: person,
  factor_setups: signIn,
  factors: signIn,
  half_sign_ins: signIn,
  password_resets: signIn,
  recovery_codes: signIn,
  sessions: signIn,
  sign_in_addresses: signIn,
  sign_in_attempts: signIn,
  sign_in_codes: signIn,
  sign_in_flows: signIn,
  signing_keys: signIn,
  used_refresh_tokens: signIn,
  kysely_migration: ['local', 'migrations'],
  kysely_migration_lock: ['local', 'migrations'],
} satisfies Partial<Record<keyof Tables | `kysely_migration${string}`, Placement>>
