import { hash, randomBytes } from 'node:crypto'
import type { Database, NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import {
  type ConnectSessionRow,
  findConnectSessionByToken,
  insertConnectSession,
  type ShownSessionRow,
} from './connect-session-store.ts'
import type { ConnectSession } from './model.ts'

/** How long a person may take to open the page and fill it in. */
export const connectSessionMinutes = 30

/** What a page is for, as the API request specified it. No value comes from the browser. */
export interface ConnectPurpose {
  provider: string
  /** The only authentication method that the page offers; all if absent. */
  schemeName?: string
  groupRef: string
  groupName?: string
  consumerRef: string
  consumerName?: string
  providerAppId?: string
  /** The connection that gets a new credential. */
  connectionId?: string
  redirectUrl?: string
  /** The requester, as in `createdBy`. */
  askedBy: string
}

/** A page on which a customer connects an account. Only its link contains the token; the database stores the hash. */
export interface OpenedSession {
  projectId: string
  id: string
  purpose: ConnectPurpose
  failure: string | undefined
  /** The connection that was made. */
  connectionId: string | undefined
  createTime: Date
  expireTime: Date
}

type Needed = { database: Database; keyring: Keyring; now: () => Date }

/** Stores a session. Returns it with the token of its link, which is not stored. */
export async function keepConnectSession(
  db: ProjectDb,
  { keyring, now, newId }: { keyring: Keyring; now: () => Date; newId: NewId },
  purpose: ConnectPurpose,
): Promise<{ token: string; session: ShownSessionRow }> {
  const token = randomBytes(32).toString('base64url')
  const id = newId()
  const { provider, groupRef, consumerRef } = purpose
  const session = await insertConnectSession(db, {
    id,
    tokenHash: hashed(token),
    provider,
    groupRef,
    consumerRef,
    encrypted: createEnvelope(keyring).encrypt(JSON.stringify(purpose), encryptedAt(db.projectId, id)),
    expireTime: new Date(now().getTime() + connectSessionMinutes * 60_000),
  })
  return { token, session }
}

/** Returns the session of a link; undefined if the token is invalid or the session has expired. */
export async function openConnectSession(services: Needed, token: string): Promise<OpenedSession | undefined> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined
  const row = await findConnectSessionByToken(services.database.system, {
    tokenHash: hashed(token),
    now: services.now(),
  })
  return row && opened(services, row)
}

export function connectSessionResource(row: ShownSessionRow) {
  return {
    id: row.id,
    provider: row.provider,
    groupRef: row.group_ref,
    consumerRef: row.consumer_ref,
    ...(row.connection_id !== null && { connectionId: row.connection_id }),
    createTime: row.create_time,
    expireTime: row.expire_time,
  } satisfies ConnectSession
}

/** Returns the path of a session's page. It is relative, because every link to it is on this origin. */
export function connectPagePath(token: string): string {
  return `/connect/${token}`
}

/** Hashes the token for storage. The token is random, so a plain hash is enough. */
function hashed(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

function opened({ keyring }: { keyring: Keyring }, row: ConnectSessionRow): OpenedSession {
  const text = createEnvelope(keyring).open(row.encrypted, encryptedAt(row.project_id, row.id)).toString()
  return {
    projectId: row.project_id,
    id: row.id,
    purpose: JSON.parse(text) as ConnectPurpose,
    failure: row.failure ?? undefined,
    connectionId: row.connection_id ?? undefined,
    createTime: row.create_time,
    expireTime: row.expire_time,
  }
}

function encryptedAt(projectId: string, id: string) {
  return { table: 'connect_sessions', project: projectId, row: id, column: 'encrypted' }
}
